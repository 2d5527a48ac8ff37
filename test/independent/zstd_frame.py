# SPDX-License-Identifier: MIT
"""One zstd frame, decoded from RFC 8878 alone; numbers in parentheses are its
sections.  Slow, and needs no library: for the day when there is none."""

from fields import must

# Baselines and numbers of extra bits (3.1.1.3.2.1.1).
LITERAL_CODES = [(n, 0) for n in range(16)] + list(zip(
    (16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096,
     8192, 16384, 32768, 65536),
    (1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
MATCH_CODES = [(n + 3, 0) for n in range(32)] + list(zip(
    (35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051,
     4099, 8195, 16387, 32771, 65539),
    (1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
OFFSET_CODES = [(1 << n, n) for n in range(32)]

# Default distributions (3.1.1.3.2.2): accuracy, weights.
DEFAULTS = (
    (6, [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2,
         2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1]),
    (5, [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
         1, -1, -1, -1, -1, -1]),
    (6, [1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
         -1, -1, -1, -1, -1, -1, -1]))
CODES = (LITERAL_CODES, OFFSET_CODES, MATCH_CODES)
ACCURACY_MOST = (9, 8, 9)
BLOCK_MOST = 1 << 17


class Backwards:
    """Bits that are read from the end (4.1)."""

    def __init__(self, data):
        must(data and data[-1], "a zstd bitstream without an end")
        self.value = int.from_bytes(data, "little")
        self.left = self.value.bit_length() - 1

    def read(self, count):
        """The next bits; zeros where there are none left."""
        self.left -= count
        if self.left >= 0:
            return self.value >> self.left & ((1 << count) - 1)
        return self.value << -self.left & ((1 << count) - 1)

    def end(self):
        must(self.left == 0, "a zstd bitstream that is not used up")


def read_weights(data, most):
    """Weights of an FSE table, and how many bytes these took (4.1.1)."""
    value, at = int.from_bytes(data[:128], "little"), 4
    accuracy = (value & 15) + 5
    must(accuracy <= most, "a zstd table that is too accurate")
    remaining, weights = 1 << accuracy, []
    while remaining > 0:
        nbits = (remaining + 1).bit_length()
        read = value >> at & ((1 << nbits) - 1)
        below = (1 << nbits) - 1 - (remaining + 1)
        half = (1 << nbits - 1) - 1
        if read & half < below:
            read &= half
            at += nbits - 1
        else:
            read -= below if read > half else 0
            at += nbits
        weights.append(read - 1)
        remaining -= abs(read - 1)
        must(len(weights) <= 256, "a zstd table of too many symbols")
        while read == 1:  # a weight of 0: two bits say how many more
            more = value >> at & 3
            at += 2
            weights += [0] * more
            if more < 3:
                break
    nbytes = (at + 7) // 8
    must(remaining == 0 and nbytes <= len(data), "a damaged zstd table")
    return accuracy, weights, nbytes


def fse_table(accuracy, weights):
    """For each state: symbol, bits to read, what to add (4.1.1)."""
    size = 1 << accuracy
    symbols, high = [0] * size, size - 1
    for symbol, weight in enumerate(weights):
        if weight == -1:
            symbols[high] = symbol
            high -= 1
    at = 0
    for symbol, weight in enumerate(weights):
        for _ in range(weight):
            symbols[at] = symbol
            at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1)
            while at > high:
                at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1)
    nexts = [abs(weight) for weight in weights]
    table = []
    for symbol in symbols:
        state = nexts[symbol]
        nexts[symbol] += 1
        nbits = accuracy - state.bit_length() + 1
        table.append((symbol, nbits, (state << nbits) - size))
    return accuracy, table


def huffman_weights(data):
    """Weights that FSE has compressed, by two states in turn (4.2.1.2)."""
    accuracy, weights, at = read_weights(data, 6)
    _, table = fse_table(accuracy, weights)
    bits, found = Backwards(data[at:]), []
    states = [bits.read(accuracy), bits.read(accuracy)]
    while True:
        symbol, nbits, base = table[states[0]]
        found.append(symbol)
        must(len(found) < 255, "too many zstd weights")
        if bits.left < nbits:
            found.append(table[states[1]][0])
            return found
        states = [states[1], base + bits.read(nbits)]


def read_huffman(data):
    """A table by the next bits, how many these are, bytes taken (4.2.1)."""
    must(data, "no zstd tree")
    if data[0] < 128:
        nbytes = data[0] + 1
        weights = huffman_weights(data[1:nbytes])
    else:
        count = data[0] - 127
        nbytes = 1 + (count + 1) // 2
        weights = [half for byte in data[1:nbytes]
                   for half in (byte >> 4, byte & 15)][:count]
    must(nbytes <= len(data), "a zstd tree that is cut off")
    total = sum(1 << weight >> 1 for weight in weights)
    must(0 < total < 1 << 11, "a damaged zstd tree")
    most = total.bit_length()
    rest = (1 << most) - total
    must(rest & (rest - 1) == 0, "a damaged zstd tree")
    weights.append(rest.bit_length())
    must(1 in weights, "a zstd tree without its longest codes")
    table = []
    for weight in range(1, most + 1):
        for symbol, each in enumerate(weights):
            if each == weight:
                table += [(symbol, most + 1 - weight)] * (1 << weight - 1)
    must(len(table) == 1 << most, "a damaged zstd tree")
    return (most, table), nbytes


def huffman_stream(data, tree, length):
    """Literals of one stream (4.2.2)."""
    most, table = tree
    bits, out = Backwards(data), bytearray()
    value, left, mask = bits.value, bits.left, (1 << most) - 1
    for _ in range(length):
        at = value >> left - most if left >= most else value << most - left
        symbol, nbits = table[at & mask]
        out.append(symbol)
        left -= nbits
        must(left >= 0, "zstd literals that are cut off")
    must(left == 0, "a zstd bitstream that is not used up")
    return out


class Frame:
    """A frame as it is decoded."""

    def __init__(self, length):
        self.length, self.out = length, bytearray()
        self.tree, self.tables = None, [None] * 3
        self.repeats = [1, 4, 8]

    def literals(self, data):
        """Literals of a block, and how many bytes they took (3.1.1.3.1)."""
        kind, form = data[0] & 3, data[0] >> 2 & 3
        if kind < 2:
            nbytes, shift = ((1, 3), (2, 4), (1, 3), (3, 4))[form]
            size = int.from_bytes(data[:nbytes], "little") >> shift
            must(size <= BLOCK_MOST, "too many zstd literals")
            taken = nbytes + (size if kind == 0 else 1)
            must(taken <= len(data), "zstd literals that are cut off")
            return (data[nbytes:taken] if kind == 0 else
                    data[nbytes:taken] * size), taken
        nbits = (10, 10, 14, 18)[form]
        nbytes = (4 + 2 * nbits + 7) // 8
        head = int.from_bytes(data[:nbytes], "little") >> 4
        size = head & ((1 << nbits) - 1)
        taken = nbytes + (head >> nbits & ((1 << nbits) - 1))
        must(taken <= len(data) and size <= BLOCK_MOST,
             "zstd literals that are cut off")
        data = data[nbytes:taken]
        if kind == 2:
            self.tree, used = read_huffman(data)
            data = data[used:]
        must(self.tree, "no zstd tree")
        return self.streams(data, size, form), taken

    def streams(self, data, size, form):
        """One stream, or four after a table of where they end."""
        if form == 0:
            return huffman_stream(data, self.tree, size)
        out, begin, each = bytearray(), 6, (size + 3) // 4
        for i in range(4):
            end = begin + int.from_bytes(data[2 * i:2 * i + 2], "little") \
                if i < 3 else len(data)
            must(end <= len(data) and size >= 3 * each,
                 "zstd literals that are cut off")
            out += huffman_stream(data[begin:end], self.tree,
                                  each if i < 3 else size - 3 * each)
            begin = end
        return out

    def read_table(self, kind, mode, data):
        """A table of sequences, and how many bytes it took (3.1.1.3.2)."""
        nbytes = 0
        if mode == 0:
            self.tables[kind] = fse_table(*DEFAULTS[kind])
        elif mode == 1:
            must(data, "no zstd table")
            self.tables[kind] = 0, [(data[0], 0, 0)]
            nbytes = 1
        elif mode == 2:
            accuracy, weights, nbytes = read_weights(data,
                                                     ACCURACY_MOST[kind])
            self.tables[kind] = fse_table(accuracy, weights)
        must(self.tables[kind], "no zstd table")
        must(max(row[0] for row in self.tables[kind][1]) < len(CODES[kind]),
             "an unknown zstd code")
        return nbytes

    def offset(self, value, literal_length):
        """How far back; the last three are remembered (3.1.1.5)."""
        if value > 3:
            self.repeats = [value - 3, *self.repeats[:2]]
            return value - 3
        index = value - 1 + (literal_length == 0)
        far = self.repeats[index] if index < 3 else self.repeats[0] - 1
        must(far > 0, "a zstd offset of 0")
        if index:
            self.repeats.insert(0, far)
            del self.repeats[min(index, 2) + 1]
        return far

    def copy(self, far, count):
        out = self.out
        must(far <= len(out) and len(out) + count <= self.length,
             "a zstd match that leads elsewhere")
        piece = out[len(out) - far:len(out) - far + count]
        if far < count:
            piece = (piece * (count // far + 1))[:count]
        out += piece

    def sequences(self, data, literals):
        """Executes what is in a block (3.1.1.3.2, 3.1.1.4)."""
        must(data, "a zstd block that is cut off")
        count, at = data[0], 1
        if count >= 128:
            nbytes = 2 if count < 255 else 3
            must(len(data) >= nbytes, "a zstd block that is cut off")
            count = (count - 128 << 8) + data[1] if nbytes == 2 else \
                data[1] + (data[2] << 8) + 0x7F00
            at = nbytes
        begin = 0
        if count:
            must(len(data) > at, "a zstd block that is cut off")
            modes, at = data[at], at + 1
            for kind in range(3):
                at += self.read_table(kind, modes >> 6 - 2 * kind & 3,
                                      data[at:])
            begin = self.execute(Backwards(data[at:]), count, literals)
        else:
            must(at == len(data), "a zstd block with more than it says")
        self.out += literals[begin:]

    def execute(self, bits, count, literals):
        """All sequences; how many literals they took."""
        tables, begin = self.tables, 0
        states = [bits.read(accuracy) for accuracy, _ in tables]
        for i in range(count):
            rows = [tables[k][1][states[k]] for k in range(3)]
            (lit, lit_bits), (off, off_bits), (match, match_bits) = [
                CODES[k][rows[k][0]] for k in range(3)]
            value = off + bits.read(off_bits)
            match += bits.read(match_bits)
            lit += bits.read(lit_bits)
            if i + 1 < count:
                for k in (0, 2, 1):
                    states[k] = rows[k][2] + bits.read(rows[k][1])
            must(begin + lit <= len(literals), "too few zstd literals")
            self.out += literals[begin:begin + lit]
            begin += lit
            self.copy(self.offset(value, lit), match)
        bits.end()
        return begin

    def block(self, kind, data, size):
        """A block (3.1.1.2)."""
        if kind == 2:
            literals, taken = self.literals(data)
            self.sequences(data[taken:], literals)
        else:
            self.out += data if kind == 0 else data * size
        must(len(self.out) <= self.length, "a zstd frame that is too long")


def read_head(stored):
    """Content size, where the blocks begin, bytes of the checksum (3.1.1.1)."""
    must(len(stored) > 5, "a zstd frame that is cut off")
    flags = stored[4]
    must(flags & 0x0B == 0, "a zstd frame with a dictionary")
    is_single = flags >> 5 & 1
    must(is_single or stored[5] <= 27 - 10 << 3,
         "a zstd frame with a window of more than 2^27 bytes")
    begin = 5 + (not is_single)
    nbytes = (is_single, 2, 4, 8)[flags >> 6]
    must(nbytes and len(stored) >= begin + nbytes,
         "a zstd frame that does not say its length")
    size = int.from_bytes(stored[begin:begin + nbytes], "little")
    return size + (256 if nbytes == 2 else 0), begin + nbytes, flags & 4


def decompress(stored, length):
    """Exactly one frame that gives exactly length bytes."""
    size, at, nsum = read_head(stored)
    must(size == length, "a zstd frame that states another length")
    frame, is_last = Frame(length), 0
    while not is_last:
        head = int.from_bytes(stored[at:at + 3], "little")
        is_last, kind, size = head & 1, head >> 1 & 3, head >> 3
        must(kind < 3 and size <= BLOCK_MOST, "an unknown zstd block")
        end = at + 3 + (1 if kind == 1 else size)
        must(end <= len(stored) and (size or kind < 2),
             "a zstd frame that is cut off")
        frame.block(kind, stored[at + 3:end], size)
        at = end
    # The checksum of the frame is left to that of the block of the archive.
    must(at + nsum == len(stored), "not exactly one zstd frame")
    must(len(frame.out) == length, "a zstd frame of another length")
    return bytes(frame.out)
