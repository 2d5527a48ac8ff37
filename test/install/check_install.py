#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks an installation that was moved.

usage: check_install.py --cmake CMAKE --build DIR --prefix PREFIX
                        [--package DIR] [--fortran]

Installs the build below another root (DESTDIR), moves what is at PREFIX there
to another directory, and sees that all of it works there: programs built in
four ways (pkg-config and find_package, shared and static) and two in Fortran,
nc3run with its plug-in, what reads URLs, the Python package, and what pip
writes down when it installs that.  No file there names the first place.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import DOUBLE, ClassicWriter, Var  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / "lib" / "python"
SCRIPT = HERE.parents[1] / "tools" / "packaging" / "installed.sh"
VARIABLE = "a"
EXPECTED = {"c": "40.5 7\n", "f90": "40.5\n"}


def output_of(*command, **options):
    """What a command prints; ends the test if it fails."""
    done = subprocess.run([str(word) for word in command], check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return done.stdout


def classic():
    """A classic file of one variable, a, that is 40.5."""
    return ClassicWriter(variables=(Var("a", DOUBLE,
                                        values=[40.5]),)).build()


class Moved:
    """An installation, at another place than it was made for."""

    def __init__(self, args, work):
        self.work = work
        self.prefix = work / "moved"
        stage = work / "stage"
        output_of(args.cmake, "--install", args.build,
                  env=dict(os.environ, DESTDIR=str(stage)))
        shutil.move(stage / args.prefix.lstrip("/"), self.prefix)
        left = [p for p in stage.rglob("*") if not p.is_dir()]
        if left:
            sys.exit(f"installed elsewhere: {left}")
        self.pc_dir = next(self.prefix.rglob("nc3z.pc")).parent
        self.libdir = self.pc_dir.parent
        self.archive = work / "x.nc.nc3z"
        (work / "x.nc").write_bytes(classic())
        output_of(self.prefix / "bin/nc3compress", "-k", work / "x.nc")

    def pkg_config(self, *words):
        """Words of what pkg-config says, by the files that are here."""
        path = os.pathsep.join(
            [str(self.pc_dir), os.environ.get("PKG_CONFIG_PATH", "")])
        return output_of("pkg-config", *words,
                         env=dict(os.environ, PKG_CONFIG_PATH=path)).split()

    def check(self, program, language="c", shared=True):
        """Runs a program; sees that it has the library as it should."""
        env = dict(os.environ, LD_LIBRARY_PATH=str(self.libdir))
        got = output_of(program, self.archive, VARIABLE,
                        env=env if shared else None)
        if got.lstrip() != EXPECTED[language]:
            sys.exit(f"{program}: {got!r} in place of {EXPECTED[language]!r}")
        dynamic = output_of("readelf", "-d", program)
        if ("libnc3z.so" in dynamic) != shared:
            sys.exit(f"{program}: not linked as it should be")

    def check_no_path(self, *paths):
        """Text that is installed names no place of the build."""
        for file in self.prefix.rglob("*"):
            if file.suffix in (".pc", ".cmake", ".py") and file.is_file():
                for path in paths:
                    if str(path) in file.read_text(encoding="utf-8"):
                        sys.exit(f"{file} names {path}")


def check_static_url(moved, program):
    """It would crash in what it loads, so it says that it loads nothing."""
    if not (moved.libdir / "nc3z/libnc3z-remote.so.1").is_file():
        return
    done = subprocess.run(
        [program, "http://127.0.0.1:1/x.nc.nc3z", VARIABLE], check=False,
        env=dict(os.environ, LD_LIBRARY_PATH=str(moved.libdir / "nc3z")),
        capture_output=True, text=True)
    if done.returncode <= 0 or "statically linked" not in done.stderr:
        sys.exit(f"{program}, a URL: {done.returncode} {done.stderr}")


def check_pkg_config(moved):
    """Two ways, and what else the file says."""
    source, work = HERE / "program.c", moved.work
    output_of("cc", source, "-o", work / "pc-shared",
              *moved.pkg_config("--cflags", "--libs", "nc3z"))
    moved.check(work / "pc-shared")
    output_of("cc", "-static", source, "-o", work / "pc-static",
              *moved.pkg_config("--static", "--cflags", "--libs", "nc3z"))
    moved.check(work / "pc-static", shared=False)
    check_static_url(moved, work / "pc-static")
    [plugin] = moved.pkg_config("--variable=netcdfplugin", "nc3z")
    if not pathlib.Path(plugin).is_file():
        sys.exit(f"pkg-config names {plugin}, which is not there")


def check_find_package(moved, cmake, has_fortran):
    """Two ways, and Fortran."""
    build = moved.work / "project"
    output_of(cmake, "-S", HERE / "project", "-B", build,
              f"-DCMAKE_PREFIX_PATH={moved.prefix}",
              f"-DFORTRAN={int(has_fortran)}")
    output_of(cmake, "--build", build)
    moved.check(build / "shared")
    moved.check(build / "static", shared=False)
    if has_fortran:
        moved.check(build / "fortran", "f90")


def check_fortran(moved):
    """By pkg-config."""
    program = moved.work / "pc-fortran"
    output_of("gfortran", *moved.pkg_config("--cflags", "nc3zf"),
              HERE / "program.f90", "-o", program,
              *moved.pkg_config("--libs", "nc3zf"))
    moved.check(program, "f90")


def check_manual(moved):
    """Without a section, the overview comes before the library."""
    first = min(moved.prefix.glob("share/man/man*/nc3z.*"))
    if ".TH NC3Z 7" not in first.read_text(encoding="utf-8"):
        sys.exit(f"{first} is no overview")


def check_nightly(moved, prefix):
    """The script finds its program, and the unit names the script."""
    script = next(moved.prefix.rglob("nc3compress-nightly"))
    unit = script.with_suffix(".service").read_text(encoding="utf-8")
    place = pathlib.Path(prefix) / script.relative_to(moved.prefix)
    if f"ExecStart={place} " not in unit:
        sys.exit(f"the unit does not start {place}")
    files = moved.work / "nights"
    files.mkdir()
    (files / "x.nc").write_bytes(classic())
    os.utime(files / "x.nc", (0, 0))
    output_of(script, files, moved.work / "journal",
              env={"PATH": "/usr/bin:/bin"})
    if [path.name for path in files.iterdir()] != ["x.nc.nc3z"]:
        sys.exit(f"{script} has packed nothing")


def check_programs(moved, package):
    """What programs find by their own place."""
    bin_dir, env = moved.prefix / "bin", dict(os.environ)
    env.pop("LD_LIBRARY_PATH", None)
    plugin = output_of(bin_dir / "nc3run", "--plugin", env=env).strip()
    if plugin != str(moved.libdir / "nc3z/libnc3z-netcdf.so"):
        sys.exit(f"nc3run has {plugin}")
    if shutil.which("ncdump"):
        shown = output_of(bin_dir / "nc3run", "ncdump", "-h", moved.archive,
                          env=env)
        if not shown.startswith("netcdf x"):
            sys.exit(f"nc3run ncdump: {shown}")
    else:
        print("skipped: ncdump is not installed")
    if (moved.libdir / "nc3z/libnc3z-remote.so.1").is_file():
        done = subprocess.run(
            [bin_dir / "nc3dump", "-h", "http://127.0.0.1:1/x.nc3z"],
            capture_output=True, text=True, check=False, env=env)
        if done.returncode != 1 or "cannot be loaded" in done.stderr:
            sys.exit(f"URLs: {done.stderr}")
    if package:
        env["PYTHONPATH"] = str(moved.prefix / package)
        used = output_of("/usr/bin/python3", "-B", "-c", "import nc3z._library"
                         " as n; print(n.library_path(), n.plugin_path())",
                         env=env)
        library = (moved.libdir / "libnc3z.so.1").resolve()
        if used.split() != [str(library), plugin]:
            sys.exit(f"Python uses {used}")


def check_documents(moved):
    """The manual, pages that other pages name, and links."""
    share = moved.prefix / "share"
    for name in ("doc/nc3z/README.md", "doc/nc3z/doc/tutorial.md",
                 "doc/nc3z/format-spec/nc3z-format.md",
                 "man/man7/nc3z-remote.7"):
        if not (share / name).is_file():
            sys.exit(f"{share / name} is not installed")
    print(output_of(HERE / "check_links.py", share / "doc"), end="")


def check_odd_place(moved):
    """The lines for ~/.profile, of a directory with an odd name."""
    place = moved.work / "a \"b\" $c `d`"
    shutil.copytree(moved.prefix, place, symlinks=True)
    said = output_of(SCRIPT, place)
    lines = [n for n in said.splitlines() if n.startswith("    export ")]
    wanted = {"PATH": place / "bin", "MANPATH": place / "share/man",
              "CMAKE_PREFIX_PATH": place}
    for variable, directory in wanted.items():
        for shell in ("sh", "bash"):
            got = output_of(shell, "-c", "\n".join(
                [*lines, f'printf %s "${variable}"']))
            if got.partition(":")[0] != str(directory):
                sys.exit(f"{shell}: {variable} is {got}")
    if "nc3run does not work from here" not in said:
        sys.exit(f"of nc3run, nothing is said: {said}")


def place_by_setup(sources, **environment):
    """The directory of the library that setup.py writes down; or None."""
    env = dict(os.environ, PATH="/usr/bin:/bin", PYTHONDONTWRITEBYTECODE="1")
    env.pop("NC3Z_LIBRARY", None)
    env.update(environment)
    out = pathlib.Path(tempfile.mkdtemp(dir=sources.parent))
    output_of("/usr/bin/python3", "setup.py", "-q", "build_py", "--build-lib",
              out, cwd=sources, env=env)
    place, found = out / "nc3z/_place.py", {}
    if not place.exists():
        return None
    exec(place.read_text(encoding="utf-8"), found)  # pylint: disable=W0122
    return found["LIBRARY_DIR"]


def check_setup(moved):
    """By nc3run, by the names of a file and of a directory, or not at all."""
    if subprocess.run(["/usr/bin/python3", "-c", "import setuptools"],
                      capture_output=True, check=False).returncode:
        print("skipped: python3-setuptools is not installed")
        return
    sources, libdir = moved.work / "python", str(moved.libdir)
    shutil.copytree(PYTHON, sources)
    path = f"{moved.prefix / 'bin'}:/usr/bin:/bin"
    for environment in ({"PATH": path}, {"NC3Z_LIBRARY": libdir},
                        {"NC3Z_LIBRARY": f"{libdir}/libnc3z.so.1"}):
        found = place_by_setup(sources, **environment)
        if found != libdir:
            sys.exit(f"setup.py with {environment} writes down {found}")
    if not shutil.which("nc3run", path="/usr/bin:/bin"):
        found = place_by_setup(sources)
        if found is not None:
            sys.exit(f"setup.py without any library writes down {found}")


def main():
    """Installs, moves and checks."""
    parser = argparse.ArgumentParser(
        description="Checks an installation that was moved.")
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--package", default="",
                        help="the Python package, below the prefix")
    parser.add_argument("--fortran", action="store_true")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as work:
        moved = Moved(args, pathlib.Path(work).resolve())
        moved.check_no_path(args.build, moved.work / "stage")
        check_pkg_config(moved)
        check_find_package(moved, args.cmake, args.fortran)
        if args.fortran:
            check_fortran(moved)
        check_manual(moved)
        check_nightly(moved, args.prefix)
        check_programs(moved, args.package)
        check_documents(moved)
        check_odd_place(moved)
        if args.package:
            check_setup(moved)
    print("moved, and all works")


if __name__ == "__main__":
    main()
