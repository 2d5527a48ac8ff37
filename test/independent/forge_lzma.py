# SPDX-License-Identifier: MIT
"""Makes LZMA2 streams (7.6) by hand, of chunks of any kind, right or wrong.

Chunks follow each other as a caller wants: with or without resets, of other
properties each, stored between others. So what section 7.6 says of state,
positions and dictionary is tried on the library's decoder, whose own encoder
makes few kinds.
"""

import lzma2

TOP, HALF = 1 << 24, 1024
LITERALS_LATE = 7       # states from here on follow a match


class RangeCoder:
    """Bits, each by the adaptive probability of its context, as bytes."""

    def __init__(self, contexts):
        self.contexts = contexts
        self.low, self.range = 0, 2**32 - 1
        self.made = bytearray(1)

    def bit(self, context, bit):
        zero = self.contexts.get(context, HALF)
        bound = (self.range >> 11) * zero
        if bit:
            self.low += bound
            self.range -= bound
            self.contexts[context] = zero - (zero >> 5)
        else:
            self.range = bound
            self.contexts[context] = zero + (2048 - zero >> 5)
        self.normalize()

    def direct(self, value, count):
        for k in reversed(range(count)):
            self.range >>= 1
            self.low += self.range * (value >> k & 1)
            self.normalize()

    def normalize(self):
        while self.range < TOP:
            self.range <<= 8
            self.shift()

    def shift(self):
        """Writes the highest byte; a carry goes into those before it."""
        place = len(self.made) - 1
        carry = self.low >> 32
        while carry:
            carry, self.made[place] = divmod(self.made[place] + carry, 256)
            place -= 1
        self.made.append(self.low >> 24 & 255)
        self.low = self.low << 8 & 0xFFFFFFFF

    def tree(self, name, value, count):
        node = 1
        for k in reversed(range(count)):
            self.bit((name, node), value >> k & 1)
            node = node << 1 | value >> k & 1

    def tree_reversed(self, name, value, count):
        node = 1
        for k in range(count):
            self.bit((name, node), value >> k & 1)
            node = node << 1 | value >> k & 1

    def finish(self):
        for _ in range(4):
            self.shift()
        carry = self.low >> 32
        assert not carry
        return bytes(self.made)


class Forged:
    """A stream to be; data is what a decoder has at that point."""

    def __init__(self):
        self.stream, self.data = b"", b""
        self.begin = 0      # of the dictionary in the data
        self.properties = 3, 0, 2
        self.reset()

    def reset(self):
        self.contexts, self.state, self.distances = {}, 0, [0] * 4

    def store(self, data, control=1):
        """A chunk of bytes as they are."""
        if control == 1:
            self.begin = len(self.data)
        self.stream += lzma2.store(data, control)
        self.data += data

    def chunk(self, control, data, properties=None, change=None):
        """A chunk of LZMA; change: what does more with the coder then."""
        if control >= 0xE0:
            self.begin = len(self.data)
        if control >= 0xC0:
            self.properties = properties or self.properties
        if control >= 0xA0:
            self.reset()
        before = len(self.data)
        self.coder = RangeCoder(self.contexts)
        end = before + len(data)
        while len(self.data) < end:
            self.symbol(data[len(self.data) - before:])
        if change:
            change(self)
        self.head(control, len(self.data) - before, self.coder.finish())

    def head(self, control, length, stored):
        """A chunk of so many bytes by bytes of LZMA."""
        lc, lp, pb = self.properties
        length -= 1
        self.stream += bytes([control | length >> 16])
        self.stream += (length & 65535).to_bytes(2, "big")
        self.stream += (len(stored) - 1).to_bytes(2, "big")
        if control >= 0xC0:
            self.stream += bytes([(pb * 5 + lp) * 9 + lc])
        self.stream += stored

    def symbol(self, wanted):
        """The next literal or match."""
        here = self.data[self.begin:]
        for length in (17, 9, 3, 2):
            if len(wanted) >= length:
                place = (here + wanted[:length - 1]).rfind(wanted[:length])
                if 0 <= place < len(here):
                    self.match(len(here) - place - 1, length)
                    return
        self.literal(wanted[0])

    def place(self):
        """The position that contexts know, and its lowest bits."""
        position = len(self.data) - self.begin
        return position, position & (1 << self.properties[2]) - 1

    def literal(self, byte):
        lc, lp, _ = self.properties
        position, low = self.place()
        before = self.data[-1] if position else 0
        name = "literal", position & (1 << lp) - 1, before >> 8 - lc
        self.coder.bit(("match", self.state, low), 0)
        if self.state < LITERALS_LATE:
            self.coder.tree(name, byte, 8)
        else:
            self.literal_after_match(name, byte)
        self.state -= min(self.state, 3) if self.state < 10 else 6
        self.data += bytes([byte])

    def literal_after_match(self, name, byte):
        """By the bits of the byte that the match would go on with, up to the
        first one that is another."""
        other, node = self.data[-1 - self.distances[0]], 1
        same = True
        for k in reversed(range(8)):
            bit = byte >> k & 1
            context = (name, node)
            if same:
                context = (name, "by", other >> k & 1, node)
                same = other >> k & 1 == bit
            self.coder.bit(context, bit)
            node = node << 1 | bit

    def match(self, distance, length):
        """A match; distances count from 0 here, as in the stream."""
        coder, (_, low) = self.coder, self.place()
        coder.bit(("match", self.state, low), 1)
        if distance in self.distances:
            which = self.distances.index(distance)
            self.repeat(which, low)
            self.distances.insert(0, self.distances.pop(which))
            self.length("length of a repeat", length - 2, low)
            self.state = 8 if self.state < LITERALS_LATE else 11
        else:
            coder.bit(("repeat", self.state), 0)
            self.length("length", length - 2, low)
            self.distance(distance, min(length - 2, 3))
            self.distances = [distance] + self.distances[:3]
            self.state = 7 if self.state < LITERALS_LATE else 10
        for _ in range(length):
            self.data += self.data[-1 - distance:][:1] or b"\0"

    def repeat(self, which, low):
        """Which of the last distances it is, but no match of one byte."""
        coder = self.coder
        coder.bit(("repeat", self.state), 1)
        coder.bit(("repeat 0", self.state), which > 0)
        if which == 0:
            coder.bit(("repeat 0, long", self.state, low), 1)
            return
        coder.bit(("repeat 1", self.state), which > 1)
        if which > 1:
            coder.bit(("repeat 2", self.state), which > 2)

    def length(self, name, length, low):
        coder = self.coder
        coder.bit((name, "choice"), length >= 8)
        if length < 8:
            coder.tree((name, "low", low), length, 3)
            return
        coder.bit((name, "choice 2"), length >= 16)
        if length < 16:
            coder.tree((name, "middle", low), length - 8, 3)
        else:
            coder.tree((name, "high"), length - 16, 8)

    def distance(self, distance, length_class):
        slot, count = distance, 0
        if distance >= 4:
            count = distance.bit_length() - 2
            slot = 2 * count + 2 + (distance >> count & 1)
        self.coder.tree(("slot", length_class), slot, 6)
        rest = distance & (1 << count) - 1
        if 4 <= slot < 14:
            self.coder.tree_reversed(("distance", slot), rest, count)
        elif slot >= 14:
            self.coder.direct(rest >> 4, count - 4)
            self.coder.tree_reversed("align", rest & 15, 4)

    def end(self):
        return self.stream + b"\0"


def random_stream(rng, data):
    """A stream that gives the data, of chunks of all kinds."""
    made, kinds = Forged(), [1, 0xE0]
    while len(made.data) < len(data) or not made.stream:
        rest = data[len(made.data):]
        piece = rest[:rng.choice((1, 2, 50, 500))]
        control = rng.choice(kinds)
        if control < 3:
            made.store(piece, control)
        else:
            lc = rng.randrange(5)
            made.chunk(control, piece,
                       (lc, rng.randrange(5 - lc), rng.randrange(5)))
        if control == 1:
            kinds = [1, 2, 0xC0, 0xE0]
        elif control >= 0xC0:
            kinds = [1, 2, 0x80, 0x80, 0xA0, 0xC0, 0xE0]
    return made.end()


class RandomStreams:
    """Streams of chunks that a generator of random numbers chooses."""

    def __init__(self, rng):
        self.rng = rng

    def data(self, length):
        """Bytes; most of them compress well."""
        if self.rng.random() < 0.2:
            return self.rng.randbytes(length)
        return bytes(self.rng.choices(b"\0\1\2\xff", k=length))

    def stream(self, data):
        """A stream that gives the data, of several of liblzma's at times."""
        made, begin = b"", 0
        while begin < len(data) or not made:
            end = begin + self.rng.choice((1, 100, 5000, 1 << 17))
            piece = data[begin:end]
            if self.rng.random() < 0.3:
                piece = piece[:1 << 16]
                keeps = made and self.rng.random() < 0.5
                made += lzma2.store(piece, 2 if keeps else 1)
            elif len(piece) <= 1000 and self.rng.random() < 0.7:
                made += random_stream(self.rng, piece)[:-1]
            else:
                made += lzma2.compress(piece, **self.properties())[:-1]
            begin += len(piece)
        return made + b"\0"

    def properties(self):
        lc = self.rng.randrange(5)
        return {"lc": lc, "lp": self.rng.randrange(5 - lc),
                "pb": self.rng.randrange(5)}

    def mutant(self, stored):
        """A stream that is changed, in heads of chunks most times."""
        rng, data = self.rng, bytearray(stored)
        for _ in range(rng.choice((1, 1, 2, 3))):
            heads = [chunk.begin for chunk in lzma2.chunks(stored)]
            place = rng.choice(heads) + rng.randrange(16)
            if rng.random() < 0.3:
                place = rng.randrange(len(data))
            place = min(place, len(data) - 1)
            data[place] = rng.choice((
                data[place] ^ 1 << rng.randrange(8), rng.randrange(256),
                0, 1, 2, 0x80, 0xA0, 0xC0, 0xE0))
        kind = rng.randrange(12)
        if kind == 0:
            del data[rng.randrange(len(data)):]
        elif kind == 1:
            data += rng.choice((b"\0", b"\1", bytes(5), stored))
        elif kind == 2:
            begin = rng.choice(lzma2.chunks(stored)).begin
            del data[begin:begin + rng.randrange(1, 8)]
        return bytes(data)
