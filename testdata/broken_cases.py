"""The classic test files that are cut off, inconsistent or no classic files.

See README.md for what packed, warned, either and refused mean.
"""

from classic_cases import (
    HDF5_SIGNATURE, described, fixed, head, lone, recorded)
from classic_writer import (
    BYTE, DOUBLE, FLOAT, INT, INT64, SHORT, UBYTE, UINT, ClassicWriter, Var,
    garbage)

HUGE = 1 << 31                  # negative as a signed number
HUGE64 = 1 << 63


def truncated_files(add):
    """Files that end too early."""
    add.section = "Truncated data"

    def warned(name, content, what):
        add.warned(name, content, what, "prints")

    whole, start = recorded().build(), len(head(recorded()))
    warned("cdf1-truncated-before-data", whole[:start],
           "nothing after the header")
    warned("cdf1-truncated-before-records", whole[:start + 20],
           "the fixed variable is there, no record")
    warned("cdf1-truncated-inside-record", whole[:-40],
           "5 records and 8 bytes of 7")
    warned("cdf1-truncated-inside-element", whole[:-33],
           "the same, 15 bytes: three quarters of a float at the end")
    warned("cdf1-truncated-one-value-byte", whole[:-3],
           "the last byte of the last short is missing")
    warned("cdf5-truncated-inside-record", recorded(5).build()[:-40],
           "5 records and 8 bytes of 7")
    warned("cdf1-truncated-lone-record-variable", lone(BYTE, 5).build()[:-7],
           "7 unpadded records of 5 bytes and 3 bytes, of 9")
    whole, start = fixed().build(), len(head(fixed()))
    warned("cdf1-truncated-inside-fixed-variable", whole[:start + 72],
           "half of the second variable is there")
    warned("cdf1-truncated-inside-fixed-element", whole[:start + 73],
           "the same and one byte of a float")
    warned("cdf1-truncated-inside-header-gap", head(fixed(
        header_gap=garbage(64)), garbage(20)), "20 of 64 bytes of the gap "
        "between header and data are there")
    large = [Var("first", SHORT, "six"), Var("large", FLOAT, "large")]
    add.warned("cdf1-last-variable-over-2gib-missing", head(ClassicWriter(
        1, [("six", 6), ("large", 600000000)], variables=large),
        garbage(80)), "valid, the 17th value is the last that is there",
        "header")
    add.warned("cdf5-variable-over-4gib-missing", head(ClassicWriter(
        5, [("large", 5000000000)], variables=[Var("v", UBYTE, "large")]),
        garbage(999)), "999 of 5,000,000,000 bytes are there", "header")


def misplaced_variables(add):
    """Variables that begin where they must not."""
    add.section = "Misplaced variables"
    for version in 1, 5:
        add.warned(f"cdf{version}-fixed-variables-out-of-order",
                   fixed(version, order="temp depth flag"),
                   "the second in the header is the first in the file")
    for name, override, what in (
            ("fixed-variables-overlapping",
             {"var1.begin": lambda begins: begins[0] + 8},
             "the second begins inside the first"),
            ("fixed-variable-inside-another",
             {"var2.begin": lambda begins: begins[0] + 16},
             "the third lies inside the first"),
            ("equal-begins", {"var1.begin": lambda begins: begins[0]},
             "the first two begin at the same byte"),
            ("begin-inside-header", {"var0.begin": 40},
             "the first variable begins at byte 40"),
            ("begin-zero", {"var1.begin": 0},
             "the second variable begins at byte 0")):
        add.warned("cdf1-" + name, fixed(override=override), what)
    add.warned("cdf1-begin-beyond-end", fixed(override={"var2.begin": 99999}),
               "the third variable is missing", "prints")
    add.warned("cdf1-fixed-variable-after-records",
               recorded(order="temp count x"),
               "its header entry comes first, its data last")
    add.warned("cdf1-record-variables-out-of-order",
               recorded(order="x count temp"),
               "the second in the header is the first in the record")
    add.warned("cdf1-record-variables-equal-begins", recorded(override={
        "var2.begin": lambda begins: begins[1]}), "both begin at the same "
        "byte")
    add.warned("cdf1-record-variable-overlaps-fixed", recorded(override={
        "var1.begin": lambda begins: begins[0] + 8}), "the first record "
        "begins inside the fixed variable")
    for name, gap, what in (
            ("gap-between-record-variables", 8, "8 bytes; record size 24, "
             "slots spread over 32, so that values overlap"),
            ("record-slots-spread-over-two-records", 24, "record size 24, "
             "slots spread over 48 bytes; no value overlaps")):
        add.warned("cdf1-" + name, recorded(variables=[
            Var("x", FLOAT, "x"), Var("temp", FLOAT, "time x"),
            Var("count", SHORT, "time", gap=bytes(gap))]), what, "prints")
    big = [("y", 50000), ("x", 50000), ("time", 0)]
    fixed_big = [Var("big", SHORT, "y x"), Var("x", INT, "x")]
    add.warned("cdf2-variable-over-4gib-not-last", head(
        ClassicWriter(2, big, variables=fixed_big), garbage(200)),
        "too large for its format, and all but 200 bytes missing")
    record_big = [Var("big", SHORT, "time y x"), Var("t", INT, "time")]
    add.warned("cdf2-record-over-4gib-not-last", head(
        ClassicWriter(2, big, variables=record_big)),
        "too large for its format; no record")


def odd_headers(add):
    add.section = "Odd numbers in the header"
    add.either("cdf1-uint-variable", fixed(variables=[
        Var("id", UINT, "x"), Var("temp", FLOAT, "x")]), "a CDF-5 type")
    add.either("cdf2-ubyte-record-variable", lone(UBYTE, 3, 2),
               "a CDF-5 type")
    add.either("cdf1-int64-attribute", fixed(atts=[("id", INT64, [1 << 40])]),
               "a CDF-5 type")
    add.either("cdf1-begin-negative", fixed(override={"var1.begin": -64}),
               "begin -64")
    add.either("cdf2-begin-negative", fixed(2, override={"var1.begin": -64}),
               "begin -64")
    add.either("cdf1-numrecs-negative", recorded(
        override={"numrecs": HUGE + 5}), "-2147483643; 7 records are there",
        "header")
    add.either("cdf1-dimension-length-negative", fixed(
        override={"dim0.length": HUGE}), "2^31 as a 32-bit number")
    add.either("cdf5-dimension-length-negative", fixed(
        5, override={"dim0.length": HUGE64}), "2^63 as a 64-bit number",
        "header")
    add.either("cdf5-variable-size-overflow", head(ClassicWriter(
        5, [("y", 1 << 40), ("x", 1 << 40)], variables=[
            Var("v", INT, "y x")]), garbage(96)), "2^82 bytes, 96 are there")
    add.either("cdf5-numrecs-overflow", recorded(
        5, override={"numrecs": 1 << 62}), "2^62 records of 24 bytes",
        "header")


def bad_beginnings(add):
    add.section = "No classic header: wrong at once"
    whole = described().build()
    add.refused("empty", b"", "no byte")
    add.refused("three-bytes", b"CDF", "the magic without its version")
    add.refused("magic", b"CDG" + whole[3:], "CDG in place of CDF")
    add.refused("leading-byte", b"\n" + whole, "a line end before the magic")
    add.refused("hdf5-signature", HDF5_SIGNATURE + garbage(88),
                "begins like a netCDF-4 file")
    for version, what in (0, "0"), (3, "3"), (49, "49, the digit 1"):
        add.refused(f"version-{version}", described(
            override={"version": version}), "version byte " + what)


def cut_headers(add):
    add.section = "No classic header: cut off"
    whole, start = described().build(), len(head(described()))
    for what, end, ncdump in (
            ("numrecs", 6, "refuses"),
            ("dimension-count", 14, "prints"),
            ("dimension-name", whole.index(b"station") + 3, "prints"),
            ("dimension-name-padding", whole.index(b"station") + 7, "prints"),
            ("dimension-length", 30, "prints"),
            ("attribute-name", whole.index(b"title") + 4, "refuses"),
            ("attribute-values", whole.index(b"hourly") + 6, "prints"),
            ("variable-list", whole.index(b"pressure") - 6, "prints"),
            ("variable-rank", whole.index(b"pressure") + 10, "refuses"),
            ("variable-attribute", whole.index(b"hPa") + 1, "refuses"),
            ("vsize", start - 6, "refuses"),
            ("begin", start - 2, "refuses")):
        add.refused("cut-inside-" + what, whole[:end],
                    f"ends after {end} bytes", ncdump)
    add.refused("cut-before-begin", whole[:start - 4], "one field is missing")
    add.refused("cdf5-cut-inside-dimension-count", described(5).build()[:20],
                "ends after 20 bytes", "prints")


def bad_lists(add):
    add.section = "No classic header: tags and counts"
    for what, key, tag, huge, huge5 in (
            ("dimension", "dims", 11, "crashes", "refuses"),
            ("attribute", "atts", 10, "refuses", "refuses"),
            ("variable", "vars", 12, "crashes", "crashes"),
            ("variable-attribute", "var0.atts", 11, "refuses", "refuses")):
        add.refused(what + "-tag", described(override={key + ".tag": tag}),
                    f"the tag of the {what} list is {tag}")
        add.refused(what + "-tag-absent", described(
            override={key + ".tag": 0}), "tag 0, but the count is 1")
        add.refused(what + "-count-2e31", described(
            override={key + ".count": HUGE}), "count 0x80000000", huge)
        add.refused(what + "-count-larger-than-file", described(
            override={key + ".count": HUGE - 1}), "count 0x7fffffff", huge)
        add.refused(f"cdf5-{what}-count-2e63", described(
            5, override={key + ".count": HUGE64}), "count 2^63", huge5)


def bad_fields(add):
    """Numbers that no header has."""
    add.section = "No classic header: other numbers"
    for name, key, value, what, ncdump in (
            ("rank-2e31", "var0.rank", HUGE, "2^31 dimensions", "refuses"),
            ("rank-larger-than-file", "var0.rank", HUGE // 2,
             "2^30 dimensions", "refuses"),
            ("dimid-out-of-range", "var0.dimid0", 1,
             "1, but there is dimension 0 only", "refuses"),
            ("dimid-negative", "var0.dimid0", -1, "-1", "refuses"),
            ("variable-type-0", "var0.type", 0, "unknown type", "refuses"),
            ("variable-type-12", "var0.type", 12, "unknown type", "crashes"),
            ("attribute-type-0", "att0.type", 0, "unknown type", "refuses"),
            ("attribute-type-12", "att0.type", 12, "unknown type", "refuses"),
            ("dimension-name-longer-than-file", "dim0.name_length", 65536,
             "65536 bytes", "refuses"),
            ("attribute-name-longer-than-file", "att0.name_length", 65536,
             "65536 bytes", "refuses"),
            ("variable-name-longer-than-file", "var0.name_length", 65536,
             "65536 bytes", "refuses"),
            ("dimension-name-length-negative", "dim0.name_length", -1, "-1",
             "refuses"),
            ("variable-name-length-negative", "var0.name_length", -8, "-8",
             "refuses"),
            ("attribute-nelems-huge", "att0.nelems", HUGE - 1,
             "2^31-1 characters", "crashes")):
        add.refused(name, described(override={key: value}), what, ncdump)
    add.refused("attribute-nelems-overflow", described(
        override={"att0.type": DOUBLE, "att0.nelems": (1 << 29) + 1}),
        "2^29+1 doubles: 8 bytes when counted in 32 bits", "crashes")
    add.refused("cdf5-attribute-nelems-overflow", described(5, override={
        "att0.type": DOUBLE, "att0.nelems": (1 << 61) + 1}),
        "2^61+1 doubles: 8 bytes when counted in 64 bits")
    add.refused("cdf5-variable-type-12", described(
        5, override={"var0.type": 12}), "unknown type", "crashes")
    add.refused("cdf5-name-length-2e63", described(
        5, override={"var0.name_length": HUGE64}), "2^63")


BROKEN_SECTIONS = [truncated_files, misplaced_variables, odd_headers,
                   bad_beginnings, cut_headers, bad_lists, bad_fields]
