# SPDX-License-Identifier: MIT
"""The plan: which bytes of the original are in which block (section 5)."""

from bisect import bisect_right
from dataclasses import dataclass
from math import prod
from operator import attrgetter

from fields import Fields, must, supported

INF, END = 2**64 - 1, 2**63 - 1
NO_VARIABLE = 2**32 - 1


@dataclass
class Member:
    """A run of bytes of the original, or one in each record (5.1)."""

    stream: object
    variable: int
    begin: int
    length: int
    before: int     # sum of the lengths of the stream's earlier members

    def end(self):
        return self.begin + self.length

    def end_before(self):
        return self.before + self.length


def strip(place, end, rest, step):
    """Where bytes are in a block that has bytes up to end for them: their
    place; how many there are, at most rest; how far behind them those of the
    next record are; of how many records there are as many."""
    length = min(rest, end - place)
    return place, length, step, (end - place - length) // step + 1


class Stream:
    """A linear stream; what all streams have in common (5.1 to 5.3)."""

    def __init__(self, plan, number, is_record, width):
        self.plan, self.number = plan, number
        self.is_record, self.width = is_record, width
        self.members = []
        self.whole_span = 0     # F of 5.3

    def read_cut(self, fields, rank):
        must(rank == 0, "rank of a linear stream")
        self.block_length, self.panel, count = fields.numbers("III")
        must(1 <= self.block_length <= 1 << 26, "block length")
        if self.is_record:
            must(1 <= self.panel <= 1 << 31, "panel length")
        else:
            must(self.panel == 0, "panel length of a fixed stream")
        must(count >= 1, "a stream without members")
        return count

    def check(self):
        self.whole_span = sum(m.length for m in self.members)
        if self.is_record:
            self.whole_span *= self.panel
            must(self.whole_span < 1 << 64, "panel too long")
            must(len(self.members) == 1 or self.panel == 1
                 or self.whole_span <= self.block_length,
                 "a panel of several members is more than a block")

    def reach(self):
        return 1 << 25

    def bytes_of(self, member, size):
        """Bytes of a member, in all its records (5.3)."""
        there = max(size - member.begin, 0)
        if not self.is_record:
            return min(member.length, there)
        records = self.plan.number_of_records
        k = min(there // self.plan.record_length, records)
        length = k * member.length
        if k < records:
            length += min(there % self.plan.record_length, member.length)
        return length

    def length(self, size):
        return sum(self.bytes_of(member, size) for member in self.members)

    def blocks(self, size):
        f, b = self.whole_span, self.block_length
        length = self.length(size)
        return length // f * -(-f // b) + -(-(length % f) // b)

    def length_of_block(self, block, size):
        f, b = self.whole_span, self.block_length
        span, place = divmod(block, -(-f // b))
        return min(b, min(f, self.length(size) - span * f) - place * b)

    def locate(self, member, record, inside):
        """The block of a byte, and a function from the length of the block,
        which may be cut, to the strip of the bytes from that one on which are
        together both there and in the original: none if it is cut off (13.1).

        The byte is inside a member, in a record if the stream has records.
        """
        f, b, rest = self.whole_span, self.block_length, member.length - inside
        span, row = divmod(record, self.panel or 1)
        step = member.length if self.panel > 1 else INF
        if len(self.members) > 1 and self.panel > 1:
            record_bytes = f // self.panel

            def piece(block_length):
                whole, cut = divmod(block_length, record_bytes)
                place = (whole * member.before + min(cut, member.before)
                         + row * member.length + inside)
                end = whole * member.end_before() + min(cut,
                                                        member.end_before())
                return strip(place, end, rest, step)

            return span, piece
        block, place = divmod(member.before + row * member.length + inside, b)
        return span * -(-f // b) + block, \
            lambda block_length: strip(place, block_length, rest, step)


class TiledStream(Stream):
    """A stream whose blocks are boxes of a variable (5.4)."""

    def read_cut(self, fields, rank):
        must(1 <= rank <= 32, "rank of a chunked stream")
        self.dims, self.chunks = [], []
        for k in range(rank):
            dim, chunk = fields.numbers("QI")
            is_records = self.is_record and k == 0
            must(chunk >= 1, "chunk length")
            if is_records:
                must(dim == 0, "length of the dimension of records")
            else:
                must(chunk <= dim, "chunk length")
            self.dims.append(dim)
            self.chunks.append(chunk)
        self.block_length = self.width
        for chunk in self.chunks:
            self.block_length *= chunk
        must(self.block_length <= 1 << 26, "chunk too long")
        return 1

    def check(self):
        product = self.width
        for dim in self.dims[self.is_record:]:
            product *= dim
        must(product == self.members[0].length, "length of a chunked member")
        if self.is_record:
            self.dims[0] = self.plan.number_of_records
        # inner(k) and grid(k) of 5.4
        self.behind = [1] * len(self.dims)
        for k in range(len(self.dims) - 1, 0, -1):
            self.behind[k - 1] = self.behind[k] * self.dims[k]
        self.grid = [-(-d // c) for d, c in zip(self.dims, self.chunks)]
        self.whole_span = self.chunks[0] * self.behind[0] * self.width
        must(self.whole_span < 1 << 64, "band too long")

    def reach(self):
        if self.is_record:
            return min(self.chunks[0] * self.plan.record_length, END)
        return self.whole_span

    def indices(self, element):
        """The indices of an element, from its number."""
        indices = []
        for behind in self.behind:
            index, element = divmod(element, behind)
            indices.append(index)
        return indices

    def box(self, chunk):
        """First indices and lengths of a chunk."""
        place = []
        for count in reversed(self.grid[1:]):
            chunk, t = divmod(chunk, count)
            place.append(t)
        place.append(chunk)
        first = [t * c for t, c in zip(reversed(place), self.chunks)]
        return first, [min(d - a, c) for d, a, c
                       in zip(self.dims, first, self.chunks)]

    def blocks(self, size):
        """Chunks whose first byte is there, by halving: they ascend."""
        length = self.length(size)
        low, high = 0, 1
        for count in self.grid[1:]:
            high *= count
        high *= min(self.grid[0], length // self.whole_span + 1)
        while low < high:
            middle = (low + high) // 2
            element = sum(a * d for a, d
                          in zip(self.box(middle)[0], self.behind))
            if element * self.width < length:
                low = middle + 1
            else:
                high = middle
        return low

    def length_of_block(self, block, size):
        length = self.length(size)
        x = self.indices(length // self.width)
        first, box = self.box(block)
        if box[0] <= 0:
            return 0  # there is no such chunk
        elements, volume = 0, 1
        for h in box:
            volume *= h
        for xk, a, h in zip(x, first, box):
            volume //= h
            elements += min(max(xk - a, 0), h) * volume
            if not a <= xk < a + h:
                return self.width * elements
        return self.width * elements + length % self.width

    def locate(self, member, record, inside):
        offset = inside
        if self.is_record:
            offset += record * member.length
        element, byte = divmod(offset, self.width)
        x = self.indices(element)
        chunk, first, box = 0, [], []
        for xk, d, c, count in zip(x, self.dims, self.chunks, self.grid):
            t = xk // c
            chunk = chunk * count + t
            first.append(t * c)
            box.append(min(d - t * c, c))
        place = 0
        for xk, a, h in zip(x, first, box):
            place = place * h + xk - a
        place = place * self.width + byte
        rest = min((first[-1] + box[-1] - x[-1]) * self.width - byte,
                   member.length - inside)
        step = prod(box[1:]) * self.width if self.is_record else INF
        return chunk, \
            lambda block_length: strip(place, block_length, rest, step)


class Plan:
    """The contents of the plan section (5.1)."""

    def __init__(self, contents):
        self.contents = contents
        fields = Fields(contents, "plan")
        (self.header_length, self.record_begin, self.record_length,
         self.number_of_records, count) = fields.numbers("QQQQI")
        must(self.header_length <= 1 << 26, "header length")
        must(len(contents) <= 1 << 26, "length of the plan")
        must(self.record_begin + self.record_length <= END,
             "record section too far behind")
        must(self.number_of_records > 0 if self.record_length
             else self.number_of_records == self.record_begin == 0,
             "a record section without records, or the reverse")
        self.streams, self.expected = [], (0, 0)
        for number in range(count):
            self.streams.append(self.read_stream(fields, number))
        fields.end()
        self.check_grid()
        for stream in self.streams:
            stream.check()

    def read_stream(self, fields, number):
        kind, layout, width, rank = fields.numbers("BBBB")
        must(kind <= 1, f"kind of stream {number}")
        supported(layout <= 1, f"layout {layout}")
        must(width in (1, 2, 4, 8), f"element width of stream {number}")
        make = TiledStream if layout else Stream
        stream = make(self, number, kind == 1, width)
        before = 0
        for _ in range(stream.read_cut(fields, rank)):
            variable, begin, length = fields.numbers("IQQ")
            variable = (self.expected[0] + variable) % 2**32
            begin = (self.expected[1] + begin) % 2**64
            self.expected = variable + 1, begin + length
            must(length >= 1, "an empty member")
            must(not stream.members or begin > stream.members[-1].begin,
                 "members do not ascend")
            stream.members.append(
                Member(stream, variable, begin, length, before))
            before += length
        return stream

    def record_end(self):
        """The end of the record section."""
        return min(self.record_begin
                   + self.record_length * self.number_of_records, END)

    def check_grid(self):
        members = [m for s in self.streams for m in s.members]
        members.sort(key=attrgetter("begin"))
        self.fixed = [m for m in members if not m.stream.is_record]
        self.in_record = [m for m in members if m.stream.is_record]

        pieces = [(m.begin, m.end()) for m in self.fixed]
        if self.record_length:
            pieces.append((self.record_begin, self.record_end()))
            must_chunk([(m.begin, m.end()) for m in self.in_record],
                      self.record_begin,
                      self.record_begin + self.record_length)
        else:
            must(not self.in_record, "record streams without records")
        must_chunk(sorted(pieces), 0, END)

        self.fixed_begins = [m.begin for m in self.fixed]
        self.in_record_begins = [m.begin for m in self.in_record]

    def memory(self):
        """M of 5.5."""
        reach = max(stream.reach() for stream in self.streams)
        return 4 * (max(reach, 1 << 25)
                    + max(stream.block_length for stream in self.streams))

    def locate(self, offset):
        """Where a byte of the original is: stream, block, and a function as
        that of Stream.locate()."""
        record = 0
        if (self.record_length
                and self.record_begin <= offset < self.record_end()):
            record, inside = divmod(offset - self.record_begin,
                                    self.record_length)
            inside += self.record_begin
            member = self.in_record[
                bisect_right(self.in_record_begins, inside) - 1]
        else:
            inside = offset
            member = self.fixed[bisect_right(self.fixed_begins, inside) - 1]
        return member.stream, *member.stream.locate(
            member, record, inside - member.begin)


def must_chunk(pieces, begin, end):
    """Pieces, sorted by their begin, follow each other from begin to end."""
    for piece_begin, piece_end in pieces:
        must(piece_begin == begin, "members do not cover the original")
        begin = piece_end
    must(begin == end, "members do not cover the original")
