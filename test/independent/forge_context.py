# SPDX-License-Identifier: MIT
"""Makes context coding (7.5) by hand, of any model, right or wrong.

The elements are what comes out: an encoder decides what each prediction
misses, at random or by the values that are wanted, and then writes what would
have been decoded so. Like forge.py it takes `overrides`, by the names of
fields.
"""

import struct

import context
import zstd
from context import LANES, LEAST_STATE, SUM, SYMBOLS

WIDTHS = 1, 2, 4, 8


class LaneWriter:
    """What a lane decoded, to be encoded from its end."""

    def __init__(self):
        self.steps, self.raw, self.bit = [], 0, 0

    def put(self, table, slot, raw):
        """Takes what a slot of a table stands for; returns d."""
        difference, frequency, offset = table.steps[slot]
        self.steps.append((frequency, slot - offset))
        self.raw |= raw << self.bit
        self.bit += difference.bits
        magnitude = difference.magnitude + raw
        return -magnitude if difference.is_negative else magnitude

    def end(self):
        """There is nothing to check."""

    def finish(self):
        """State, words and raw bits."""
        state, words = LEAST_STATE, []
        for frequency, before in reversed(self.steps):
            if state >= frequency << 22:
                words.append(state % 65536)
                state >>= 16
            state = state // frequency * SUM + state % frequency + before
        raw = self.raw.to_bytes((self.bit + 7) // 8, "little")
        return state, struct.pack(f"<{len(words)}H", *words[::-1]), raw


class Encoder(context.Decoder):
    """Elements in ascending order, whose misses are chosen.

    choose(p, table) gives a slot of the table and raw bits."""

    def __init__(self, model, n, choose):
        layout = context.Layout(n, model.row, model.plane_rows)
        super().__init__(model, layout, [LaneWriter() for _ in range(LANES)])
        self.choose = choose

    def miss(self, lane, p, table):
        return lane.put(table, *self.choose(p, table))


def random_misses(rng):
    """Any slot of a table; raw bits are often all ones or zeros."""
    def choose(_, table):
        slot = rng.randrange(len(table.steps))
        bits = table.steps[slot][0].bits
        most = (1 << bits) - 1
        return slot, rng.choice((0, most, rng.randint(0, most)))
    return choose


def wanted_values(values):
    """Slots for values, less the base, in the order of the elements."""
    values = iter(values)

    def choose(p, table):
        d = context.wrap(next(values) - (p >> 9), 16)
        for slot, (difference, _, _) in enumerate(table.steps):
            raw = abs(d) - difference.magnitude
            if 0 <= raw < 1 << difference.bits and (
                    d == 0 or difference.is_negative == (d < 0)):
                return slot, raw
        raise ValueError(f"a table has no symbol for {d}")
    return choose


class Forged:
    """A model with its elements, as they are stored."""

    def __init__(self, model, holes, width, choose):
        self.model = model
        encoder = Encoder(model, len(holes), choose)
        values = encoder.decode(holes)
        self.elements = [(model.base + value) % (1 << 8 * width)
                         for value, hole in zip(values, holes) if not hole]
        self.lanes = [lane.finish() for lane in encoder.lanes]
        # Of the last byte of raw bits.
        self.bits_left = [-lane.bit % 8 for lane in encoder.lanes]

    def bytes(self, name, value):
        new = self.overrides.pop(name, value)
        return new(value) if callable(new) else new

    def numbers(self, name, form, *values):
        """Little-endian numbers of one form."""
        values = self.bytes(name, list(values))
        return struct.pack(f"<{len(values)}{form}", *values)

    def model_bytes(self):
        m = self.model
        data = self.numbers("base", "Q", m.base)
        data += self.numbers("row", "I", m.row)
        data += self.numbers("plane_rows", "I", m.plane_rows)
        data += self.numbers("predictors", "B", len(m.constants))
        data += self.numbers("tables", "B", len(m.tables))
        data += self.numbers("levels", "B", len(m.contexts) // 12)
        data += self.numbers("weights", "B", *m.weights)
        data += self.numbers("constants", "i", *m.constants)
        for number, coefficients in enumerate(m.coefficients):
            data += self.numbers(f"coefficients{number}", "h", *coefficients)
        if len(m.constants) > 1:
            data += self.bytes("tiles", m.tiles)
        data += self.bytes("contexts", m.contexts)
        frequencies = self.bytes("frequencies",
                                 [f for table in m.tables for f in table])
        data += bytes(f % 256 for f in frequencies)
        data += bytes(f // 256 for f in frequencies)
        return data + self.bytes("model.tail", b"")

    def stored(self, frame=zstd.compress, overrides=None):
        """The stored bytes, with a frame that is made of the model."""
        self.overrides = dict(overrides or {})
        model = self.bytes("model", self.model_bytes())
        packed = self.bytes("frame", frame(model))
        data = self.numbers("frame_length", "I", len(packed)) + packed
        for number, (state, words, raw) in enumerate(self.lanes):
            name = f"lane{number}"
            data += self.numbers(f"{name}.state", "I", state)
            data += self.numbers(f"{name}.nwords", "I", len(words) // 2)
            data += self.numbers(f"{name}.nbytes", "I", len(raw))
        for number, (_, words, _) in enumerate(self.lanes):
            data += self.bytes(f"lane{number}.words", words)
        for number, (_, _, raw) in enumerate(self.lanes):
            data += self.bytes(f"lane{number}.raw", raw)
        data += self.bytes("tail", b"")
        if self.overrides:
            raise KeyError(f"unknown: {sorted(self.overrides)}")
        return data


def plain_frame(data, head=None):
    """A zstd frame of blocks as they are; 'head' in place of its head."""
    if head is None:
        head = b"\xa0" + struct.pack("<I", len(data))
    frame = zstd.MAGIC + head
    for begin in range(0, max(len(data), 1), 1 << 16):
        block = data[begin:begin + (1 << 16)]
        is_last = begin + len(block) == len(data)
        frame += (len(block) << 3 | is_last).to_bytes(3, "little") + block
    return frame


class RandomModels:
    """Models as nobody would fit them."""

    def __init__(self, rng):
        self.rng = rng

    def frequencies(self):
        """63 numbers with the sum 1024."""
        rng = self.rng
        kind = rng.randrange(5)
        table = [0] * SYMBOLS
        if kind == 0:       # one symbol, which takes no bits
            table[rng.randrange(SYMBOLS)] = SUM
        elif kind == 1:     # all alike
            table = [SUM // SYMBOLS] * SYMBOLS
        elif kind == 2:     # seldom far from 0
            table = [SUM >> 2 + symbol // 2 for symbol in range(SYMBOLS)]
        elif kind == 3:     # the largest differences
            table[-4:] = rng.choices(range(1, 250), k=4)
        else:
            for symbol in rng.choices(range(SYMBOLS), k=20):
                table[symbol] = rng.randrange(1, 50)
        table[rng.randrange(SYMBOLS)] += SUM - sum(table)
        return table

    def coefficients(self, count):
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 0:       # 1 * N, or such
            one = rng.randrange(count)
            return [512 * (i == one) for i in range(count)]
        if kind == 1:
            return [rng.choice((-4096, 4096)) for _ in range(count)]
        if kind == 2:
            return [4096] * count
        return [rng.randint(-4096, 4096) for _ in range(count)]

    def row(self, n):
        return self.rng.choice((16, n, min(17, n), min(32, n), min(33, n),
                                self.rng.randint(16, n)))

    def model(self, n, width):
        """For n elements, at least 16."""
        rng = self.rng
        row = self.row(n)
        rows = -(-n // row)
        plane_rows = rng.choice((0, 0, 1, 2, 3, 9, rows, rows + 1, 2**32 - 1,
                                 rng.randint(1, rows)))
        terms, nweights = (14, 9) if plane_rows else (8, 6)
        predictors = rng.choice((1, 1, 2, 16, rng.randint(1, 16)))
        tables = rng.choice((1, 2, 32, rng.randint(1, 32)))
        levels = rng.choice((1, 48, rng.randint(1, 48)))
        constants = [rng.choice((0, 0, -256, 2**31 - 1, -2**31,
                                 rng.randint(-2**31, 2**31 - 1)))
                     for _ in range(predictors)]
        tiles = context.Layout(n, row, plane_rows).tiles()
        return context.Model(
            rng.choice((0, 1, 256 ** width - 1, rng.randrange(256 ** width))),
            row, plane_rows, rng.choices((0, 0, 1, 2, 8, 31), k=nweights),
            constants, [self.coefficients(terms) for _ in range(predictors)],
            bytes(rng.choices(range(predictors), k=tiles)),
            bytes(rng.choices(range(tables), k=12 * levels)),
            [self.frequencies() for _ in range(tables)])

    def stored(self, holes, width, most):
        """Stored bytes, at most so many, of elements of 'width' bytes."""
        while True:
            model = self.model(len(holes), width)
            forged = Forged(model, holes, width, random_misses(self.rng))
            frame = self.rng.choice((zstd.compress, plain_frame))
            stored = forged.stored(frame)
            if len(stored) <= most:
                return stored
