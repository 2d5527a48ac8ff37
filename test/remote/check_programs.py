#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that know nothing of archives read them by URL, as they read files.

Each is left out where it is not installed."""

from pathlib import Path
import shutil
import subprocess

from far_site import clean_environment, expect, main, SECONDS_MAX

NAME = "a.nc"
PYTHON = "/usr/bin/python3"
SOURCES = Path(__file__).resolve().parents[2] / "lib" / "python"
COMMANDS = {
    "ncdump": ["ncdump", "-v", "v", "-n", "a"],
    "ncks": ["ncks", "-H", "-v", "v", "-d", "time,3"],
    "cdo": ["cdo", "-s", "infon", "-seltimestep,2"],
    "gdalinfo": ["gdalinfo", "-stats", "--config", "GDAL_PAM_ENABLED", "NO"],
}


def run(site, command, *names):
    """Its output; the name of the file is not part of it."""
    done = subprocess.run(
        [site.bin / "nc3run", *command, *names], capture_output=True,
        timeout=SECONDS_MAX, check=False, stdin=subprocess.DEVNULL,
        cwd=site.here, env=clean_environment(site.base, {}))
    expect(done.returncode == 0, command, done.stderr.decode()[-500:])
    return [line for line in done.stdout.decode().splitlines()
            if NAME not in line and "history" not in line.lower()]


def check_programs(site):
    """The same output from both."""
    site.make(NAME, (8, 9, 18))
    for program, command in COMMANDS.items():
        if not shutil.which(program):
            print(f"skipped: no {program}")
            continue
        site.forget()
        far = run(site, command, f"{site.plain}/ok/{NAME}.nc3z")
        expect(site.notes, program, "asked nobody")
        near = run(site, command, site.directory / f"{NAME}.nc3z")
        expect(far == near and len(far) > 1, program, far[:5], near[:5])


def check_opening(site):
    """Coordinates of all records come with at most four requests."""
    site.make("long.nc", (1100, 90, 180), has_times=True)
    url = f"{site.plain}/ok/long.nc.nc3z"
    commands = {"ncdump": ["nc3run", "ncdump", "-c", url],
                "cdo": ["nc3run", "cdo", "-s", "showtimestamp", url]}
    for program, command in commands.items():
        if not shutil.which(program):
            print(f"skipped: no {program}")
            continue
        site.forget()
        site.run(*command, status=None)
        expect(0 < len(site.notes) <= 4, program, site.ranges())
    if has_modules("xarray"):
        site.forget()
        run_python(site, "import sys, xarray\n"
                   "from nc3z.xarray_backend import Nc3zBackendEntrypoint\n"
                   "xarray.open_dataset(sys.argv[1], decode_times=False,\n"
                   "    engine=Nc3zBackendEntrypoint).time.values.sum()\n",
                   url)
        expect(0 < len(site.notes) <= 4, "xarray", site.ranges())
    (site.directory / "long.nc").unlink()


def check_not_taken(site):
    """A file can never stand for a URL, and other URLs are left alone."""
    if not shutil.which("ncdump"):
        print("skipped: no ncdump")
        return
    fake = site.directory / "fake.nc"
    fake.write_bytes(b"\x89NC3Z\r\n\x1a" +
                     f"URL {site.plain}/ok/{NAME}.nc3z".encode())
    done = subprocess.run([site.bin / "nc3run", "ncdump", "-h", fake],
                          capture_output=True, timeout=SECONDS_MAX,
                          check=False,
                          env=clean_environment(site.base, {}))
    expect(done.returncode != 0 and not site.notes, "was fetched")
    missing = f"{site.plain}/ok/missing.nc.nc3z".replace(
        "://", "://user:SECRET@")
    done = subprocess.run([site.bin / "nc3run", "ncdump", "-h", missing],
                          capture_output=True, timeout=SECONDS_MAX,
                          check=False,
                          env=clean_environment(site.base, {}))
    expect(b"there is no such object" in done.stderr, done.stderr)
    expect(b"nc3z: " + site.plain.encode() in done.stderr, done.stderr)


def has_modules(*names):
    """Whether the system's Python has these."""
    missing = [name for name in names if not shutil.which(PYTHON) or
               subprocess.run([PYTHON, "-c", f"import {name}"], check=False,
                              capture_output=True).returncode]
    for name in missing:
        print(f"skipped: no {name}")
    return not missing


def run_python(site, program, *arguments):
    """With the package as it lies in the sources."""
    package = site.base / "python"
    if not package.exists():
        shutil.copytree(SOURCES, package)
    subprocess.run([PYTHON, "-c", program, *arguments], check=True,
                   timeout=SECONDS_MAX,
                   env=clean_environment(
                       site.base, {"PYTHONPATH": str(package),
                                   "PATH": f"{site.bin}:/usr/bin:/bin"}))


def check_python(site):
    """nc3z.File(url)."""
    if not has_modules("numpy"):
        return
    program = ("import sys, nc3z, numpy\n"
               "a, b = nc3z.File(sys.argv[1]), nc3z.File(sys.argv[2])\n"
               "assert numpy.array_equal(a.variables['v'][:], "
               "b.variables['v'][:])\n"
               "try:\n"
               "    nc3z.File(sys.argv[3])\n"
               "except OSError as error:\n"
               "    assert 'SECRET' not in str(error), error\n"
               "    assert 'no such object' in str(error), error\n"
               "else:\n"
               "    raise AssertionError('was there')\n")
    run_python(site, program, f"{site.plain}/ok/{NAME}.nc3z",
               site.directory / f"{NAME}.nc3z",
               site.plain.replace("://", "://u:SECRET@") + "/ok/x?SECRET")



if __name__ == "__main__":
    main(__doc__, [check_programs, check_opening, check_not_taken,
                   check_python])
