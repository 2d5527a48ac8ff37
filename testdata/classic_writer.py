"""Writes netCDF classic files (CDF-1, CDF-2, CDF-5), right or wrong ones.

A ClassicWriter serialises explicit lists of dimensions, attributes and
variables. Each number of the header has a key, such as "numrecs",
"dims.tag", "dim0.length", "att1.nelems", "var2.att0.type" or "var0.begin",
and `override` maps keys to what is written instead: an integer, or a function
that is given the true begins of all variables.
"""

import math
import struct
import zlib
from dataclasses import dataclass, field

BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE = range(1, 7)
UBYTE, USHORT, UINT, INT64, UINT64 = range(7, 12)
CDF1_TYPES = range(BYTE, DOUBLE + 1)
CDF5_TYPES = range(BYTE, UINT64 + 1)
NAMES = dict(zip(CDF5_TYPES, "byte char short int float double "
                 "ubyte ushort uint int64 uint64".split()))
CODES = dict(zip(CDF5_TYPES, "bshifdBHIqQ"))
CODES[CHAR] = "c"
FILLS = dict(zip(CDF5_TYPES, (
    -127, b"\0", -32767, -2147483647, 9.969209968386869e36,
    9.969209968386869e36, 255, 65535, 4294967295, -9223372036854775806,
    18446744073709551614)))

DIMENSION, VARIABLE, ATTRIBUTE = 10, 11, 12

TEXT = b"wind north-west 5 m/s, air 12.4 degC, sea slight, visibility good; "
CENTRE = {BYTE: 0, SHORT: 0, INT: 1000000, UBYTE: 128, USHORT: 40000,
          UINT: 3000000000, INT64: 1600000000000, UINT64: 3 << 62}


class Splitmix:
    """The splitmix64 generator."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    def unit(self):
        return (self.next() >> 11) / (1 << 53)

    def bytes(self, n):
        words = [self.next().to_bytes(8, "big") for _ in range(n // 8 + 1)]
        return b"".join(words)[:n]


def garbage(n, seed=1):
    """n bytes without a pattern, none of them zero."""
    return Splitmix(seed).bytes(n).replace(b"\0", b"\x5a")


def wave(x):
    """A curve like a sine, period 1; the same bits on every machine."""
    x -= x // 1
    return 16 * x * (0.5 - x) if x < 0.5 else 16 * (x - 0.5) * (x - 1)


def sample(nctype, n, seed):
    """n values that look like measurements, counters or text."""
    if nctype == CHAR:
        start = seed % len(TEXT)
        return (TEXT[start:] + TEXT * (n // len(TEXT) + 1))[:n]
    rng = Splitmix(seed)
    phase = rng.unit()
    if nctype in (FLOAT, DOUBLE):
        return [281.5 + 12 * wave(i / 41 + phase) + rng.unit() / 20
                for i in range(n)]
    size = struct.calcsize(CODES[nctype])
    swing = {1: 90, 2: 12000}.get(size, 20000)
    step = 60 if size >= 4 else 0
    return [CENTRE[nctype] + i * step + int(swing * wave(i / 37 + phase))
            + rng.next() % 3 for i in range(n)]


def encode(nctype, values):
    """The external bytes of values; bytes are taken as they are."""
    if isinstance(values, str):
        return values.encode()
    if isinstance(values, bytes):
        return values
    return struct.pack(f">{len(values)}{CODES[nctype]}", *values)


def round4(n):
    return (n + 3) // 4 * 4


@dataclass
class Var:
    """A variable; its values are made up unless they are given."""

    name: str
    nctype: int
    dims: object = ""           # names separated by blanks, or a list of ids
    values: object = None       # all records joined
    atts: tuple = ()            # (name, type, values)
    gap: bytes = b""            # bytes before it
    pad: bytes = None           # three bytes for its padding


@dataclass
class ClassicWriter:
    """Writes a classic file, right or wrong."""

    version: int = 1
    dims: tuple = ()            # (name, length), 0 is the unlimited one
    atts: tuple = ()
    variables: tuple = ()
    records: int = 0            # as many are stored
    order: str = None           # the names of the variables in file order
    name_pad: bytes = b"\0"     # a byte
    header_gap: bytes = b""
    record_gap: bytes = b""
    tail: bytes = b""
    override: dict = field(default_factory=dict)

    # --- the shape of a variable

    def dimids(self, var):
        if not isinstance(var.dims, str):
            return var.dims
        names = [name for name, _ in self.dims]
        return [names.index(name) for name in var.dims.split()]

    def lengths(self, var):
        return [self.dims[dimid][1] for dimid in self.dimids(var)]

    def is_record(self, var):
        return self.lengths(var)[:1] == [0]

    def slot(self, var):
        """Bytes of the variable, or of one record of it, unpadded."""
        lengths = self.lengths(var)
        if self.is_record(var):
            lengths = lengths[1:]
        return math.prod(lengths) * struct.calcsize(CODES[var.nctype])

    def record_size(self):
        slots = [self.slot(v) for v in self.variables if self.is_record(v)]
        return slots[0] if len(slots) == 1 else sum(map(round4, slots))

    # --- the header

    def _number(self, key, width, value):
        value = self.override.get(key, value)
        if callable(value):
            value = value(self.begins)
        self.out += (value % (1 << 8 * width)).to_bytes(width, "big")

    def _count(self, key, value):
        self._number(key, 8 if self.version == 5 else 4, value)

    def _padded(self, data):
        self.out += data + self.name_pad * (-len(data) % 4)

    def _name(self, key, name):
        name = encode(CHAR, name)
        self._count(key + ".name_length", len(name))
        self._padded(name)

    def _list(self, key, tag, items):
        self._number(key + ".tag", 4, tag if items else 0)
        self._count(key + ".count", len(items))
        return enumerate(items)

    def _attributes(self, prefix, atts):
        for i, (name, nctype, values) in self._list(
                prefix + "atts", ATTRIBUTE, atts):
            key = f"{prefix}att{i}"
            data = encode(nctype, values)
            nelems = len(data) // struct.calcsize(CODES[nctype])
            self._name(key, name)
            self._number(key + ".type", 4, nctype)
            self._count(key + ".nelems", nelems)
            self._padded(data)

    def _variable(self, key, var, begin):
        ids = self.dimids(var)
        vsize = round4(self.slot(var))
        if self.version != 5 and vsize > 2**32 - 4:
            vsize = 2**32 - 1
        self._name(key, var.name)
        self._count(key + ".rank", len(ids))
        for i, dimid in enumerate(ids):
            self._count(f"{key}.dimid{i}", dimid)
        self._attributes(key + ".", var.atts)
        self._number(key + ".type", 4, var.nctype)
        self._count(key + ".vsize", vsize)
        self._number(key + ".begin", 4 if self.version == 1 else 8, begin)

    def header(self, begins):
        self.out, self.begins = bytearray(b"CDF"), begins
        self._number("version", 1, self.version)
        self._count("numrecs", self.records)
        for i, (name, length) in self._list("dims", DIMENSION, self.dims):
            self._name(f"dim{i}", name)
            self._count(f"dim{i}.length", length)
        self._attributes("", self.atts)
        for i, var in self._list("vars", VARIABLE, self.variables):
            self._variable(f"var{i}", var, begins[i])
        return bytes(self.out)

    # --- the data

    def layout(self):
        """Where each variable begins, and (offset, bytes) of the gaps."""
        order = list(range(len(self.variables)))
        if self.order:
            names = [var.name for var in self.variables]
            order = [names.index(name) for name in self.order.split()]
        else:
            order.sort(key=lambda i: self.is_record(self.variables[i]))
        begins = [0] * len(order)
        pos = len(self.header(begins))
        gaps = [(pos, self.header_gap)]
        pos += len(self.header_gap)
        slots, first = 0, None
        for i in order:
            var = self.variables[i]
            if not self.is_record(var):
                gaps.append((pos, var.gap))
                begins[i] = pos + len(var.gap)
                pos = begins[i] + round4(self.slot(var))
                continue
            if first is None:
                gaps.append((pos, self.record_gap))
                first = pos + len(self.record_gap)
                pos = first + self.records * self.record_size()
            begins[i] = first + slots + len(var.gap)
            slots = begins[i] + round4(self.slot(var)) - first
        return begins, gaps

    def _pieces(self, var, begin):
        """(offset, bytes) of the variable's slots, padding included."""
        slot = self.slot(var)
        count, step = 1, round4(slot)
        if self.is_record(var):
            count, step = self.records, self.record_size()
        values = var.values
        if values is None:
            n = slot * count // struct.calcsize(CODES[var.nctype])
            seed = zlib.crc32(encode(CHAR, var.name))
            values = sample(var.nctype, n, seed)
        data = encode(var.nctype, values)
        pad = var.pad or encode(var.nctype, [FILLS[var.nctype]]) * 3
        pad = pad[:min(round4(slot), step) - slot]
        for i in range(count):
            yield begin + i * step, data[i * slot:(i + 1) * slot] + pad

    def head(self):
        """The header alone, of a file whose data follow it."""
        return self.header(self.layout()[0])

    def build(self):
        """The bytes of the file."""
        begins, pieces = self.layout()
        for var, begin in zip(self.variables, begins):
            pieces.extend(self._pieces(var, begin))
        image = bytearray(self.header(begins))
        for offset, data in pieces:
            image.extend(bytes(max(0, offset + len(data) - len(image))))
            image[offset:offset + len(data)] = data
        return bytes(image) + self.tail
