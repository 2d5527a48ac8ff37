# SPDX-License-Identifier: MIT
"""Rules of context coding (7.5), each broken once in a block that is otherwise
right: its raw bytes are what a reader makes of it that does not check the rule,
where that is possible.

BROKEN and RIGHT: what it is, and a block: raw bytes, description, payload.
"""

import random
import struct

import block as blocks
import context
import forge
import zstd
from forge_context import Forged, plain_frame, random_misses

WIDTH = 2
# Nine rows, of which the last has 10 elements; in planes of four rows it is
# alone in its plane, where two tiles have no element at all.
ROW, ROWS, N = 40, 9, 330
UNUSED_TILES = 1, 2
# Levels that no activity reaches.
UNUSED_CONTEXTS = range(12 * 46, 12 * 48)

BROKEN, RIGHT = [], []


def frequencies():
    """All symbols, those near 0 often."""
    table = [4] * context.SYMBOLS
    table[0] += context.SUM - sum(table)
    return table


def right_model(plane_rows=4, predictors=2, n=N, row=ROW):
    """Two tables, of which contexts without use have the second."""
    rng = random.Random(plane_rows)
    terms, nweights = (14, 9) if plane_rows else (8, 6)
    tiles = context.Layout(n, row, plane_rows).tiles()
    contexts = bytearray(12 * 48)
    for number in UNUSED_CONTEXTS:
        contexts[number] = 1
    return context.Model(
        1000, row, plane_rows, [rng.randrange(32) for _ in range(nweights)],
        [rng.randrange(1 << 20) for _ in range(predictors)],
        [[rng.randint(-200, 300) for _ in range(terms)]
         for _ in range(predictors)],
        bytearray(rng.choices(range(predictors), k=tiles)), contexts,
        [frequencies(), frequencies()])


def forged(model, n=N, holes=None):
    return Forged(model, holes or [False] * n, WIDTH,
                  random_misses(random.Random(n)))


def whole_block(stored, raw):
    """A block without splitting steps."""
    description = struct.pack("<BBBBII", 0, blocks.CONTEXT, WIDTH, 0,
                              len(raw), len(stored))
    return raw, description, stored


def block_of(made, overrides=None, frame=zstd.compress):
    return whole_block(made.stored(frame, overrides),
                       blocks.pack(made.elements, WIDTH))


def among_others(block):
    """An archive to be, of a block and others that are as they are."""
    raw = block[0]
    others = [(raw, forge.stored(len(raw)), raw)] * 3
    return forge.example([block, *others], len(raw))


def model_case(what, change, n=N, **arguments):
    """A model that is changed before anything is encoded with it."""
    model = right_model(n=n, **arguments)
    change(model)
    BROKEN.append((what, block_of(forged(model, n))))


def byte_case(what, made, frame=zstd.compress, **overrides):
    """Fields that are changed; "__" in a keyword stands for a dot."""
    BROKEN.append((what, block_of(made, {
        name.replace("__", "."): value
        for name, value in overrides.items()}, frame)))


def assign(name, value):
    return lambda model: setattr(model, name, value)


def assign_item(name, *path):
    """Assigns the last of the path to the item that the others lead to."""
    def change(model):
        items = getattr(model, name)
        for key in path[:-2]:
            items = items[key]
        items[path[-2]] = path[-1]
    return change


def repeat(names, count):
    """Lists of the model, made so long of their first items."""
    def change(model):
        for name in names:
            setattr(model, name, getattr(model, name)[:1] * count)
    return change


def models():
    """Models with one number that the text does not allow."""
    for plane_rows in 0, 4:
        model_case("base of 17 bits", assign("base", 1000 + (1 << 16)),
                   plane_rows=plane_rows)
        model_case("17 predictors",
                   repeat(("constants", "coefficients"), 17),
                   plane_rows=plane_rows)
        model_case("33 tables", repeat(("tables",), 33),
                   plane_rows=plane_rows)
        model_case("49 levels", repeat(("contexts",), 12 * 49),
                   plane_rows=plane_rows)
        for i in range(9 if plane_rows else 6):
            model_case("weight 32", assign_item("weights", i, 32),
                       plane_rows=plane_rows)
        for i in range(14 if plane_rows else 8):
            for value in 4097, -4097:
                model_case("coefficient", assign_item("coefficients", 1, i,
                                                      value),
                           plane_rows=plane_rows)
        model_case("row of 15", lambda model: None, row=15,
                   plane_rows=plane_rows)
        model_case("row longer than the block", lambda model: None,
                   row=N + 1, plane_rows=plane_rows)
        model_case("15 elements", lambda model: None, n=15, row=15,
                   plane_rows=plane_rows)
        model_case("15 elements, row of 16", lambda model: None, n=15,
                   row=16, plane_rows=plane_rows)
    last = context.Layout(N, ROW, 4).first_tile(2, 0)
    for tile in UNUSED_TILES:
        model_case("predictor of a tile without elements",
                   assign_item("tiles", last + tile, 2))
    for number in UNUSED_CONTEXTS:
        model_case("table of a context without use",
                   assign_item("contexts", number, 2))


def model_bytes():
    made, one = forged(right_model()), forged(right_model(predictors=1))
    symbols = context.SYMBOLS
    for symbol in 0, 1, symbols - 1:
        for change in -1, 1:
            def changed(values, place=symbols + symbol, change=change):
                values[place] += change
                return values
            byte_case("sum of a table without use", made,
                      frequencies=changed)
    for pair in (65535, 1025), (65280, 1280), (32768, 33792):
        byte_case("sum of a table modulo 2^16", made,
                  frequencies=lambda values, pair=pair: values[:symbols]
                  + list(pair) + [0] * (symbols - 2))
    byte_case("no predictor", one, predictors=[0], constants=[],
              coefficients0=[])
    byte_case("no table", made, tables=[0], frequencies=[])
    byte_case("no level", made, levels=[0], contexts=b"")
    byte_case("tiles of one predictor", one,
              model__tail=bytes(len(one.model.tiles)))
    byte_case("bytes after the model", made, model__tail=b"\0")
    for length in range(1, 40):
        byte_case("model ends early", made,
                  model=lambda data, length=length: data[:-length])
    byte_case("no model", made, model=b"")


def frames():
    """Streams of models that are no streams of their codec."""
    made = forged(right_model())
    made.overrides = {}
    size = len(made.model_bytes())
    four, skippable = struct.pack("<I", size), b"\x50\x2a\x4d\x18\0\0\0\0"
    for what, head in (("content size is not stated", b"\0\x58"),
                       ("dictionary", b"\xa1\x01" + four),
                       ("content size", b"\xa0" + struct.pack("<I", size + 1)),
                       ("content size",
                        b"\xe0" + struct.pack("<Q", 1 << 40)),
                       ("reserved bit", b"\xa8" + four)):
        byte_case(what, made,
                  lambda data, head=head: plain_frame(data, head))
    for what, frame in (
            ("two frames", lambda data: 2 * plain_frame(data)),
            ("empty frame first",
             lambda data: plain_frame(b"") + plain_frame(data)),
            ("skippable frame", lambda data: plain_frame(data) + skippable),
            ("skippable frame", lambda data: skippable + plain_frame(data)),
            ("magic", lambda data: b"\x27" + plain_frame(data)[1:]),
            ("frame that is cut off", lambda data: plain_frame(data)[:-1]),
            ("byte after the frame", lambda data: plain_frame(data) + b"\0"),
            ("empty frame", lambda data: b""),
            ("model as it is", lambda data: data),
            # As long as no model of so few elements is, and all zeros.
            ("long model", lambda data: zstd.compress(data + bytes(1 << 22)))):
        byte_case(what, made, frame)
    for length in 0, 1, 3, 2**31, 2**32 - 1:
        byte_case("length of the frame", made, frame_length=[length])
    RIGHT.append(("frame of blocks as they are", block_of(
        made, frame=plain_frame)))
    RIGHT.append(("content size of 8 bytes", block_of(
        made, frame=lambda data: plain_frame(
            data, b"\xe0" + struct.pack("<Q", len(data))))))


def used_lane(made, number):
    """Fields of a lane that has elements."""
    state, words, raw = made.lanes[number]
    name = f"lane{number}__"
    nwords, nbytes = len(words) // 2, len(raw)

    def case(what, **overrides):
        byte_case(what, made, **{name + key: value
                                 for key, value in overrides.items()})

    for change in 1, 1 << 16, 1 << 31:
        case("first state", state=[state ^ change])
    case("first state", state=[65535])
    case("words that are not used", nwords=[nwords + 1], words=words + b"\0\0")
    case("words that are missing", nwords=[nwords - 1], words=words[:-2])
    case("raw bits not used", nbytes=[nbytes + 1], raw=raw + b"\0")
    case("raw bits that are missing", nbytes=[nbytes - 1], raw=raw[:-1])
    case("lengths of lanes", nwords=[nwords + 1])
    case("lengths of lanes", nbytes=[2**32 - 1])
    case("lengths of lanes", nwords=[2**31])
    if bits := made.bits_left[number]:
        for bit in range(bits):
            case("bits that are left", raw=raw[:-1] + bytes(
                [raw[-1] | 128 >> bit]))


def lanes():
    made = forged(right_model())     # three planes, so lane 3 has nothing
    for number in range(3):
        used_lane(made, number)
    for state in 0, 65535, 65537, 2**32 - 1:
        byte_case("state of a lane without elements", made,
                  lane3__state=[state])
    byte_case("words of a lane without elements", made, lane3__nwords=[1],
              lane3__words=b"\0\0")
    byte_case("raw bits of a lane without elements", made, lane3__nbytes=[1],
              lane3__raw=b"\0")
    words = made.lanes[0][1]
    byte_case("words of another lane", made,
              lane0__nwords=[len(words) // 2 + 1],
              lane1__nwords=[len(made.lanes[1][1]) // 2 - 1])
    byte_case("bytes after the lanes", made, tail=b"\0")
    byte_case("bytes after the lanes", made, tail=bytes(1000))
    raw, _, stored = block_of(made)
    for length in 0, 3, 4, 10, len(stored) // 2, len(stored) - 1:
        BROKEN.append(("stored bytes end early",
                       whole_block(stored[:length], raw)))


def part(codec, width, stored, length, chain=b"\0"):
    return struct.pack("<BB", codec, width) + chain + struct.pack(
        "<II", length, len(stored))


def parts():
    """Where codec 4 has no place."""
    made = forged(right_model())
    raw, _, stored = block_of(made)
    for chain in b"\1\3", b"\1\2\1\0\0\0", b"\1\4":
        BROKEN.append(("with a filter", (raw, b"\0" + part(
            blocks.CONTEXT, WIDTH, stored, len(raw), chain), stored)))
    for width in 1, 4, 8:
        BROKEN.append(("of another width", (raw, b"\0" + part(
            blocks.CONTEXT, width, stored, len(raw)), stored)))
    BROKEN.append(("not a whole number of elements",
                   (raw + b"\0", b"\0" + part(blocks.CONTEXT, WIDTH, stored,
                                              len(raw) + 1), stored)))
    for longer in -2, 2, 660:
        BROKEN.append(("length of the block", (
            bytes(len(raw) + longer), b"\0" + part(
                blocks.CONTEXT, WIDTH, stored, len(raw)), stored)))
    for step, sides, width in (
            # Drop with a width of its own; palette with one of more than 2
            # bytes, with too few entries; multiple that makes shorts of more.
            (b"\2" + bytes(8), [bytes(42)], WIDTH), (b"\4", [bytes(8)], 4),
            (b"\4", [bytes(8)], 2), (b"\5" + struct.pack("<Qq", 1, 0), [], 8)):
        main = Forged(right_model(), [False] * N, width,
                      random_misses(random.Random(width))).stored()
        fields = b"".join(part(0, 1, side, len(side)) for side in sides)
        BROKEN.append(("main part of another width, or beyond a palette", (
            bytes(4 * N), b"\1\4\0" + step + fields + part(
                blocks.CONTEXT, width, main, width * N),
            b"".join(sides) + main)))
    # A mask of bytes, without a hole, and elements as they are.
    n, mask_length = 330, 42
    model = right_model(n=mask_length, row=16)
    model.base, model.constants = 0, [0, 0]
    model.coefficients = [[0] * 14] * 2
    mask = Forged(model, [False] * mask_length, 1, lambda p, table: (0, 0))
    assert mask.elements == [0] * mask_length
    side = mask.stored()
    raw = bytes(2 * n)
    BROKEN.append(("mask", (raw, b"\1\2\0\2" + bytes(6) + part(
        blocks.CONTEXT, 1, side, mask_length) + part(0, 2, raw, len(raw)),
        side + raw)))
    for length in 0, len(raw) - 2, len(raw) + 2:
        BROKEN.append(("length of the main part", (
            raw, b"\1\2\0\2" + bytes(6) + part(0, 1, bytes(mask_length),
                                               mask_length)
            + part(blocks.CONTEXT, 2, stored, length),
            bytes(mask_length) + stored)))


def right_blocks():
    """With and without planes, and with holes."""
    for plane_rows, predictors in ((0, 1), (0, 5), (1, 2), (2, 1), (4, 3),
                                   (9, 2), (2**32 - 1, 2)):
        made = forged(right_model(plane_rows, predictors))
        RIGHT.append((f"planes of {plane_rows} rows",
                      block_of(made, frame=plain_frame)))
    holes = [i % 7 == 3 or 100 < i < 150 for i in range(N)]
    made = forged(right_model(3), holes=holes)
    stored = made.stored(plain_frame)
    mask = sum(1 << i for i, hole in enumerate(holes) if hole)
    mask = mask.to_bytes(-(-N // 8), "little")
    elements = iter(made.elements)
    raw = blocks.pack([7 if hole else next(elements) for hole in holes],
                      WIDTH)
    RIGHT.append(("holes", (
        raw, b"\1\2\0\2\0\7" + bytes(4) + part(0, 1, mask, len(mask))
        + part(blocks.CONTEXT, WIDTH, stored, WIDTH * len(made.elements)),
        mask + stored)))


for each in models, model_bytes, frames, lanes, parts, right_blocks:
    each()
