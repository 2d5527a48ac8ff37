# SPDX-License-Identifier: MIT
"""Classic files whose archives make use of all of the format."""

import math
import random

import classic_writer as classic
from classic_writer import Var


def smooth(rng, n, step):
    """A walk of small steps."""
    level, values = 0.0, []
    for _ in range(n):
        level += rng.gauss(0, step)
        values.append(level)
    return values


def with_land(values, row, fill):
    """The first third of each row holds nothing."""
    return [fill if i % row < row // 3 else v for i, v in enumerate(values)]


def measurements():
    """Variables of many kinds, fixed and with records."""
    rng = random.Random(1)
    dims = (("time", 0), ("lat", 30), ("lon", 50), ("many", 9001), ("n", 7),
            ("row", 400), ("column", 12), ("letter", 40))
    many, plane, records = 9001, 1500, 12
    columns = rng.choices(range(1 << 14), k=12)
    hundredths = [round(v, 2) for v in smooth(rng, many, 0.1)]
    some_nan = list(hundredths)
    for place in (17, 400, 8100):
        some_nan[place] = 1.2345678e-7
    fifths = [round(v * 5) / 5 for v in smooth(rng, many, 1)]
    variables = (
        Var("zeros", classic.FLOAT, "lat lon", [0] * 1500),
        Var("unit", classic.CHAR, "n", b"degrees"),
        Var("decimals", classic.FLOAT, "many", hundredths),
        Var("label", classic.CHAR, "n", b"station"),
        Var("exceptions", classic.FLOAT, "many", some_nan),
        Var("doubles", classic.DOUBLE, "many", fifths),
        Var("wide", classic.DOUBLE, "many",
            [round(rng.random() * 1e9, 3) for _ in range(many)]),
        Var("averages", classic.FLOAT, "many",
            [round(v * 144) / 144 for v in smooth(rng, many, 1)]),
        Var("averages64", classic.DOUBLE, "many",
            [round(v * 576) / 576 for v in smooth(rng, many, 1)]),
        Var("averages_holes", classic.FLOAT, "many", with_land(
            [round(v * 144) / 144 for v in smooth(rng, many, 1)], 30, 1e20)),
        Var("tall", classic.DOUBLE, "many",
            [round(rng.random() * 1e6, 3) for _ in range(many)]),
        Var("multiples8", classic.INT, "many",
            [3 + 250 * (int(v) % 200) for v in smooth(rng, many, 3)]),
        Var("multiples", classic.INT, "many",
            [1000003 + 250 * int(v) for v in smooth(rng, many, 30)]),
        Var("multiples16", classic.SHORT, "many",
            [-7 + 12 * (int(v) % 2000) for v in smooth(rng, many, 3)]),
        Var("multiples_holes", classic.INT, "many", with_land(
            [5 + 250 * (int(v) % 60000) for v in smooth(rng, many, 30)], 30,
            -999)),
        Var("noise", classic.DOUBLE, "many",
            [rng.random() for _ in range(many)]),
        Var("walk", classic.FLOAT, "many", smooth(rng, many, 0.01)),
        Var("walk64", classic.DOUBLE, "many", smooth(rng, many, 0.01)),
        Var("few", classic.DOUBLE, "many",
            rng.choices([rng.random() for _ in range(20)], k=many)),
        Var("some", classic.FLOAT, "many",
            rng.choices([rng.random() for _ in range(900)], k=many)),
        Var("constant", classic.SHORT, "many", [7] * many),
        Var("counter", classic.INT, "many",
            [i * 3 + rng.randrange(3) for i in range(many)]),
        Var("steps", classic.SHORT, "many",
            [int(v) for v in smooth(rng, many, 30)]),
        Var("flags", classic.BYTE, "many",
            [i // 100 % 5 for i in range(many)]),
        Var("text", classic.CHAR, "many",
            b"".join(b"%06d ok" % (i * 7) for i in range(1001))[:many]),
        Var("lines", classic.CHAR, "row letter", b"".join(
            b"%-12s%08d  %-18s" % (rng.choice((b"Alert", b"Barrow")), i,
                                   rng.randbytes(6).hex().encode())
            for i in range(400))),
        *(Var(f"table{kind}", kind, "row column", [
            c + rng.randrange(2) if j % 3 else c * 7 % (i + 9)
            for i in range(400) for j, c in enumerate(columns)])
          for kind in (classic.SHORT, classic.INT)),
        Var("table", classic.DOUBLE, "row column", [
            c / 7 if j % 4 else rng.random()
            for i in range(400) for j, c in enumerate(columns)]),
        Var("land", classic.FLOAT, "lat lon",
            with_land(smooth(rng, plane, 0.01), 50, 1e20)),
        Var("island", classic.INT, "row column", with_land([
            i * i * 9 + columns[j] * 999 + rng.randrange(30)
            for i in range(400) for j in range(12)], 12, -1)),
        Var("hour", classic.DOUBLE, "time",
            [6.0 * i for i in range(records)]),
        Var("sea", classic.FLOAT, "time lat lon", with_land(
            smooth(rng, records * plane, 0.01), 50, 1e20)),
        Var("classes", classic.FLOAT, "time lat lon", with_land(
            rng.choices([0.1, 0.7, 1.3, 9.2], k=records * plane), 50, 1e20)),
        Var("rain", classic.FLOAT, "time lat lon", [
            round(rng.random() * 20, 1) if rng.random() < 0.3 else 0
            for _ in range(records * plane)]),
        Var("odd", classic.BYTE, "time n", list(range(7 * records))),
    )
    return classic.ClassicWriter(2, dims, variables=variables,
                                 records=records, tail=b"end").build()


def stations():
    """Many short records, and a file that ends in one of them."""
    rng = random.Random(2)
    dims = ("time", 0), ("level", 3)
    records = 3000
    variables = (
        Var("time", classic.DOUBLE, "time",
            [60.0 * i for i in range(records)]),
        Var("pressure", classic.INT, "time level",
            [100000 + int(v) for v in smooth(rng, 3 * records, 5)]),
        Var("station", classic.SHORT, "time", [
            rng.choice((4, 9, 17)) for _ in range(records)]),
    )
    data = classic.ClassicWriter(1, dims, variables=variables,
                                 records=records,
                                 override={"numrecs": 2**32 - 1}).build()
    return data[:-11]


def columns():
    """Many record variables with a number in each record, and each with
    blocks of its own."""
    dims, records = (("time", 0),), 1100
    variables = [Var(f"column{i}", classic.INT, "time",
                     [i * t for t in range(records)]) for i in range(50)]
    return classic.ClassicWriter(1, dims, variables=variables,
                                 records=records).build()


def ensemble():
    """Chunks of five dimensions."""
    rng = random.Random(3)
    dims = ("t", 0), ("e", 3), ("z", 5), ("y", 14), ("x", 17)
    n = 3 * 5 * 14 * 17
    variables = (
        Var("w", classic.SHORT, "t e z y x",
            [int(v) for v in smooth(rng, 5 * n, 9)]),
        Var("q", classic.USHORT, "e z y x",
            [rng.randrange(500) * 8 for _ in range(n)]),
        Var("c", classic.INT64, "z y x", list(range(5 * 14 * 17))),
    )
    return classic.ClassicWriter(5, dims, variables=variables,
                                 records=5).build()


def large():
    """More than 4096 blocks of 4 KiB, and a megabyte that stays one."""
    rng = random.Random(4)
    dims = ("x", 4 << 20), ("n", 1100000)
    variables = (Var("zeros", classic.INT, "x", bytes(16 << 20)),
                 Var("noise", classic.BYTE, "n", rng.randbytes(1100000)))
    return classic.ClassicWriter(2, dims, variables=variables).build()


def repeating():
    """Variables that repeat each other, fixed and with records, and one that
    is the same in each record."""
    rng = random.Random(5)
    dims = ("time", 0), ("x", 1500)
    once = [rng.random() for _ in range(4500)]
    ranks = [int(v * 60000) - 30000 for v in once]
    variables = (
        *(Var(f"fixed{i}", classic.DOUBLE, "x", once[:1500]) for i in range(3)),
        *(Var(f"floats{i}", classic.FLOAT, "time x", once) for i in range(3)),
        *(Var(f"shorts{i}", classic.SHORT, "time x", ranks) for i in range(4)),
        Var("static", classic.DOUBLE, "time x", 3 * once[1500:3000]))
    return classic.ClassicWriter(1, dims, variables=variables,
                                 records=3).build()


def noisy():
    """Fields of integers with noise."""
    rng = random.Random(6)
    dims = ("time", 0), ("lat", 40), ("lon", 80)
    records, plane = 7, 40 * 80
    field = []
    for t in range(records):
        for i in range(plane):
            y, x = divmod(i, 80)
            wave = math.sin((x + 2 * t) / 9) + math.cos(y / 5)
            field.append(int(2000 * wave + rng.gauss(0, 1 << x // 10)))
    variables = (
        Var("packed", classic.SHORT, "time lat lon", field),
        Var("island", classic.SHORT, "time lat lon",
            with_land(field, 80, -32767)),
        Var("hundredths", classic.FLOAT, "time lat lon",
            [v / 100 for v in field]),
        Var("wide", classic.INT, "time lat lon",
            [10**9 + 7 * v for v in field]),
        Var("map", classic.SHORT, "lat lon", field[:plane]))
    return classic.ClassicWriter(1, dims, variables=variables,
                                 records=records).build()


def curvilinear():
    """Corners of the cells of a grid on a rotated pole."""
    ny, nx, pole = 40, 90, math.radians(39.25)
    dims = ("y", ny), ("x", nx), ("corner", 4)

    def latitude(y, x):
        lat, lon = math.radians(0.25 * y - 5), math.radians(0.25 * x - 11)
        return math.degrees(math.asin(
            math.sin(lat) * math.sin(pole)
            + math.cos(lat) * math.cos(lon) * math.cos(pole)))
    corners = [latitude(y + dy, x + dx) for y in range(ny) for x in range(nx)
               for dy, dx in ((0, 0), (0, 1), (1, 1), (1, 0))]
    centres = [latitude(y + 0.5, x + 0.5)
               for y in range(ny) for x in range(nx)]
    variables = (
        *(Var(f"corners{t}", t, "y x corner", corners)
          for t in (classic.FLOAT, classic.DOUBLE)),
        *(Var(f"centres{t}", t, "y x", centres)
          for t in (classic.FLOAT, classic.DOUBLE)))
    return classic.ClassicWriter(1, dims, variables=variables).build()


# name: how it is made, with which options it is packed
FILES = {
    "measurements": (measurements, (
        (), ("-1",), ("-9", "-b", "4K"), ("-9", "--codec=deflate"),
        ("--codec=deflate", "-b", "16K"), ("--codec=lzma", "-b", "16K"),
        ("--codec=bzip2", "-b", "16K"),
        ("--chunks=auto", "-b", "8K"),
        ("--chunks=time/5,lat/7,lon/16",))),
    "stations": (stations, ((), ("-9", "-b", "4K"), ("-0",),
                            ("--chunks=series",))),
    "columns": (columns, (("-b", "4K"), ("--chunks=series",))),
    "ensemble": (ensemble, ((), ("--chunks=balanced", "-b", "4K"),
                            ("--chunks=t/2,e/2,z/2,y/5,x/6",
                             "--codec=deflate"))),
    "repeating": (repeating, (("-9",), ("-9", "--codec=deflate"),
                              ("-b", "12K"))),
    "curvilinear": (curvilinear, ((), ("--codec=deflate",))),
    "noisy": (noisy, (("-9",), ("-9", "--chunks=time/4,lat/25,lon/80"))),
    "large": (large, (("-1", "-b", "4K"),)),
}
