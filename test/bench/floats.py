# SPDX-License-Identifier: MIT
"""Float variables beside coders made for floats, see bench.py floats.

A variable counts with the blocks that an archive of its file has of it.  fpzip
and zfp get its values as one array, in as many dimensions as they take and in
one less, and the smaller result counts.

Other coders come as programs that --peer NAME=PROGRAM names.  A program codes
a variable, whose values are 4 or 8 bytes, little-endian, without a frame:

  PROGRAM encode|decode 4|8 IN OUT
  PROGRAM version

To build one, write a main() of some 40 lines beside the sources of the coder,
with its own defaults and one thread: read IN, call the library, write OUT.
What decode needs has to be in OUT.  A coder whose values come back otherwise,
or that fails, has no figure."""

import argparse
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import ratio
import sheet

TYPES = {"float": 4, "double": 8}
LEVELS = "5", "9"
CLOSE = 1.05
ROUNDED = {"monthly_navy_winds.cdf": "UWND", "ocean_atlas_subset.nc": "TEMP",
           "advion-gcms.cdf": "intensity_values"}


def run(command, **options):
    return subprocess.run([str(word) for word in command], check=True,
                          stdout=subprocess.PIPE, **options).stdout


def folded(shape, count):
    """The last dimensions of a shape, the others in the first of these."""
    first, rest = shape[:len(shape) - count + 1], shape[len(shape) - count + 1:]
    product = 1
    for length in first:
        product *= length
    return [product] + rest


def dimensions(shape, count):
    lengths = folded(shape, count)
    return [f"-{count}"] + [str(n) for n in reversed(lengths)]


def fpzip(values, shape, kind, count):
    return len(run(["fpzip", "-q", "-t", kind, *dimensions(shape, count)],
                   input=values))


def zfp(values, shape, kind, count):
    form = "-f" if kind == "float" else "-d"
    return len(run(["zfp", "-q", form, *dimensions(shape, count), "-R",
                    "-i", "-", "-z", "-"], input=values))


def least(code, values, shape, kind):
    """The least that a peer makes of the values; None if it fails."""
    most = min(len(shape), 4)
    sizes = []
    for count in sorted({most, max(1, most - 1)}):
        try:
            sizes.append(code(values, shape, kind, count))
        except subprocess.CalledProcessError:
            pass
    return min(sizes, default=None)


def driven(program, values, _shape, kind):
    """What the program of a peer makes of the values; None if it fails."""
    width = TYPES[kind]
    with tempfile.TemporaryDirectory(prefix="nc3z-bench-",
                                     dir="/dev/shm") as name:
        raw, coded, back = (pathlib.Path(name, x) for x in ("i", "c", "o"))
        raw.write_bytes(values)
        try:
            run([program, "encode", width, raw, coded])
            run([program, "decode", width, coded, back])
            if back.read_bytes() == values:
                return coded.stat().st_size
            print(f"{program}: other values come back", file=sys.stderr)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{program}: {error}", file=sys.stderr)
    return None


PEERS = {"fpzip": functools.partial(least, fpzip),
         "zfp": functools.partial(least, zfp)}


def named(text):
    """NAME=PROGRAM of an option."""
    name, _, program = text.partition("=")
    if not name or not os.access(program, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text}: not NAME=PROGRAM")
    return name, os.path.abspath(program)


def streams(archive):
    """Type, lengths and stored bytes of each variable with its own stream."""
    listing = json.loads(run(["nc3compress", "-lv", "--json", archive]))
    result = {}
    for stream in listing["archives"][0]["stream_list"]:
        if stream["type"] in TYPES:
            lengths = [int(part.rpartition("=")[2])
                       for part in re.findall(r"[^,]+= *\d+", stream["shape"])]
            result[stream["name"]] = (stream["type"], lengths,
                                      stream["original_bytes"],
                                      stream["stored_bytes"])
    return result


def bench_file(path, directory, peers, least):
    """(name, original, {who: bytes}) of its float variables."""
    archives = {}
    for level in LEVELS:
        out = directory / f"{level}.nc3z"
        run(["nc3compress", "-qkf", f"-{level}", path, "-o", out],
            stderr=subprocess.DEVNULL)
        archives[level] = streams(out)
    for name, (kind, lengths, nbytes, _) in archives[LEVELS[0]].items():
        if nbytes < least or name not in archives[LEVELS[1]]:
            continue
        values = run(["nc3dump", "-B", "--little-endian", "-v", name, path])
        # All but the last are known: that is the number of records.
        known = 1
        for length in lengths:
            known *= length
        count = len(values) // TYPES[kind]
        shape = lengths if known == count else [count // known] + lengths
        sizes = {f"nc3z -{level}": archives[level][name][3]
                 for level in LEVELS}
        for peer, code in peers.items():
            sizes[peer] = code(values, shape, kind)
        yield name, len(values), sizes


def summary(rows):
    """Of each peer: how many times larger than nc3z at two levels, and on how
    many variables smaller than at the first one.  A mean is of all variables:
    a peer that fails on one has none."""
    found = {}
    own = [f"nc3z -{level}" for level in LEVELS]
    for peer in [name for name in rows[0] if name not in own]:
        failed = sum(not r[peer] for r in rows)
        if failed:
            print(f"{peer} fails on {failed} variables", file=sys.stderr)
            continue
        found[peer] = {name: ratio.geometric_mean(
            r[peer] / r[name] for r in rows) for name in own}
        found[peer] |= {"smaller": sum(r[peer] < r[own[0]] for r in rows),
                        f"by {CLOSE - 1:.0%}": sum(
                            r[peer] * CLOSE < r[own[0]] for r in rows)}
    return found


def bench(options, datasets):
    peers = {name: code for name, code in PEERS.items() if shutil.which(name)}
    for peer in PEERS.keys() - peers.keys():
        print(f"{peer} does not run here")
    peers |= {name: functools.partial(driven, program)
              for name, program in options.peer}
    corpus = os.environ.get("NC3Z_CORPUS")
    names = options.files or (
        [pathlib.Path(corpus) / "real"] if corpus else []) + datasets()
    rows = []
    with tempfile.TemporaryDirectory(prefix="nc3z-bench-",
                                     dir="/dev/shm") as name:
        directory = pathlib.Path(name)
        for path in ratio.inputs(names, directory):
            try:
                for variable, nbytes, sizes in bench_file(
                        path, directory, peers, options.least):
                    cells = "  ".join(
                        f"{who} {nbytes / size:.2f}" if size else f"{who} fails"
                        for who, size in sizes.items())
                    print(f"{path.name[:28]:28} {variable[:20]:20} "
                          f"{nbytes:9}  {cells}", flush=True)
                    rows.append(sizes)
            except subprocess.CalledProcessError as error:
                print(f"{path.name}: {error}", file=sys.stderr)
    if not rows:
        sys.exit("bench: no variable of floats is that large")
    print(f"{len(rows)} variables", summary(rows))
    sheet.write(options, rows)
    return 0


def bench_rounding(options, datasets):
    """Archives of one variable, as it is and with so many bits of mantissas."""
    corpus = pathlib.Path(os.environ.get("NC3Z_CORPUS", "/nowhere"))
    paths = {path.name: path for path in
             [*datasets(), *(corpus / "real").glob("advion*")]}
    rows = []
    with tempfile.TemporaryDirectory(prefix="nc3z-bench-") as name:
        out = pathlib.Path(name, "x.nc")
        for file, variable in ROUNDED.items():
            if file not in paths:
                print(f"{file} is not there")
                continue
            row = {"variable": f"{variable} of {file}"}
            for bits in None, 15, 12, 9, 7:
                run(["ncks", "-hOC", "-v", variable, paths[file], out] + (
                    ["--baa=8", "--ppc", f"default={bits}"] if bits else []))
                if not bits:
                    row["original"] = out.stat().st_size
                run(["nc3compress", "-qkf", out])
                row[f"N = {bits}" if bits else "exact"] = pathlib.Path(
                    f"{out}.nc3z").stat().st_size
            print(*row.values(), flush=True)
            rows.append(row)
    sheet.write(options, rows)
    return 0


def add_peer(parser):
    """The option that names other coders."""
    parser.add_argument("--peer", action="append", type=named, default=[],
                        metavar="NAME=PROGRAM",
                        help="a coder beside these, see floats.py")


def add_options(parser):
    sheet.add_option(parser)
    add_peer(parser)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--least", type=int, default=200000,
                        help="bytes of a variable that counts")
