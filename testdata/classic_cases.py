"""The classic test files that break no rule of the layout, nearly all valid.

See README.md for what packed, warned, either and refused mean.
"""

from dataclasses import dataclass

from classic_writer import (
    BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE, UBYTE, USHORT, UINT, INT64,
    CDF1_TYPES, CDF5_TYPES, FILLS, NAMES, TEXT, ClassicWriter, Splitmix, Var,
    garbage, sample, wave)

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
INDETERMINATE = -1              # all bits set


@dataclass
class Case:
    section: str
    name: str
    must: str
    ncdump: str
    what: str
    content: bytes


class Collector:
    """Collects the cases of one section after the other."""

    def __init__(self):
        self.cases = []
        self.section = None

    def add(self, must, ncdump, name, content, what):
        if isinstance(content, ClassicWriter):
            content = content.build()
        self.cases.append(Case(self.section, name + ".nc", must, ncdump, what,
                               content))

    def packed(self, name, content, what, ncdump="prints"):
        self.add("packed", ncdump, name, content, what)

    def warned(self, name, content, what, ncdump="refuses"):
        self.add("warned", ncdump, name, content, what)

    def either(self, name, content, what, ncdump="refuses"):
        self.add("either", ncdump, "odd-" + name, content, what)

    def refused(self, name, content, what, ncdump="refuses"):
        self.add("refused", ncdump, "bad-" + name, content, what)


# --- files that the cases vary

def fixed(version=1, variables=None, override=None, **changes):
    """Three fixed variables of 48, 48 and 24 bytes."""
    variables = variables or [Var("depth", INT, "x"), Var("temp", FLOAT, "x"),
                              Var("flag", SHORT, "x")]
    return ClassicWriter(version, [("x", 12)], variables=variables,
                         override=override or {}, **changes)


def recorded(version=1, variables=None, override=None, records=7, **changes):
    """A fixed variable and two record variables, seven records of 24."""
    variables = variables or [Var("x", FLOAT, "x"),
                              Var("temp", FLOAT, "time x"),
                              Var("count", SHORT, "time")]
    return ClassicWriter(version, [("time", 0), ("x", 5)], records=records,
                         variables=variables, override=override or {},
                         **changes)


def lone(nctype, length, version=1, values=None, override=None, records=9,
         **changes):
    """One record variable, nine records of `length` elements."""
    return ClassicWriter(version, [("time", 0), ("n", length)],
                         variables=[Var("obs", nctype, "time n", values)],
                         override=override or {}, records=records, **changes)


def attributes(version, types, lengths=(1, 2, 3)):
    """Global and variable attributes of each type."""
    atts = [(f"{NAMES[t]}_{n}", t, sample(t, n, 10 * t + n))
            for t in types for n in lengths]
    return ClassicWriter(version, [("x", 3)], atts,
                         [Var("v", FLOAT, "x", atts=atts)])


def odd_sized(pad=None):
    """Fixed variables of 5, 6 and 7 bytes, that all need padding."""
    return ClassicWriter(
        1, [("five", 5), ("three", 3), ("seven", 7)], variables=[
            Var("a", BYTE, "five", pad=pad), Var("b", SHORT, "three", pad=pad),
            Var("c", CHAR, "seven", pad=pad)])


def odd_records(pad=None):
    """Record variables of 1, 2, 3, 5 and 7 bytes per record."""
    sizes = [(f"n{n}", n) for n in (1, 2, 3, 5, 7)]
    types = BYTE, CHAR, CHAR, BYTE, BYTE
    return ClassicWriter(1, [("time", 0)] + sizes, records=9, variables=[
        Var(f"r{n}", t, "time " + name, pad=pad)
        for t, (name, n) in zip(types, sizes)])


def described(version=1, **changes):
    """A dimension, a global attribute, a variable with an attribute."""
    return ClassicWriter(
        version, [("station", 6)], [("title", CHAR, "hourly readings")],
        [Var("pressure", DOUBLE, "station", atts=[("units", CHAR, "hPa")])],
        **changes)


def named(*names):
    """A dimension, a global attribute and a variable for each name."""
    return ClassicWriter(
        1, [(name, i + 1) for i, name in enumerate(names)],
        [(name, CHAR, TEXT[:5 + i]) for i, name in enumerate(names)],
        [Var(name, SHORT, [i]) for i, name in enumerate(names)])


def head(writer, data=b""):
    """The header that belongs to huge variables, and some data."""
    return writer.header(writer.layout()[0]) + data


# --- values that look like those of real files

def smooth_grid(rows, columns, fill, shift=0):
    """A smooth field, rounded to 0.01, with holes like continents."""
    values = []
    for y in range(rows):
        for x in range(columns):
            hole = wave(y / rows + 0.15) + wave(2 * x / columns) > 0.9
            warm = 29 - 3100 * (y / rows - 0.5) ** 2 / 25
            eddy = wave(3 * x / columns + shift) + 2 * wave(y / 17 + x / 41)
            values.append(fill if hole else int(100 * (warm + eddy)) / 100)
    return values


def station_table(rows):
    """Lines of 32 characters."""
    rng = Splitmix(7)
    lines = []
    for i in range(rows):
        lat, lon = 48 + rng.next() % 700 / 100, 6 + rng.next() % 900 / 100
        lines.append(f"ST{i:05d} {lat:6.2f}N {lon:6.2f}E "
                     f"{rng.next() % 900:4d}m ".ljust(32))
    return "".join(lines).encode()


# --- the sections

def complete_files(add):
    """All types, all versions, all kinds of attributes."""
    add.section = "Small and complete"
    for version, size in (1, 32), (2, 32), (5, 48):
        add.packed(f"cdf{version}-minimal", ClassicWriter(version),
                   f"no dimension, attribute or variable; {size} bytes")
    for version in 1, 2, 5:
        types = CDF5_TYPES if version == 5 else CDF1_TYPES
        add.packed(f"cdf{version}-all-types", ClassicWriter(
            version, [("time", 0), ("n", 5)], records=4, variables=[
                Var(f"{kind}_{NAMES[t]}", t, dims) for kind, dims in
                (("fixed", "n"), ("record", "time n")) for t in types]),
            "a fixed and a record variable of each type")
        add.packed(f"cdf{version}-attribute-types",
                   attributes(version, types),
                   "attributes of each type, with 1 to 3 values")
        add.packed(f"cdf{version}-zero-length-attributes",
                   attributes(version, types, lengths=[0]),
                   "attributes of each type, without values")
    add.packed("cdf1-scalar-variables", ClassicWriter(
        1, variables=[Var("s_" + NAMES[t], t) for t in CDF1_TYPES]),
        "a scalar of each type")
    add.packed("cdf1-no-variables", ClassicWriter(
        1, [("x", 3)], [("title", CHAR, "nothing measured yet")]),
        "a dimension and an attribute only")
    add.packed("cdf1-tags-of-empty-lists", ClassicWriter(
        1, override={"dims.tag": 10, "atts.tag": 12, "vars.tag": 11}),
        "empty lists with their tags in place of zeros")
    add.packed("cdf1-unlimited-dimension-unused", ClassicWriter(
        1, [("time", 0), ("x", 6)], variables=[Var("x", FLOAT, "x")]),
        "an unlimited dimension, but fixed variables only")
    add.packed("cdf1-dimension-unused", ClassicWriter(
        1, [("y", 999), ("x", 6)], variables=[Var("x", FLOAT, "x")]),
        "a dimension that no variable has")
    add.packed("cdf1-same-dimension-twice",
               fixed(variables=[Var("covariance", DOUBLE, "x x")]),
               "a matrix with the dimensions (x, x)")
    add.packed("cdf1-rank-40", ClassicWriter(
        1, [(f"d{i}", 3 if i % 13 == 5 else 1) for i in range(40)],
        variables=[Var("deep", SHORT, range(40))]),
        "forty dimensions, most of length one")


def record_padding(add):
    """Records, whose values are padded or are not."""
    add.section = "Records and padding"
    add.packed("cdf1-zero-records", recorded(records=0),
               "record variables, no record")
    add.packed("cdf1-lone-record-variable-zero-records",
               lone(DOUBLE, 3, records=0), "nothing after the header")
    for version in 1, 2, 5:
        add.packed(f"cdf{version}-two-record-variables", recorded(version),
                   "slots padded to a multiple of four bytes")
    for version, t, n in ((1, CHAR, 3), (1, BYTE, 5), (1, SHORT, 3),
                          (2, BYTE, 5), (5, UBYTE, 3), (5, USHORT, 1)):
        name = f"cdf{version}-lone-record-variable-unpadded-{NAMES[t]}{n}"
        writer = lone(t, n, version)
        add.packed(name, writer, "records without padding between them")
        if version == 1:
            writer.tail = bytes(-9 * writer.record_size() % 4)
            add.packed(name + "-final-padding", writer, "padded to a multiple "
                       "of four bytes after the last record only")
    rows = b"".join(b"%3d\0" % (i * i) for i in range(9))
    add.packed("cdf1-lone-record-variable-padded-char3",
               lone(CHAR, 3, values=rows[:27], tail=rows[27:]),
               "padded by mistake: padding is read as values, the last values "
               "are trailing bytes")
    add.packed("cdf1-lone-record-variable-after-fixed", recorded(variables=[
        Var("x", FLOAT, "x"), Var("code", CHAR, "time x")]),
        "a fixed variable, then unpadded records of 5 bytes")
    add.packed("cdf1-record-padding", odd_records(),
               "five record variables of 1, 2, 3, 5 and 7 bytes per record")
    add.packed("cdf1-record-padding-garbage", odd_records(b"\xde\xad\x5a"),
               "the same, padded with other bytes than the fill value")
    add.packed("cdf1-record-final-padding-missing", recorded().build()[:-2],
               "the padding after the very last value is missing")
    add.packed("cdf1-fixed-padding", odd_sized(),
               "fixed variables of 5, 6 and 7 bytes")
    add.packed("cdf1-fixed-padding-garbage", odd_sized(b"\xde\xad\x5a"),
               "the same, padded with other bytes than the fill value")
    add.packed("cdf1-fixed-final-padding-missing", odd_sized().build()[:-1],
               "the padding after the very last value is missing")


def record_counts(add):
    add.section = "Number of records"
    for version in 1, 2, 5:
        name = f"cdf{version}-numrecs-indeterminate"
        whole = recorded(version, override={"numrecs": INDETERMINATE})
        add.packed(name, whole, "all bits of numrecs are set; 7 records are "
                   "there", "header")
        add.packed(name + "-partial-record", whole.build()[:-10],
                   "the same; 6 records and 14 bytes of another", "header")
    add.packed("cdf1-numrecs-indeterminate-lone-short3", lone(
        SHORT, 3, override={"numrecs": INDETERMINATE}),
        "unpadded records; 9 are there", "header")
    add.packed("cdf1-numrecs-indeterminate-zero-records", recorded(
        records=0, override={"numrecs": INDETERMINATE}),
        "none is there", "header")
    add.packed("cdf1-numrecs-indeterminate-no-record-variable", fixed(
        override={"numrecs": INDETERMINATE}), "fixed variables only")
    add.packed("cdf1-numrecs-without-record-variable",
               fixed(override={"numrecs": 5}), "fixed variables only")
    add.packed("cdf1-numrecs-too-small", recorded(override={"numrecs": 4}),
               "3 more records are there")
    add.packed("cdf1-numrecs-zero-with-records",
               recorded(override={"numrecs": 0}), "7 records are there")
    for version in 1, 5:
        add.warned(f"cdf{version}-numrecs-too-large", recorded(
            version, override={"numrecs": 10}), "7 of 10 records are there",
            "prints")
    add.warned("cdf1-numrecs-two-billion", recorded(
        override={"numrecs": 2000000000}), "7 records are there", "header")


def sizes_and_gaps(add):
    add.section = "vsize and gaps"
    for what, value in (("zero", 0), ("too-small", 8), ("too-large", 4000),
                        ("saturated", 0xFFFFFFFF)):
        add.packed(f"cdf1-vsize-{what}", fixed(override={"var1.vsize": value}),
                   f"{value}, not 48, for a fixed variable")
    add.packed("cdf2-vsize-saturated",
               fixed(2, override={"var1.vsize": 0xFFFFFFFF}),
               "2^32-1, not 48, for a fixed variable")
    add.packed("cdf5-vsize-saturated", fixed(5, override={"var1.vsize": -1}),
               "2^64-1, not 48, for a fixed variable")
    add.packed("cdf1-record-vsize-wrong", recorded(override={
        "var1.vsize": 4, "var2.vsize": 400}), "4 for 20 and 400 for 4")
    add.packed("cdf1-lone-record-variable-vsize-unpadded", lone(
        CHAR, 3, override={"var0.vsize": 3}), "3, usually rounded up to 4")
    add.packed("cdf1-header-gap", recorded(header_gap=garbage(100)),
               "100 bytes of garbage between header and data")
    add.packed("cdf1-header-gap-unaligned", recorded(header_gap=garbage(13)),
               "the same, 13 bytes")
    add.packed("cdf2-header-gap-16384", fixed(2, header_gap=bytes(16384)),
               "16384 zeros between header and data")
    add.packed("cdf5-header-gap", fixed(5, header_gap=garbage(60)),
               "60 bytes of garbage between header and data")
    add.packed("cdf1-gaps-between-fixed-variables", fixed(variables=[
        Var("depth", INT, "x"), Var("temp", FLOAT, "x", gap=garbage(36)),
        Var("flag", SHORT, "x", gap=garbage(5, 2))]), "of 36 and 5 bytes")
    add.packed("cdf1-gap-before-records", recorded(record_gap=garbage(52)),
               "52 bytes between fixed variable and records")


def names_and_lists(add):
    """Names, and how lists may be written."""
    add.section = "Names, dimensions and padding in the header"
    for what, byte in ("ascii-zero", b"0"), ("ff", b"\xff"):
        add.packed(f"cdf1-header-padding-{what}", described(name_pad=byte),
                   "names and attribute values are padded with other bytes "
                   "than NUL")
    add.packed("cdf1-nul-inside-name", named("wind\0speed", "t\0\0\0"),
               "NUL inside and at the end of names")
    add.packed("cdf1-empty-name", named("", "x"), "names of length 0")
    add.packed("cdf1-utf8-names", named(
        "Temp\u00e9rature", "\u6d77\u9762\u6c34\u6e29",
        "\u0645\u0648\u062c", "\U0001f30a"), "letters of 2, 3 and 4 bytes")
    add.packed("cdf1-utf8-name-decomposed", named("Tempe\u0301rature"),
               "a letter and a combining accent", "refuses")
    add.packed("cdf1-latin1-names", named(b"H\xf6he"), "not UTF-8", "refuses")
    add.packed("cdf1-special-characters-in-names", named(
        "a b", "9 lives+@-.", "x(y)[z]{w}", "per%cent&#1;", "quo'te\"d",
        "back\\slash:colon;", "~tilde|pipe?"), "all that CDL must escape")
    add.packed("cdf1-control-characters-in-names", named("tab\there", "\x01"),
               "a tab and the byte 1", "refuses")
    add.packed("cdf1-slash-in-name", named("a/b"), "not allowed since 2008")
    add.packed("cdf1-name-of-256-bytes", named("n" * 256), "the longest that "
               "libnetcdf writes", "refuses")
    add.packed("cdf1-name-of-1000-bytes", named("n" * 1000), "longer than "
               "libnetcdf writes", "crashes")
    add.packed("cdf1-duplicate-variable-name", fixed(variables=[
        Var("temp", FLOAT, "x"), Var("temp", SHORT, "x")]), "two variables")
    add.packed("cdf1-duplicate-dimension-name", ClassicWriter(
        1, [("x", 3), ("x", 5)], variables=[
            Var("a", FLOAT, [0]), Var("b", FLOAT, [1])]), "x = 3 and x = 5")
    add.packed("cdf1-duplicate-attribute-name", ClassicWriter(
        1, atts=[("units", CHAR, "m"), ("units", CHAR, "km")]), "two units")
    two = [("time", 0), ("member", 0), ("x", 4)]
    add.packed("cdf1-two-unlimited-dimensions", ClassicWriter(
        1, two, records=3, variables=[
            Var("t", FLOAT, "time x"), Var("n", INT, "time")]),
        "two dimensions of length 0, one is used")
    add.packed("cdf1-two-unlimited-dimensions-used", ClassicWriter(
        1, two, records=3, variables=[
            Var("t", FLOAT, "time x"), Var("n", INT, "member")]),
        "each is the first of a variable")
    add.warned("cdf1-empty-dimension-not-first", ClassicWriter(
        1, two, records=3, variables=[
            Var("none", FLOAT, "time member"), Var("n", INT, "time")]),
        "a second dimension of length 0: a variable without values")
    add.warned("cdf1-unlimited-dimension-not-first", ClassicWriter(
        1, two, variables=[Var("none", FLOAT, "x time"), Var("x", INT, "x")]),
        "a fixed variable without values")


def trailing_bytes(add):
    add.section = "Trailing bytes"
    for version in 1, 2, 5:
        add.packed(f"cdf{version}-trailing-random", recorded(
            version, tail=garbage(484)), "484 bytes after the records")
    add.packed("cdf1-trailing-zeros", fixed(tail=bytes(1000)),
               "1000 zeros after the fixed variables")
    add.packed("cdf1-trailing-one-byte", fixed(tail=b"\n"), "a line end")
    add.packed("cdf1-trailing-classic-file", fixed(tail=recorded(2).build()),
               "a whole CDF-2 file after the data")
    add.packed("cdf1-trailing-after-minimal", ClassicWriter(
        1, tail=garbage(77)), "no variable, 77 bytes after the header")


def values(add):
    """Values that filters and codecs are for."""
    add.section = "Values"
    floats = bytes.fromhex(
        "7fc00000 ffc00001 7f800001 ffbfffff 7f800000 ff800000 00000000"
        "80000000 00000001 807fffff 00800000 7f7fffff 3f800000 7fedcba9")
    doubles = bytes.fromhex(
        "7ff8000000000000 fff8000000000123 7ff0000000000001 7ff0000000000000"
        "fff0000000000000 0000000000000000 8000000000000000 0000000000000001"
        "800fffffffffffff 0010000000000000 7fefffffffffffff 3ff0000000000000"
        "7ffdeadbeefcafe1 c0091eb851eb851f")
    special = [("n", 14)]
    add.packed("cdf1-nan-payloads", ClassicWriter(1, special, variables=[
        Var("f", FLOAT, "n", floats), Var("d", DOUBLE, "n", doubles)]),
        "NaN with payloads, infinities, signed zeros, denormals")
    for version, types in (1, CDF1_TYPES), (5, CDF5_TYPES):
        add.packed(f"cdf{version}-fill-values", ClassicWriter(
            version, [("time", 0), ("n", 6)], records=3, variables=[
                Var(NAMES[t], t, "time n", [FILLS[t]] * 18) for t in types]),
            "all values are the default fill values")
    add.packed("cdf1-constant-variables", ClassicWriter(
        1, [("n", 2000)], variables=[
            Var("zero", FLOAT, "n", [0.0] * 2000),
            Var("seven", INT, "n", [7] * 2000),
            Var("pi", DOUBLE, "n", [3.140625] * 2000),
            Var("dash", CHAR, "n", b"-" * 2000)]), "one value each")
    fill = [("_FillValue", FLOAT, [-999.0])]
    add.packed("cdf1-float-grid-with-holes", ClassicWriter(
        1, [("lat", 60), ("lon", 90)], variables=[
            Var("sst", FLOAT, "lat lon", smooth_grid(60, 90, -999.0),
                atts=fill)]), "a smooth field, fill values over land")
    short = [int(900 * wave(x / 40) + 400 * wave(y / 57 + t / 12) + 50 * t)
             for t in range(12) for y in range(30) for x in range(40)]
    add.packed("cdf1-packed-short", ClassicWriter(
        1, [("time", 12), ("lat", 30), ("lon", 40)], variables=[
            Var("t2m", SHORT, "time lat lon", short, atts=[
                ("scale_factor", DOUBLE, [0.01]),
                ("add_offset", DOUBLE, [273.15])])]),
        "three dimensions, with scale_factor and add_offset")
    add.packed("cdf1-int-counters", ClassicWriter(
        1, [("n", 3000)], variables=[
            Var("index", INT, "n", range(3000)),
            Var("seconds", INT, "n", range(1, 600001, 200))]),
        "two counters with a constant step")
    add.packed("cdf1-double-decimals", ClassicWriter(
        1, [("n", 3000)], variables=[Var("level", DOUBLE, "n", [
            int(v * 100) / 100 for v in sample(DOUBLE, 3000, 5)])]),
        "values with two decimals")
    add.packed("cdf1-char-table", ClassicWriter(
        1, [("row", 300), ("width", 32)], variables=[
            Var("station", CHAR, "row width", station_table(300))]),
        "text in columns of fixed width")
    signatures = ClassicWriter(1, [("n", 6000)], variables=[
        Var("bytes", BYTE, "n", HDF5_SIGNATURE * 750)])
    signatures.header_gap = bytes(512 - len(head(signatures)))
    add.packed("cdf1-data-hdf5-signature", signatures, "the HDF5 signature "
               "750 times, also at the offsets 512, 1024, 2048 and 4096")
    inner = recorded().build()
    add.packed("cdf1-data-classic-header", ClassicWriter(
        1, [("n", len(inner))], variables=[Var("file", BYTE, "n", inner)]),
        "the values are a whole classic file")


def larger_files(add):
    """Files of several blocks."""
    add.section = "Many and large"
    history = "Tue 04: regridded to 1 degree, masked, averaged over 30 days. "
    atts = [(f"history_{i:02d}", CHAR, f"{i:4d} {history * 33}")
            for i in range(40)]
    add.packed("cdf1-header-over-64k", recorded(atts=atts),
               "forty attributes of 2 KiB")
    dims = [("time", 0), ("two", 2), ("three", 3), ("five", 5)]
    shapes = "", "two", "three", "five", "two three"
    add.packed("cdf1-300-variables", ClassicWriter(1, dims[1:], variables=[
        Var(f"v{i:03d}", 1 + i % 6, shapes[i // 6 % 5]) for i in range(300)]),
        "tiny fixed variables of all types")
    shapes = "time", "time two", "time three"
    add.packed("cdf1-200-record-variables", ClassicWriter(
        1, dims, records=12, variables=[
            Var(f"v{i:03d}", 1 + i % 6, shapes[i // 6 % 3])
            for i in range(200)]), "small record variables of all types")
    add.packed("cdf1-9000-records", ClassicWriter(
        1, [("time", 0)], records=9000, variables=[
            Var("count", SHORT, "time"), Var("quality", BYTE, "time")]),
        "two variables of one element per record")
    grids = [v for day in range(24)
             for v in smooth_grid(30, 60, 1e30, day / 48)]
    add.packed("cdf2-float-records", ClassicWriter(
        2, [("time", 0), ("lat", 30), ("lon", 60)], records=24, variables=[
            Var("time", DOUBLE, "time", [6.0 * i for i in range(24)]),
            Var("sst", FLOAT, "time lat lon", grids)]),
        "24 smooth grids of 30 by 60 with holes")
    add.packed("cdf5-int64-times", ClassicWriter(
        5, [("n", 12000)], variables=[
            Var("time", INT64, "n", sample(INT64, 12000, 3)),
            Var("id", UINT, "n", sample(UINT, 12000, 4))]),
        "milliseconds and identifiers")
    digits = Splitmix(12)
    add.packed("cdf1-six-decimals", ClassicWriter(
        1, [("n", 3000)], variables=[
            Var("x", DOUBLE, "n", [digits.next() % 360_000_000 / 1e6
                                   for _ in range(3000)]),
            Var("y", FLOAT, "n", [digits.next() % 9000 / 1e3
                                  for _ in range(3000)])]),
        "as decimals, where arithmetic is that of IEEE 754 (not of x87)")
    add.packed("cdf1-worked-example", ClassicWriter(
        1, [("time", 0), ("x", 512)], records=4, variables=[
            Var("t", SHORT, "time x", range(0, 6144, 3))], tail=b"tail"),
        "the original of the archive at the end of the specification")
    add.packed("cdf1-incompressible", ClassicWriter(
        1, [("n", 98304)], variables=[
            Var("noise", BYTE, "n", Splitmix(11).bytes(98304))]),
        "96 KiB of random bytes")


SECTIONS = [complete_files, record_padding, record_counts, sizes_and_gaps,
            names_and_lists, trailing_bytes, values, larger_files]
