# SPDX-License-Identifier: MIT
"""How fast files are checked, side by side; see bench.py check."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import sheet

HERE = pathlib.Path(__file__).resolve().parent

# name, program, what makes the file {o} from the original {i}, what checks it
WAYS = [
    ("nc3manifest --quick", "nc3manifest", "nc3compress -qfk {i} -o {o}",
     "nc3manifest --quick {o}"),
    ("nc3compress -t -T1", "nc3compress", "nc3compress -qfk {i} -o {o}",
     "nc3compress -t -T1 {o}"),
    ("nc3compress -t", "nc3compress", "nc3compress -qfk {i} -o {o}",
     "nc3compress -t {o}"),
    ("sha256sum, the archive", "sha256sum", "nc3compress -qfk {i} -o {o}",
     "sha256sum {o} >/dev/null"),
    ("cat, the archive", "cat", "nc3compress -qfk {i} -o {o}",
     "cat {o} >/dev/null"),
    ("sha256sum, the original", "sha256sum", "cp {i} {o}",
     "sha256sum {o} >/dev/null"),
    ("gzip -t", "gzip", "pigz -c {i} >{o}.gz", "gzip -t {o}.gz"),
    ("xz -t", "xz", "xz -T0 -2 -c {i} >{o}.xz", "xz -t {o}.xz"),
    ("xz -t -T2", "xz", "xz -T0 -2 -c {i} >{o}.xz", "xz -t -T2 {o}.xz"),
]


def add_options(parser):
    parser.add_argument("--records", type=int, default=80,
                        help="of the file that is made, 3.3 MB each")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--par2", action="store_true",
                        help="also par2 at 5 %% on the archive")
    sheet.add_option(parser)
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.set_defaults(run=bench_check)


def run_once(command):
    """Seconds, processor seconds and KiB of memory; None if it fails."""
    begin = time.perf_counter()
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", command], os.environ)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        return None
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def seconds_of(command, runs):
    """The fastest of some runs, all of a file in the page cache."""
    results = [run_once(command) for _ in range(runs + 1)]
    if None in results:
        return None
    return min(r[0] for r in results[1:]), min(r[1] for r in results[1:])


def made(directory, name):
    """The file that a way has made: with its suffix, if it has one."""
    found = sorted(directory.glob(f"{name}*"))
    return found[0] if found else None


def bench_way(way, original, directory, options, before):
    name, program, make, check = way
    output = directory / "packed"
    if not shutil.which(program) or not shutil.which(make.split()[0]):
        return None
    names = {"i": f"'{original}'", "o": f"'{output}'"}
    if not before or before[2] != make:
        for old in directory.glob("packed*"):
            old.unlink()
        subprocess.run(["sh", "-c", make.format(**names)], check=True)
    seconds = seconds_of(check.format(**names), options.runs)
    size = made(directory, "packed").stat().st_size
    return seconds and (name, size, seconds)


def print_row(row, nbytes):
    name, size, (seconds, busy) = row
    print(f"{name:24} {size:12} {seconds:9.3f} {size / seconds / 1e9:7.3f}"
          f" {nbytes / seconds / 1e9:9.3f} {busy:10.3f}", flush=True)


def bench_par2(original, directory):
    """Makes 5 % of recovery data, checks, and repairs a burst of 4 %."""
    archive = directory / "par.nc3z"
    subprocess.run(["nc3compress", "-qfk", original, "-o", archive],
                   check=True)
    size = archive.stat().st_size
    create = run_once(f"par2 create -q -q -r5 -n1 '{archive}' >/dev/null")
    verify = run_once(f"par2 verify -q -q '{archive}.par2' >/dev/null")
    extra = sum(f.stat().st_size for f in directory.glob("par.nc3z*.par2"))
    before = archive.read_bytes()
    burst = size // 25
    with open(archive, "r+b") as f:
        f.seek(size // 3)
        f.write(bytes(burst))
    repair = run_once(f"par2 repair -q -q '{archive}.par2' >/dev/null")
    whole = archive.read_bytes() == before
    for what, result in (("create", create), ("verify", verify),
                         ("repair", repair)):
        seconds, busy, _ = result
        print(f"par2 {what:19} {size:12} {seconds:9.3f}"
              f" {size / seconds / 1e9:7.3f} {'':9} {busy:10.3f}")
    print(f"par2: {100 * extra / size:.2f} % more; a burst of {burst} bytes,"
          f" {100 * burst / size:.1f} %, {'repaired' if whole else 'NOT'}")


def bench_check(options):
    directory = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="nc3z-"))
    try:
        original = options.file or directory / "large.nc"
        if not options.file:
            subprocess.run([sys.executable, HERE / "make_large.py", original,
                            str(options.records)], check=True)
        nbytes = original.stat().st_size
        print(f"{'an original of ' + str(nbytes):24} {'stored':>12}"
              f" {'seconds':>9} {'GB/s':>7} {'original':>9}"
              f" {'processor':>10}")
        rows = []
        for before, way in zip([None] + WAYS, WAYS):
            row = bench_way(way, original, directory, options, before)
            if row:
                print_row(row, nbytes)
                rows.append({"way": row[0], "original": nbytes,
                             "stored": row[1], "seconds": row[2][1]})
            else:
                print(f"{way[0]:24} does not run here")
        if options.par2 and shutil.which("par2"):
            bench_par2(original, directory)
    finally:
        shutil.rmtree(directory)
    sheet.write(options, rows)
    return 0
