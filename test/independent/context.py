# SPDX-License-Identifier: MIT
"""Context coding, codec 4: section 7.5 of the specification."""

from dataclasses import dataclass
import struct

import zstd
from fields import Fields, must

LANES = 4
SYMBOLS = 63
SUM = 1024
LEAST_STATE = 1 << 16
TILE_ROWS, TILE_ELEMENTS = 8, 16
BANDS = 4
# A row has so many elements more on either side, for neighbours.
EDGE = 2


@dataclass
class Model:
    """What is fixed for a block."""

    base: int
    row: int
    plane_rows: int
    weights: list
    constants: list
    coefficients: list
    tiles: bytes
    contexts: bytes
    tables: list

    @property
    def has_planes(self):
        return self.plane_rows > 0


class Layout:
    """Where the n elements of a block lie."""

    def __init__(self, n, row, plane_rows):
        self.n, self.row, self.rows = n, row, -(-n // row)
        # Planes, or bands, which are cut like planes.
        self.plane_rows = plane_rows or -(-self.rows // BANDS)
        self.planes = -(-self.rows // self.plane_rows)
        self.tiles_of_row = -(-row // TILE_ELEMENTS)

    def rows_of(self, z):
        return min(self.plane_rows, self.rows - z * self.plane_rows)

    def tiles(self):
        """The number of tiles."""
        tile_rows = sum(-(-self.rows_of(z) // TILE_ROWS)
                        for z in range(self.planes))
        return tile_rows * self.tiles_of_row

    def first_tile(self, z, y):
        """The number of the first tile of a row."""
        of_plane = -(-self.plane_rows // TILE_ROWS)
        return (z * of_plane + y // TILE_ROWS) * self.tiles_of_row


def read_tables(fields, count):
    low = [fields.bytes(SYMBOLS) for _ in range(count)]
    high = [fields.bytes(SYMBOLS) for _ in range(count)]
    tables = []
    for pair in zip(low, high):
        frequencies = [l + 256 * h for l, h in zip(*pair)]
        must(max(frequencies) <= SUM and sum(frequencies) == SUM,
             "frequencies of a table")
        tables.append(frequencies)
    return tables


def read_model(data, n, width):
    """A model of a block of n elements; 'width' of those that are coded."""
    fields = Fields(data, "model")
    base, row, plane_rows = fields.numbers("QII")
    predictors, tables, levels = fields.numbers("BBB")
    must(base < 1 << 8 * width, "base of the model")
    must(16 <= row <= n, "length of a row")
    must(1 <= predictors <= 16, "number of predictors")
    must(1 <= tables <= 32, "number of tables")
    must(1 <= levels <= 48, "number of levels")
    terms, nweights = (14, 9) if plane_rows else (8, 6)
    weights = fields.numbers(f"{nweights}B")
    must(max(weights) <= 31, "weight")
    constants = fields.numbers(f"{predictors}i")
    coefficients = [fields.numbers(f"{terms}h") for _ in range(predictors)]
    must(all(-4096 <= each <= 4096 for predictor in coefficients
             for each in predictor), "coefficient")
    ntiles = Layout(n, row, plane_rows).tiles()
    tiles = fields.bytes(ntiles) if predictors > 1 else bytes(ntiles)
    must(max(tiles) < predictors, "predictor of a tile")
    contexts = fields.bytes(12 * levels)
    must(max(contexts) < tables, "table of a context")
    model = Model(base, row, plane_rows, weights, constants, coefficients,
                  tiles, contexts, read_tables(fields, tables))
    fields.end()
    return model


class Difference:
    """What a symbol stands for: |d| without raw bits, their number, sign."""

    def __init__(self, symbol):
        j = symbol - 7
        if j < 0:
            self.magnitude, self.bits = (symbol + 1) // 2, 0
            self.is_negative = symbol > 0 and symbol % 2 == 0
        else:
            self.bits = j // 4 + 1
            self.magnitude = (2 + (j >> 1 & 1)) << self.bits
            self.is_negative = j % 2 == 1


DIFFERENCES = [Difference(symbol) for symbol in range(SYMBOLS)]


class Table:
    """Frequencies, by what a state modulo 1024 is."""

    def __init__(self, frequencies):
        self.steps = []     # (difference, its frequency, offset in it)
        for symbol, frequency in enumerate(frequencies):
            self.steps += [(DIFFERENCES[symbol], frequency, offset)
                           for offset in range(frequency)]


class Lane:
    """A state, words and raw bits."""

    def __init__(self, state, words, raw):
        must(state >= LEAST_STATE, "state of a lane")
        self.state, self.words, self.word = state, words, 0
        self.raw, self.bit = int.from_bytes(raw, "little"), 0
        self.raw_bytes = len(raw)

    def take_bits(self, count):
        taken = self.raw >> self.bit & (1 << count) - 1
        self.bit += count
        must(self.bit <= 8 * self.raw_bytes, "too few raw bits")
        return taken

    def difference(self, table):
        """The next d."""
        symbol, frequency, offset = table.steps[self.state % SUM]
        self.state = frequency * (self.state // SUM) + offset
        if self.state < LEAST_STATE:
            must(self.word < len(self.words), "too few words")
            self.state = self.state << 16 | self.words[self.word]
            self.word += 1
        magnitude = symbol.magnitude
        if symbol.bits:
            magnitude += self.take_bits(symbol.bits)
        return -magnitude if symbol.is_negative else magnitude

    def end(self):
        must(self.state == LEAST_STATE, "last state of a lane")
        must(self.word == len(self.words), "words that are not used")
        must(-(-self.bit // 8) == self.raw_bytes, "raw bits not used")
        must(self.raw >> self.bit == 0, "raw bits that are left")


def read_lanes(fields):
    heads = [fields.numbers("III") for _ in range(LANES)]
    words = []
    for _, count, _ in heads:
        data = fields.bytes(2 * count)
        words.append(struct.unpack(f"<{count}H", data))
    raw = [fields.bytes(length) for _, _, length in heads]
    fields.end()
    return [Lane(head[0], *rest) for head, *rest in zip(heads, words, raw)]


class Rows:
    """V or D of all rows; each row with EDGE more at either end."""

    def __init__(self, layout, has_planes):
        self.layout, self.has_planes = layout, has_planes
        self.nothing = [0] * (layout.row + 2 * EDGE)
        self.rows = {}

    def put(self, z, y, row):
        self.rows[z, y] = row[:1] * EDGE + row + row[-1:] * EDGE

    def get(self, z, y):
        """A row by the rules for what is outside of the rows."""
        if y < 0 < z and self.has_planes:
            return self.get(z - 1, 0)
        if y < 0 or z < 0:
            return self.nothing
        return self.rows[z, min(y, self.layout.plane_rows - 1)]


def wrap(number, bits):
    """A number modulo 2^bits, as a signed integer."""
    number &= (1 << bits) - 1
    return number - (number >> bits - 1 << bits)


class Row:
    """The rows around one: neighbours of each of its elements but W and WW.

    Each is a row and by how much x is moved, in the order of the text."""

    def __init__(self, rows, z, y):
        n, nn = rows.get(z, y - 1), rows.get(z, y - 2)
        self.before = n[EDGE]   # W and WW where there is none
        self.n, self.nn = (n, 0), (nn, 0)
        self.nw, self.ne = (n, -1), (n, 1)
        self.nee, self.nww = (n, 2), (n, -2)
        if not rows.has_planes:
            return
        t, tn, ts = (rows.get(z - 1, y + dy) for dy in (0, -1, 1))
        self.t, self.tw, self.te = (t, 0), (t, -1), (t, 1)
        self.tn, self.tnw, self.ts = (tn, 0), (tn, -1), (ts, 0)


class Decoder:
    """Elements in ascending order."""

    def __init__(self, model, layout, lanes):
        self.model, self.layout, self.lanes = model, layout, lanes
        self.tables = [Table(each) for each in model.tables]
        self.values = Rows(layout, model.has_planes)
        self.misses = Rows(layout, model.has_planes)

    def decode(self, holes):
        """V of all elements; holes: a flag for each."""
        found = []
        layout = self.layout
        for z in range(layout.planes):
            for y in range(layout.rows_of(z)):
                begin = len(found)
                flags = holes[begin:begin + layout.row]
                row = self.decode_row(z, y, flags)
                found += row[:len(flags)]
        for lane in self.lanes:
            lane.end()
        return found

    def decode_row(self, z, y, holes):
        v, d = Row(self.values, z, y), Row(self.misses, z, y)
        first_tile = self.layout.first_tile(z, y)
        values, misses = [], []
        for x in range(self.layout.row):
            w, ww = self.west(values, x, v), self.west(values, x - 1, v)
            dw, dww = self.west(misses, x, d), self.west(misses, x - 1, d)
            if x >= len(holes) or holes[x]:
                values.append(w)
                misses.append(dw)
                continue
            tile = first_tile + x // TILE_ELEMENTS
            p = self.prediction(tile, x, w, ww, v)
            context = self.context(p, x, dw, dww, d)
            table = self.tables[self.model.contexts[context]]
            miss = self.miss(self.lanes[z % LANES], p, table)
            values.append(((p >> 9) + miss) % 65536)
            misses.append(wrap(miss, 16))
        self.values.put(z, y, values)
        self.misses.put(z, y, misses)
        return values

    def miss(self, lane, p, table):
        """The next miss of a lane, by a table; the sum, p, is known."""
        del p
        return lane.difference(table)

    @staticmethod
    def west(row, x, around):
        """The element before x, which is in the row so far or before it."""
        return row[x - 1] if x > 0 else around.before

    def prediction(self, tile, x, w, ww, v):
        """sum of the text."""
        predictor = self.model.tiles[tile]
        k = self.model.coefficients[predictor]
        neighbours = [v.n, v.nw, v.ne, v.nn, v.nee, v.nww]
        if self.model.has_planes:
            neighbours += [v.t, v.tw, v.tn, v.te, v.ts, v.tnw]
        p = self.model.constants[predictor] + 256 + k[0] * w + k[1] * ww
        for factor, (row, dx) in zip(k[2:], neighbours):
            p += factor * row[EDGE + x + dx]
        return wrap(p, 32)

    def context(self, p, x, w, ww, d):
        """The context of an element, by the sum and by what was missed."""
        a = self.model.weights
        neighbours = [d.n, d.nw, d.ne, d.nn]
        if self.model.has_planes:
            neighbours += [d.t, d.te, d.ts]
        activity = a[0] * abs(w) + a[1] * abs(ww)
        for weight, (row, dx) in zip(a[2:], neighbours):
            activity += weight * abs(row[EDGE + x + dx])
        b = (activity + 2).bit_length() - 1
        level = 2 * b - 2 + (activity + 2 >> b - 1 & 1)
        level = min(level, len(self.model.contexts) // 12 - 1)
        threshold = activity // 32
        side = 0 if w < -threshold else 2 if w > threshold else 1
        return 12 * level + 4 * side + (p >> 7 & 3)


def decode(stored, width, holes):
    """Elements of 'width' bytes, but for holes, of which there is a flag for
    each element."""
    n = len(holes)
    fields = Fields(stored, "context coding")
    frame = fields.bytes(fields.number("I"))
    # Tiles are fewer than elements.
    model = read_model(zstd.decompress_up_to(frame, n + 8192), n, width)
    layout = Layout(n, model.row, model.plane_rows)
    decoder = Decoder(model, layout, read_lanes(fields))
    modulus = 1 << 8 * width
    return [(model.base + v) % modulus
            for v, hole in zip(decoder.decode(holes), holes) if not hole]
