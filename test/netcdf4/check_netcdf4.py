#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks exact netCDF-4 files.

usage: check_netcdf4.py --bin DIR [--flips N] FILE...

Each classic file becomes netCDF-4, if it is one of those that can, and comes
back bit for bit: by nc3convert, by exact.py, which was written from the
specification, and as the archive that packing it gives.  ncdump prints the
same of both.  Files that were changed or damaged are refused by name.  The
example of the specification restores to what it says.
"""

import argparse
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "testdata"))
import exact  # noqa: E402
from classic_writer import (CHAR, FLOAT, INT, SHORT,  # noqa: E402
                            ClassicWriter, Var)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = ROOT / "format-spec/exact-netcdf4.md"
# Of testdata: what netCDF-4 cannot hold, and what the message says.
REFUSED = {
    "cdf1-duplicate-attribute-name": "attribute units occurs twice",
    "cdf1-duplicate-dimension-name": "dimension x occurs twice",
    "cdf1-duplicate-variable-name": "variable temp occurs twice",
    "cdf1-empty-dimension-not-first":
        "has length 0, and so has another one",
    "cdf1-empty-name": "has an empty name",
    "cdf1-last-variable-over-2gib-missing": "the file ends long before",
    "cdf1-nul-inside-name": "has a NUL in its name",
    "cdf1-numrecs-two-billion": "the file ends long before",
}
# What libnetcdf reads of these is absurd.
NOT_DUMPED = re.compile("indeterminate|out-of-order|overlapping|truncated")


class Checks:
    """Runs programs, and counts."""

    def __init__(self, bin_dir, work, flips):
        self.bin, self.work, self.flips = bin_dir, work, flips
        self.converted = self.refused = self.dumped = self.flipped = 0

    def run(self, program, *args):
        """A program of ours."""
        return subprocess.run([self.bin / program, *args], check=False,
                              capture_output=True, timeout=120)

    def must(self, program, *args):
        """The same, which must succeed, if need be with a warning."""
        done = self.run(program, *args)
        if done.returncode not in (0, 3):
            sys.exit(f"{program} {args}: {done.stderr.decode()}")

    def make(self, original):
        """The netCDF-4 file, or None."""
        made = self.work / "made.nc4"
        made.unlink(missing_ok=True)
        done = self.run("nc3convert", "--to=netcdf4", "-o", made, original)
        text = done.stderr.decode(errors="replace")
        wanted = REFUSED.get(original.stem)
        if wanted and (done.returncode != 1 or wanted not in text):
            sys.exit(f"{original}: not refused as it should be: {text}")
        if done.returncode in (0, 3):
            return made
        if made.exists() or list(self.work.glob("*tmp*")):
            sys.exit(f"{original}: was refused, and something was written")
        if "not possible in netCDF-4" not in text:
            sys.exit(f"{original}: {text}")
        self.refused += 1
        return None

    def same(self, original, other, how):
        """Both have the same bytes."""
        if original.read_bytes() != other.read_bytes():
            sys.exit(f"{original}: {how} differs")
        other.unlink()

    def check(self, original):
        """One file, in all ways."""
        made = self.make(original)
        if not made:
            return
        back = self.work / "back"
        self.must("nc3convert", "--to=classic", "-o", back, made)
        self.same(original, back, "what comes back")
        back.write_bytes(exact.restore(made.read_bytes()))
        self.same(original, back, "what exact.py restores")
        archive = self.work / "made.nc3z"
        self.must("nc3convert", "--to=nc3z", "-o", archive, made)
        self.must("nc3compress", "-o", back, original)
        self.same(archive, back, "the archive")
        made.rename(self.work / "first.nc4")
        self.must("nc3convert", "--to=netcdf4", "-o", made, archive)
        self.same(self.work / "first.nc4", made, "what an archive becomes")
        archive.unlink()
        self.converted += 1

    def dump(self, original):
        """ncdump prints the same."""
        if NOT_DUMPED.search(original.stem):
            return
        made = self.make(original)
        if not made:
            return
        shown = [subprocess.run(["ncdump", "-n", "x", name], timeout=120,
                                capture_output=True, check=False)
                 for name in (original, made)]
        if shown[0].returncode == 0:
            if (shown[1].returncode, shown[1].stdout) != (0, shown[0].stdout):
                sys.exit(f"{original}: ncdump prints something else")
            self.dumped += 1

    def refuse(self, data, text):
        """Such a file is refused with that text, and nothing is written."""
        bad, back = self.work / "bad.nc4", self.work / "back"
        bad.write_bytes(data)
        done = self.run("nc3convert", "--to=classic", "-o", back, bad)
        message = done.stderr.decode(errors="replace")
        if done.returncode not in (1, 4) or text not in message \
                or back.exists() or str(bad) not in message:
            sys.exit(f"not refused with {text}: {message}")

    def flip(self, made, original):
        """Files with one bit flipped are refused, or right."""
        data, good = made.read_bytes(), original.read_bytes()
        bad, back = self.work / "bad.nc4", self.work / "back"
        dice = random.Random(4)
        for i in range(self.flips):
            # Half of them in the tail.
            first = len(data) - min(600, len(data) // 2) if i % 2 else 0
            at = dice.randrange(first, len(data))
            flipped = bytearray(data)
            flipped[at] ^= 1 << dice.randrange(8)
            bad.write_bytes(flipped)
            done = self.run("nc3convert", "--to=classic", "-o", back, bad)
            if done.returncode == 0:
                if back.read_bytes() != good:
                    sys.exit(f"a bit of byte {at}: wrong bytes came back")
                back.unlink()
            elif done.returncode not in (1, 4) or back.exists():
                sys.exit(f"a bit of byte {at}: status {done.returncode}, "
                         f"{done.stderr.decode(errors='replace')}")
            self.flipped += 1

    def edit(self, made):
        """A file that netCDF has written to is refused by name."""
        import netCDF4  # pylint: disable=import-outside-toplevel
        edited = self.work / "edited.nc4"
        shutil.copy(made, edited)
        with netCDF4.Dataset(edited, "r+") as file:
            file.history = "edited"
        self.refuse(edited.read_bytes(), "was changed by another program")

    def edit_by_nco(self, made):
        """One that NCO has written to is, too; its values are there."""
        edited = self.work / "edited.nc4"
        for how in (["-a", "history,global,o,c,edited"],
                    ["-a", "history,global,d,,"]):
            shutil.copy(made, edited)
            subprocess.run(["ncatted", "-h", *how, edited], check=True,
                           timeout=60)
            self.refuse(edited.read_bytes(),
                        "was changed by another program, or cut off: values "
                        "may still be read as netCDF-4, but the original "
                        "cannot be restored")
        values = [subprocess.run(["ncks", "-H", "-C", "--trd", name],
                                 check=True, capture_output=True,
                                 timeout=60).stdout
                  for name in (made, edited)]
        if values[0] != values[1] or not values[0]:
            sys.exit("ncatted has changed values")


def check_programs(checks, original):
    """nc3compress and nc3manifest know such files."""
    made = checks.make(original)
    there, back = checks.work / "x.nc4", checks.work / "x.nc"
    made.rename(there)
    checks.must("nc3compress", "-t", there)
    shown = checks.run("nc3compress", "-l", there).stdout.decode()
    if shown.split()[4:6] != [str(original.stat().st_size),
                              str(there.stat().st_size)]:
        sys.exit(f"nc3compress -l: {shown}")
    lines = checks.work / "lines"
    lines.write_bytes(checks.run("nc3manifest", there).stdout)
    for name, path in (("x.nc4", there), ("x.nc", original)):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if f"{digest}  {checks.work / name}\n" not in lines.read_text():
            sys.exit(f"nc3manifest: {lines.read_text()}")
    checks.must("nc3manifest", "-c", lines)
    checks.must("nc3compress", "-d", "--rm", there)
    checks.same(original, back, "what nc3compress -d restores")
    if there.exists():
        sys.exit("nc3compress -d --rm leaves its input")
    there.write_bytes(original.read_bytes()[:-1])
    if checks.run("nc3compress", "-t", there).returncode == 0:
        sys.exit("nc3compress -t takes anything")
    there.unlink()


def check_example(checks):
    """The example of the specification."""
    text = SPEC.read_text(encoding="utf-8")
    parts = re.findall(r"```hex\n(.*?)```", text, re.S)
    original, made = (bytes.fromhex(re.sub(r"(?m)  .*$", "", part))
                      for part in parts)
    if exact.restore(made) != original:
        sys.exit("the example does not restore")
    back, file = checks.work / "back", checks.work / "example.nc4"
    file.write_bytes(made)
    checks.must("nc3convert", "--to=classic", "-o", back, file)
    if back.read_bytes() != original:
        sys.exit("nc3convert restores something else of the example")
    back.unlink()


def make_waves(checks):
    """A file whose variable is worth chunks and deflating."""
    original = checks.work / "waves.nc"
    original.write_bytes(ClassicWriter(
        1, dims=[("time", 0), ("y", 60), ("x", 90)], records=12,
        variables=[Var("t", FLOAT, "time y x")]).build())
    return original


def check_options(checks):
    """--chunks, levels and codecs do what they say, and lose nothing."""
    original = make_waves(checks)
    made, back = checks.work / "made.nc4", checks.work / "back"
    sizes = {}
    for options, shown in (
            (["--chunks=time/5,y/25,x/40"], b"ChunkSizes = 5, 25, 40"),
            (["--chunks=record", "-1"], b"ChunkSizes = 1, 60, 90"),
            (["-9"], b"DeflateLevel"), (["-1"], b"DeflateLevel"),
            (["-0"], b'_Storage = "chunked"'),
            (["-1", "--codec=lzma"], b"DeflateLevel")):
        made.unlink(missing_ok=True)
        checks.must("nc3convert", "--to=netcdf4", *options, "-o", made,
                    original)
        sizes[" ".join(options)] = made.stat().st_size
        if shutil.which("ncdump"):
            text = subprocess.run(["ncdump", "-hs", made], check=True,
                                  capture_output=True, timeout=60).stdout
            if shown not in text or (options == ["-0"]) == (
                    b"DeflateLevel" in text):
                sys.exit(f"{options}: {text.decode()}")
        # What is not for this direction changes nothing.
        checks.must("nc3convert", "--to=classic", "-9", "--codec=store",
                    "-o", back, made)
        checks.same(original, back, f"what comes back with {options}")
    alike = []
    for threads in ("-T1", "-T5"):
        made.unlink(missing_ok=True)
        checks.must("nc3convert", "--to=netcdf4", threads, "-o", made,
                    original)
        alike.append(made.read_bytes())
    if alike[0] != alike[1]:
        sys.exit("threads make other files")
    if not sizes["-9"] < sizes["-1"] < sizes["-0"] or \
            sizes["-1"] != sizes["-1 --codec=lzma"]:
        sys.exit(f"levels: {sizes}")
    how = ["-3", "--codec=deflate", "--chunks=series"]
    archive = checks.work / "made.nc3z"
    checks.must("nc3convert", "--to=nc3z", *how, "-o", archive, made)
    checks.must("nc3compress", *how, "-o", back, original)
    checks.same(archive, back, "the archive with options")
    archive.unlink()
    made.unlink()
    done = checks.run("nc3convert", "--to=netcdf4", "--chunks=nix/2", "-o",
                      made, original)
    if done.returncode != 1 or b"no dimension nix" not in done.stderr \
            or made.exists():
        sys.exit(f"--chunks=nix/2: {done.stderr.decode()}")


def check_attributes(checks):
    """Attributes keep their order, whatever room HDF5 finds for them; of many
    variables, too, and where one is longer than an object header's messages."""
    dice = random.Random(5)
    for nvars, longest in ((40, 300), (40, 70000), (260, 300)):
        variables = []
        for i in range(nvars):
            atts = [("a" * dice.randrange(1, 9) + str(k), CHAR,
                     "x" * dice.choice((0, 1, 9, 40, longest)))
                    for k in range(dice.randrange(14))]
            variables.append(Var(f"v{i}", SHORT, "time x", atts=atts))
        original = checks.work / "attributes.nc"
        original.write_bytes(ClassicWriter(
            2, dims=[("time", 0), ("x", 3)], records=2,
            variables=variables).build())
        checks.check(original)
        if shutil.which("ncdump"):
            checks.dump(original)


# netcdf-c's tables of reserved names, of 4.7 to 4.10, and what looks like them.
RESERVED = """CLASS DIMENSION_LIST NAME REFERENCE_LIST _ARRAY_DIMENSIONS _Codecs
_Format _IsNetcdf4 _NCProperties _Netcdf4Coordinates _Netcdf4Dimid
_SuperblockVersion _nc3_strict _NCZARR_ARRAY _NCZARR_ATTR _NCZARR_GROUP
_NCZARR_SUPERBLOCK _NCZARR_DEFAULT_MAXSTRLEN _nczarr_array _nczarr_attr
_nczarr_attrs _nczarr_group _nczarr_superblock _nczarr_maxstrlen
_nczarr_default_maxstrlen""".split()
TAKEN = """_FillValue _Unsigned _ChunkSizes _Checksum _DeflateLevel _Endianness
_Fletcher32 _Filter _NoFill _Shuffle _Storage _Encoding _NCCOPY _globalchecksum
_QuantizeBitGroomNumberOfSignificantDigits units DIMENSION_LABELS
PALETTE IMAGE_VERSION class name _class x-y""".split() + ["a" * 255]
QUANTIZE = ["_QuantizeBitGroomNumberOfSignificantDigits",
            "_QuantizeBitRoundNumberOfSignificantBits",
            "_QuantizeGranularBitRoundNumberOfSignificantDigits"]


def check_names(checks):
    """Attributes are refused, or ncdump shows them."""
    original = checks.work / "names.nc"

    def build(name, nctype, values, of_variable):
        atts = [(name, nctype, values)]
        original.write_bytes(ClassicWriter(
            1, dims=[("x", 3)], atts=[] if of_variable else atts,
            variables=[Var("v", SHORT, "x",
                           atts=atts if of_variable else [])]).build())
        return checks.make(original)

    for name, dims in (("_nc4_non_coord_q", "x"), ("y" * 242, "x"),
                       ("y" * 242, "")):
        original.write_bytes(ClassicWriter(
            1, dims=[("x", 3), ("y" * 242, 2)],
            variables=[Var(name, SHORT, dims)]).build())
        if checks.make(original):
            sys.exit(f"variable {name}({dims}) is not refused")
    for of_variable in (False, True):
        for name in RESERVED + ["a" * 256]:
            if build(name, CHAR, "text", of_variable):
                sys.exit(f"attribute {name} is not refused")
        for name in QUANTIZE:
            for nctype, values in ((CHAR, "text"), (SHORT, [3]), (INT, [3, 4]),
                                   (FLOAT, [3.0])):
                if build(name, nctype, values, of_variable):
                    sys.exit(f"attribute {name} is not refused")
        for name in TAKEN:
            how = (INT, [3]) if name.startswith("_Q") else \
                (SHORT, [7]) if name == "_FillValue" else (CHAR, "text")
            made = build(name, *how, of_variable)
            if not made:
                sys.exit(f"attribute {name} is refused")
            if not shutil.which("ncdump"):
                continue
            shown = [subprocess.run(["ncdump", "-n", "x", file], timeout=60,
                                    capture_output=True, check=False)
                     for file in (original, made)]
            if (shown[1].returncode, shown[1].stdout) != \
                    (0, shown[0].stdout) or name.encode() not in \
                    shown[1].stdout.replace(b"\\", b""):
                sys.exit(f"attribute {name}: ncdump does not show it: "
                         f"{shown[1].stderr.decode()}")


def check_damage(checks, original):
    """Damage of one file, in several ways."""
    made = checks.make(original)
    data = made.read_bytes()
    cut = "was changed by another program, or cut off"
    checks.refuse(data[:-1], cut)
    checks.refuse(data + b"\0", cut)
    checks.refuse(b"", "the file is empty")
    checks.refuse(original.read_bytes(), "not an exact netCDF-4 file")
    changed = bytearray(data)
    changed[600] ^= 1
    checks.refuse(changed, "HDF5 part has changed")
    checks.flip(made, original)
    try:
        checks.edit(made)
    except ImportError:
        print("skipped: netCDF4 for Python is not installed")
    if shutil.which("ncatted"):
        checks.edit_by_nco(made)
    else:
        print("skipped: NCO is not installed")


def main():
    """Checks all files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--flips", type=int, default=300,
                        help="files of which a bit is flipped [300]")
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        checks = Checks(args.bin, pathlib.Path(work), args.flips)
        check_example(checks)
        done = checks.run("nc3convert", "--to=netcdf4", "-o",
                          checks.work / "made.nc4", args.paths[0])
        if b"HDF5" in done.stderr or b"libhdf5" in done.stderr:
            print("skipped: built without HDF5:", done.stderr.decode())
            sys.exit(77)
        for path in args.paths:
            checks.check(path)
        if shutil.which("ncdump"):
            for path in args.paths:
                checks.dump(path)
        else:
            print("skipped: ncdump is not installed")
        check_attributes(checks)
        check_options(checks)
        check_names(checks)
        check_damage(checks, ROOT / "testdata/classic/cdf1-all-types.nc")
        check_programs(checks, ROOT / "testdata/classic/cdf1-all-types.nc")
        print(f"{checks.converted} converted, {checks.refused} refused, "
              f"{checks.dumped} dumped, {checks.flipped} flipped")
        if not checks.converted or os.listdir(work) == []:
            sys.exit("nothing was checked")


if __name__ == "__main__":
    main()
