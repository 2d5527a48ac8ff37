# SPDX-License-Identifier: MIT
"""The figures of documents and charts: './dev bench figures [NAME...]'.

Measures again what has the names, without any everything, and writes
doc/figures.json; then documents and charts get their figures from it.  With
--fill only that.  Each measurement runs as a command of bench.py and hands over
its rows as CSV.  See test/hygiene/check_figures.py for how documents say where
a figure belongs.
"""

import csv
import datetime
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import bench_python
import chart
import check_figures    # in the path of chart
import floats
import ratio

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYTHON_PEERS = ("python3-xarray", "python3-netcdf4", "python3-zarr",
                "python3-h5netcdf")


def table(columns, rows, facts=None):
    """Columns: how each shows its figures, by heading."""
    return {"columns": columns, "rows": rows, "facts": facts or {}}


def plain(*headings):
    """Columns of bare numbers."""
    return {heading: "{}" for heading in headings}


def of_compare(rows):
    """One file of daily sea temperatures, packed and read in many ways."""
    times = "read all", "one map", "one point's series"
    return {"compare": table(
        {"smaller by": "{}", "pack": "{} s"} | {t: "{} ms" for t in times},
        {r["way"]: {"smaller by": r["smaller by"], "pack": r["pack"]} |
         {t: r[t] * 1e3 for t in times} for r in rows})}


def of_ratio(rows):
    """Sizes and processor time of one core, over many files."""
    points = list(dict.fromkeys(r["point"] for r in rows))
    sizes = {r["file"]: {} for r in rows}
    for r in rows:
        sizes[r["file"]] |= {"original": r["original"], r["point"]: r["packed"]}
    large = [s for s in sizes.values() if s["original"] >= ratio.LARGE_NBYTES]
    low, high = ratio.middle_half(rows)
    facts = {"files": len(sizes), "large": len(large), "low": low,
             "high": high,
             "MB": round(sum(s["original"] for s in sizes.values()) / 1e6)}
    found = ratio.summary(rows)
    for point, row in found.items():
        if point.startswith("nc3z"):
            continue
        for ours in ratio.DEFAULT_POINT, "nc3z -9":
            row[f"smaller than {ours}"] = sum(
                s.get(point, s["original"]) < s.get(ours, 0) for s in large)
    return {"ratio": table(plain(*found[points[0]]), found, facts),
            "sizes": table(plain("original", *points), sizes)}


def of_levels(rows):
    """The levels of nc3compress, over the same files, one thread."""
    found = {name.removeprefix("nc3z "): row
             for name, row in ratio.summary(rows).items()}
    del found[ratio.DEFAULT_POINT]      # -5 is measured again
    for name, row in found.items():
        own = {r["file"]: r["packed"] for r in rows
               if r["point"].removeprefix("nc3z ") == name}
        row["size"] = row["nc3z is smaller by"]
        row["time"] = found["-5"]["packs MB/s"] / row["packs MB/s"]
        if not name.startswith("-"):
            continue
        for peer in "nccopy -d9 -s", "xz -9e":
            row[peer] = ratio.times_larger(
                [r for r in rows if r["point"] == peer], own,
                ratio.LARGE_NBYTES)
    rates = [r["original"] / 1e6 / r["pack_cpu_s"] for r in rows
             if r["point"] == "nc3z -9" and r["original"] >=
             ratio.LARGE_NBYTES]
    return {"levels": table(plain(*found["-9"]), found, {
        "slowest": min(rates), "fastest": max(rates),
        "faster at 1": 1 / found["-1"]["time"],
        "% more at 1": round(100 * found["-1"]["size"] - 100),
        "% less at 9": round(100 - 100 * found["-9"]["size"])})}


def of_floats(rows):
    """Float variables of 200 kB and more beside coders made for floats."""
    found = {"floats": {}, "peers": {}}
    for peer, row in floats.summary(rows).items():
        # Without --peer, an earlier run's figures of other coders stay.
        kind = "floats" if peer in floats.PEERS else "peers"
        found[kind][peer] = row
    return {kind: table(plain(*next(iter(of_kind.values()))), of_kind,
                        {"all": len(rows)})
            for kind, of_kind in found.items() if of_kind}


def of_rounding(rows):
    """Bytes of archives of one variable that NCO has rounded."""
    columns = [column for column in rows[0] if column != "variable"]
    return {"rounding": table(plain(*columns), {
        r["variable"]: {c: r[c] for c in columns} for r in rows})}


def of_read(rows):
    """Parts of a variable through the library, ms for a call."""
    found = {}
    for r in rows:
        kind = r["file"].removesuffix(".nc")
        label = READ[r["pattern"]] + (", cold" if r["cache"] == "cold" else "")
        found.setdefault(label, {})[f"{kind}, {READERS[r['way']]}"] = (
            r["seconds"] * 1e3)
    return {"read": table(plain(*found[READ["whole"]]), found)}


READERS = {"nc3z": "nc3z", "nc3z 2 threads": "2 threads",
           "nc4 -d6 -s": "netCDF-4", "plain, netcdf": "uncompressed"}
READ = {
    "whole": "whole variable", "record": "one record", "row": "one row",
    "series": "a point through all records",
    "stride2": "every second value of each dimension",
    "stride7": "every seventh value of each dimension",
    "thin2": "every second row and column of all records",
    "thin7": "every seventh row and column of all records",
    "boxes": "a random box", "points": "a random point"}


def of_python(rows):
    """xarray through its engines: ms, and beside netcdf4 on netCDF-4."""
    tasks = [t for t in rows[0] if t not in ("way", "bytes", "peak")]
    peer = next(r for r in rows if r["way"] == "netcdf4")
    return {"python": table(
        {"MB": "{}"} | {t: "{} ({})" for t in tasks},
        {r["way"]: {"MB": r["bytes"] / 1e6} |
         {t: [round(r[t] * 1e3), r[t] / peer[t]] for t in tasks}
         for r in rows}, {"files": bench_python.NFILES})}


def of_remote(rows):
    """From a server whose round trip lasts 50 ms: s, requests, MB."""
    found = {"remote": {}, "netcdf": {}}
    for r in rows:
        # Debian 12 has no such netcdf-c: an earlier run's figures stay.
        kind = "netcdf" if r["way"].startswith("netcdf-c") else "remote"
        found[kind].setdefault(r["way"], {})[r["task"]] = (
            "no end" if math.isinf(r["seconds"]) else
            [r["seconds"], r["requests"], r["bytes"] / 1e6])
    columns = {r["task"]: "{} s, {}, {}" for r in rows}
    return {kind: table(columns, of_kind) for kind, of_kind in found.items()
            if of_kind}


def of_check(rows):
    """Checking files in the page cache, processor time."""
    return {"check": table(
        plain("stored MB", "seconds", "GB/s, stored", "GB/s, original"),
        {r["way"]: {"stored MB": r["stored"] / 1e6, "seconds": r["seconds"],
                    "GB/s, stored": r["stored"] / r["seconds"] / 1e9,
                    "GB/s, original": r["original"] / r["seconds"] / 1e9}
         for r in rows}, {"MB": rows[0]["original"] / 1e6})}


def of_farm(rows):
    """nc3farm beside other ways: s by the clock, and of processors."""
    return {"farm": table(plain("clock", "processors"), {
        f"{r['what']}: {r['command']}": {
            "clock": r["clock"], "processors": r["processors"]}
        for r in rows})}


# The command, what its rows mean, Debian's packages that it compares with.
MEASURES = {
    "compare": ("compare", of_compare, (
        "gzip", "xz-utils", "zstd", "netcdf-bin", "python3-zarr",
        "python3-scipy", "python3-netcdf4")),
    "ratio": ("ratio", of_ratio, (
        "netcdf-bin", "gzip", "bzip2", "xz-utils", "zstd", "tabix",
        "libblosc1")),
    "levels": ("ratio --levels", of_levels, ("netcdf-bin", "xz-utils")),
    "floats": ("floats", of_floats, ("fpzip-utils", "zfp")),
    "rounding": ("rounding", of_rounding, ("nco",)),
    "read": ("read", of_read, ("libnetcdf19", "libhdf5-103-1")),
    "python": ("python", of_python, PYTHON_PEERS),
    "remote": ("remote --large 0", of_remote, (
        *PYTHON_PEERS, "python3-fsspec", "python3-gdal", "nginx-light")),
    "check": ("check --records 12", of_check, (
        "coreutils", "gzip", "xz-utils")),
    "farm": ("farm --dir /dev/shm", of_farm, ("parallel", "netcdf-bin")),
}


def output(*command):
    """What a program prints; nothing where it is not there."""
    try:
        return subprocess.run(command, check=False, capture_output=True,
                              text=True).stdout.strip()
    except OSError:
        return ""


def value(text):
    """Of a field in CSV."""
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text or None


def measure(name, revision, peers):
    """Tables with figures, by name; how, when and where they came about."""
    command, tables_of, packages = MEASURES[name]
    peers = peers if name == "floats" else []
    about = {"what": tables_of.__doc__,
             "how": f"./dev bench {command}{' --peer ...' * bool(peers)}",
             "date": datetime.date.today().isoformat(),
             "machine": machine()}
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        subprocess.run([sys.executable, HERE / "bench.py", *command.split(),
                        *(f"--peer={peer}={path}" for peer, path in peers),
                        "--csv", file.name], check=True)
        with open(file.name, newline="", encoding="utf-8") as opened:
            rows = [{key: value(text) for key, text in row.items()}
                    for row in csv.DictReader(opened)]
    listed = output("dpkg-query", "-W", "-f", "${Package} ${Version}\n",
                    *packages)
    versions = dict(line.split() for line in listed.splitlines())
    about["versions"] = {"nc3z": revision} | versions | {
        peer: output(path, "version") for peer, path in peers}
    return {key: rounded(about | of_kind)
            for key, of_kind in tables_of(rows).items()}


def machine():
    """Processors, and whether others use them."""
    model = re.search(r"model name\s*: (.*)", output("cat", "/proc/cpuinfo"))
    return (f"{os.cpu_count()} cores, {model[1] if model else '?'}, load"
            f" {os.getloadavg()[1]:.1f} before")


def rounded(thing):
    """Figures with four digits: more is noise in a diff."""
    if isinstance(thing, dict):
        return {key: rounded(of_key) for key, of_key in thing.items()}
    if isinstance(thing, list):
        return [rounded(each) for each in thing]
    return float(f"{thing:.4g}") if isinstance(thing, float) else thing


def write(tables):
    """The file, each row in a line."""
    text = json.dumps(tables, indent=1, ensure_ascii=False)
    for inner in r"\[[^][{}]*\]", r"\{[^{}]*\}":
        text = re.sub(inner, lambda m: " ".join(m[0].split()), text)
    path = ROOT / "doc/figures.json"
    path.write_text(text + "\n", encoding="utf-8")


def draw(tables):
    """The charts."""
    for name, path in check_figures.CHARTS.items():
        if name in tables:
            CHARTS[name](tables[name], path)


CHARTS = {"compare": chart.draw_compare, "sizes": chart.draw_ratio}


def bench(options):
    """The command."""
    if not options.fill and "NC3Z_CORPUS" not in os.environ:
        sys.exit("bench: figures are of files in NC3Z_CORPUS, which is not set")
    tables = check_figures.load()
    revision = output("git", "-C", ROOT, "describe", "--always", "--dirty")
    for name in [] if options.fill else options.names or MEASURES:
        tables |= measure(name, revision, options.peer)
        write(tables)
    draw(tables)
    return subprocess.run([sys.executable, check_figures.__file__, "--fix"],
                          check=False).returncode


def add_options(parser):
    """The options of the command."""
    parser.add_argument("names", nargs="*", metavar="NAME",
                        choices=[*MEASURES, []], help=", ".join(MEASURES))
    parser.add_argument("--fill", action="store_true",
                        help="measure nothing")
    floats.add_peer(parser)
    parser.set_defaults(run=bench)
