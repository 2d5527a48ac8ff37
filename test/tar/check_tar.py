#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives in tars: what the programs make of them.

usage: check_tar.py --bin DIR TESTDATA

The tars come from Python's tarfile and from tar(1).
"""

import argparse
import gzip
import hashlib
from itertools import product
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tarfile
import tempfile
import traceback

import tars

READERS = ("nc3compress", "-t"), ("nc3compress", "-d"), ("nc3manifest",)
LIST = "nc3compress", "-l"
FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
LONG = "d" * 120 + "/" + "n" * 130 + ".nc.nc3z"


def expect(condition, *what):
    """Fails with a message unless the condition holds."""
    if not condition:
        raise AssertionError(" ".join(str(w) for w in what))


class Stage:
    """Three archives, their originals, and a directory for tars."""

    def __init__(self, bindir, testdata):
        self.bin = bindir
        self.base = Path(tempfile.mkdtemp(prefix="nc3z-tar-"))
        self.here = self.base / "here"
        self.here.mkdir()
        self.originals = {}
        for name in ("cdf1-9000-records", "cdf1-all-types",
                     "cdf1-300-variables"):
            original = testdata / f"{name}.nc"
            shutil.copy(original, self.base)
            self.originals[original.name] = original.read_bytes()
            subprocess.run([self.bin / "nc3compress", "-q",
                            self.base / original.name], check=True)
        self.archives = {name: (self.base / f"{name}.nc3z").read_bytes()
                         for name in self.originals}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base)

    def members(self, prefix=""):
        """All archives as members, and a file that is none."""
        return [(f"{prefix}{name}.nc3z", data)
                for name, data in self.archives.items()] + \
            [(prefix + "README", b"read me\n")]

    def run(self, *command, status=0):
        """Runs a program where nothing is yet; its output as bytes.

        With a status that is not 0, or None for any of these, its messages."""
        shutil.rmtree(self.here)
        self.here.mkdir()
        done = subprocess.run(
            [self.bin / command[0], *map(str, command[1:])], cwd=self.here,
            capture_output=True, check=False, stdin=subprocess.DEVNULL)
        expect(done.returncode == status or
               (status is None and done.returncode in (1, 4)), command,
               done.returncode, done.stderr)
        return done.stdout if status == 0 else done.stderr.decode()

    def made(self):
        """The files that the last program has made, by their paths."""
        return {str(path.relative_to(self.here)): path.read_bytes()
                for path in self.here.rglob("*") if path.is_file()}

    def check(self, tar, name="", original=None):
        """One member can be restored, and dumped, with one slash, too."""
        original = original or next(iter(self.originals))
        name = name or f"{original}.nc3z"
        restored = self.run("nc3compress", "-dc", f"{tar}//{name}")
        expect(restored == self.originals[original], tar, name)
        self.run("nc3dump", "-h", f"{tar}/{name}")


def test_formats(stage):
    """Each format, with an index and without; long names; tar(1)'s own."""
    for form in FORMATS:
        for index in None, True:
            tar = tars.make(stage.base / "x.tar", stage.members("a/b/"), form,
                            index)
            for name in stage.originals:
                stage.check(tar, f"a/b/{name}.nc3z", name)
    first = next(iter(stage.originals))
    for form in FORMATS[1:]:
        for index in None, True:
            tar = tars.make(stage.base / "x.tar",
                            [(LONG, stage.archives[first])] + stage.members(),
                            form, index)
            stage.check(tar, LONG, first)
            stage.check(tar)
    for form in "v7", "ustar", "gnu", "oldgnu", "pax":
        subprocess.run(["tar", f"--format={form}", "--exclude=*.tar",
                        "--exclude=here", "-cf", "y.tar", "."],
                       cwd=stage.base, check=True)
        stage.check(stage.base / "y.tar")
        stage.check(stage.base / "y.tar", f"./{first}.nc3z", first)


def test_whole(stage):
    """All members are restored, tested and listed; other files are not."""
    tar = tars.make(stage.base / "x.tar", stage.members("a/"), index=True)
    stage.run("nc3compress", "-d", tar)
    expect(stage.made() == {f"a/{name}": data for name, data
                            in stage.originals.items()}, list(stage.made()))
    stage.run("nc3compress", "-t", tar)
    stage.run("nc3manifest", "--quick", tar)
    listed = stage.run("nc3compress", "-l", tar).decode()
    for name in stage.originals:
        expect(f"{tar}//a/{name}.nc3z" in listed, listed)
    lines = stage.run("nc3manifest", tar).splitlines(True)
    expect(len(lines) == 2 * len(stage.originals), "manifest")
    listed = stage.base / "listed"
    listed.write_bytes(b"".join(lines))
    done = stage.run("nc3manifest", "-c", listed)
    expect(done.count(b": OK") == len(lines), "checked", done)
    listed.write_bytes(b"0" * 64 + lines[1][64:])
    stage.run("nc3manifest", "-c", listed, status=4)
    listed.write_bytes(lines[0].replace(b"//", b"//no"))
    said = stage.run("nc3manifest", "-c", listed, status=1)
    expect("//no" in said, said)
    stage.run("nc3compress", "-d", f"{tar}//a/cdf1-all-types.nc.nc3z")
    expect(list(stage.made()) == ["a/cdf1-all-types.nc"], stage.made().keys())
    stage.run("nc3compress", "-d", "-o", "z.nc",
              f"{tar}//a/cdf1-all-types.nc.nc3z")
    expect(list(stage.made()) == ["z.nc"], stage.made().keys())
    for name in (tar, f"{tar}//a/cdf1-all-types.nc.nc3z"):
        stage.run("nc3compress", "-d", "--output-dir", "out", name)
        expect(stage.made()["out/a/cdf1-all-types.nc"] ==
               stage.originals["cdf1-all-types.nc"], stage.made().keys())
        expect(len(stage.made()) == (3 if name == tar else 1), "members")


def test_wrong_index(stage):
    """An index that does not fit costs time, and nothing else."""
    members = stage.members()
    text = tars.index_of(members, tarfile.PAX_FORMAT)
    lines = text.splitlines(keepends=True)
    exchanged = lines[0] + b"".join(
        b" ".join([*line.split(b" ")[:2], other.split(b" ")[2]])
        for line, other in zip(lines[1:], lines[2:] + lines[1:2]))
    for wrong in (
            text[:40], b"", b"nonsense\n", text.replace(b" 1 ", b" 2 ", 1),
            text.replace(b"nc3z-tar-index 1 ", b"nc3z-tar-index 1 9", 1),
            lines[0] + b"".join(lines[:0:-1]), exchanged, text + b"x\n",
            text.replace(b".nc.nc3z", b".xx.nc3z"),
            lines[0] + b"".join(lines[2:]), lines[0] + b"".join(lines[1:-1]),
            lines[0] + b"".join(lines[1:2] + lines[3:]),
            lines[0] + b"1024" + lines[1][3:] + b"".join(lines[2:])):
        tar = tars.make(stage.base / "x.tar", members, index=wrong)
        if wrong == text.replace(b".nc.nc3z", b".xx.nc3z"):
            said = stage.run("nc3dump", f"{tar}//cdf1-all-types.xx.nc3z",
                             status=1)
            expect("no such member" in said, said)
            continue
        for name in stage.originals:
            stage.check(tar, f"{name}.nc3z", name)
    # It is said, in the summary of the journal, too.
    offset, size, name = lines[1].split(b" ", 2)
    tars.make(tar, members, index=lines[0] + b"%s %d %s" % (
        offset, int(size) - 1, name) + b"".join(lines[2:]))
    stage.run("nc3compress", "-tq", f"--journal={stage.base}/journal", tar,
              status=4)
    last = (stage.base / "journal").read_text().splitlines()[-1]
    expect(json.loads(last)["summary"]["status"] == 4, last)


def test_index_of_the_first(stage):
    """An index with the first of two members of one name is not believed."""
    first, second = list(stage.archives.values())[:2]
    twice = [("x.nc.nc3z", first), ("x.nc.nc3z", second)]
    whole = tars.index_of(twice, tarfile.PAX_FORMAT)
    lines = whole.splitlines(keepends=True)
    want = list(stage.originals.values())[1]
    longer = b"%d" % (int(lines[1].split()[0]) + 512 +
                      -(-len(second) // 512) * 512)
    for index in (whole, b"".join(lines[:2]), lines[0] + longer +
                  lines[1][lines[1].index(b" "):]):
        tar = tars.make(stage.base / "x.tar", twice, index=index)
        expect(stage.run("nc3compress", "-dc", f"{tar}//x.nc.nc3z") == want,
               index)


def test_index_that_deceives(stage):
    """Lies about members that nobody opens are found by reading the whole."""
    old, new = list(stage.archives.values())[:2]
    inner = tars.make(stage.base / "inner.tar", [("x.nc.nc3z", old)],
                      tarfile.USTAR_FORMAT).read_bytes()
    members = [("blob", inner), ("x.nc.nc3z", new), ("README", b"read me")]
    size = -(-len(old) // 512) * 512
    rest = len(inner) - 512 - size + 512 + -(-len(new) // 512) * 512 + 1024
    index = b"512 0 blob\n512 %d x.nc.nc3z\n512 %d README\n" % (
        len(old), rest - 512)
    index = b"nc3z-tar-index 1 %d\n" % (1024 + size + rest) + index
    tar = tars.make(stage.base / "x.tar", members, tarfile.USTAR_FORMAT, index)
    for command in READERS:
        said = stage.run(*command, tar, status=4)
        expect('the index of the tar is wrong about "blob"' in said, said)
    subprocess.run(["tar", "--delete", "-f", tar, ".nc3z-index"], check=True)
    stage.run("nc3compress", "-t", tar)
    expect(stage.run("nc3compress", "-dc", f"{tar}//x.nc.nc3z") ==
           list(stage.originals.values())[1], "without it")
    # The truth is told by all members, whoever opens them.
    tar = tars.make(stage.base / "x.tar", members, index=True)
    tars.append(tar, [("README", b"again")])
    for command in READERS:
        stage.run(*command, tar)


def test_hard_links(stage):
    """They have the bytes of their file: what tar(1) makes of them."""
    names = list(stage.originals)
    far = "d" * 120 + "/" + "l" * 130 + ".nc.nc3z"
    for index in None, True:
        tar = tars.make(stage.base / "x.tar", stage.members("a/"), index=index)
        tars.add(tar, tars.link("b.nc.nc3z", f"./a/{names[0]}.nc3z"),
            tars.link(far, "b.nc.nc3z"),
            tars.link("b.nc.nc3z", f"a/{names[1]}.nc3z"),
            tars.link("c.nc.nc3z", far))
        tars.append(tar, [(f"a/{names[0]}.nc3z",
                           stage.archives[names[2]])])
        for name, original in (("b.nc.nc3z", 1), (far, 0), ("c.nc.nc3z", 0),
                               (f"a/{names[0]}.nc3z", 2)):
            stage.check(tar, name, names[original])
        stage.run("nc3compress", "-d", tar)
        expect(set(stage.made()) == {f"a/{n}" for n in names} | {
            "b.nc", "c.nc", far[:-5]}, stage.made().keys())
        expect(stage.made()["c.nc"] == stage.originals[names[0]], "c")
        for command in READERS[0], LIST, READERS[2]:
            said = stage.run(*command, tar)
            expect(command == READERS[0] or said.count(b"c.nc.nc3z") == 1, said)
    (stage.base / "t").mkdir()
    shutil.copy(stage.base / f"{names[0]}.nc3z", stage.base / "t/a.nc.nc3z")
    for form in "v7", "ustar", "gnu", "oldgnu", "pax":
        long = "n" * (120 if form in ("gnu", "oldgnu", "pax") else 60)
        if not (stage.base / f"t/{long}.nc.nc3z").exists():
            os.link(stage.base / "t/a.nc.nc3z",
                    stage.base / f"t/{long}.nc.nc3z")
        for order in (f"t/{long}.nc.nc3z", "t/a.nc.nc3z"), (
                "t/a.nc.nc3z", f"t/{long}.nc.nc3z"):
            subprocess.run(["tar", f"--format={form}", "-cf", "y.tar", *order],
                           cwd=stage.base, check=True)
            for name in order:
                stage.check(stage.base / "y.tar", name, names[0])


def test_left_out(stage):
    """What is not read is counted and named, and the rest is read."""
    name = next(iter(stage.originals))
    tar = tars.make(stage.base / "x.tar", stage.members())
    tars.add(tar, tars.link("s.nc.nc3z", f"{name}.nc3z", tarfile.SYMTYPE),
        tars.link("h.nc.nc3z", "late.nc.nc3z"),
        tars.link("t", "x", tarfile.SYMTYPE),
        tars.link("hs.nc.nc3z", "s.nc.nc3z"),
        tars.link("p.nc.nc3z", "", tarfile.FIFOTYPE),
        tars.link("d.nc.nc3z", "", tarfile.DIRTYPE))
    tars.append(tar, [("late.nc.nc3z", stage.archives[name])])
    wants = (("s", "is a symbolic link"), ("h", "is a hard link to a file"),
             ("hs", "is a symbolic link"), ("p", "is not a regular file"))
    for command in LIST, *READERS:
        said = stage.run(*command, tar, status=3)
        for member, text in wants:
            expect(f"{tar}//{member}.nc.nc3z: warning: {text}" in said, said)
        expect(": 4 of its members are left out" in
               said.replace("warning: ", "") and "//t:" not in said and
               "//d" not in said, said)
        expect(command != READERS[1] or
               len(stage.made()) == len(stage.originals) + 1,
               stage.made().keys())
    for member, text in wants:
        said = stage.run("nc3dump", "-h", f"{tar}//{member}.nc.nc3z", status=1)
        expect(text in said, said)
    # What tar(1) would have under a name is not what it had before.
    tars.add(tar, tars.link(f"{name}.nc3z", "late.nc.nc3z", tarfile.SYMTYPE))
    said = stage.run("nc3dump", "-h", f"{tar}//{name}.nc3z", status=1)
    expect("is a symbolic link" in said, said)
    with open(stage.base / "sparse.nc.nc3z", "wb") as file:
        file.write(stage.archives[name])
        file.truncate(1 << 24)
    for form in "gnu", "oldgnu", "pax":
        subprocess.run(["tar", f"--format={form}", "-cSf", "y.tar",
                        "sparse.nc.nc3z", f"{name}.nc3z"], cwd=stage.base,
                       check=True)
        said = stage.run("nc3compress", "-t", stage.base / "y.tar", status=3)
        expect("y.tar//sparse.nc.nc3z: warning: is stored with its holes"
               in said, form, said)
    subprocess.run(["tar", "-cSf", "y.tar", "sparse.nc.nc3z"],
                   cwd=stage.base, check=True)
    said = stage.run("nc3compress", "-t", stage.base / "y.tar", status=1)
    expect("no archive in this tar can be read" in said, said)


def test_cut_off(stage):
    """Members before the place where a tar is cut off are read."""
    names = list(stage.originals)
    for index in None, True:
        tar = tars.make(stage.base / "x.tar", stage.members(), index=index)
        with tarfile.open(tar) as whole:
            begins = {m.name: m.offset_data for m in whole.getmembers()}
        data = tar.read_bytes()
        at = begins[f"{names[2]}.nc3z"]
        for text, damaged in (
                ("is cut off in a member", data[:at + 100]),
                ("may be cut off", data[:at - 512]),
                ("is cut off", data[:at - 300])):
            tar.write_bytes(damaged)
            for command in LIST, *READERS:
                said = stage.run(*command, tar, status=4)
                expect(text in said and "only members before that are read"
                       in said, said)
                expect(command != READERS[1] or stage.made() ==
                       {n: stage.originals[n] for n in names[:2]},
                       stage.made().keys())
            stage.check(tar, f"{names[1]}.nc3z", names[1])
            said = stage.run("nc3dump", "-h", f"{tar}//{names[2]}.nc3z",
                             status=None)
            expect("has no such member in the readable part" in said and
                   text in said, said)


def test_damaged_headers(stage):
    """All other members are read, and the damage has a place and a name."""
    names = list(stage.originals)
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n"
                   for name, data in stage.members()).encode()
    for index, lost in product((None, True), ([2], [1, 2], [0], [-1])):
        tar = tars.make(stage.base / "x.tar",
                        [*stage.members(), ("SHA256SUMS", sums)], index=index)
        with tarfile.open(tar) as whole:
            begins = {m.name: m.offset_data for m in whole.getmembers()}
        data = bytearray(tar.read_bytes())
        lost = [names[i] for i in lost]
        for name in lost:
            data[begins[f"{name}.nc3z"] - 500] ^= 1
        tar.write_bytes(data)
        at = begins[f"{lost[0]}.nc3z"] - 512
        for command in LIST, *READERS:
            said = stage.run(*command, tar, status=4)
            expect(f"(offset {at})" in said and
                   all(f'the header of "{n}.nc3z"' in said
                       for n in lost[:1 if index else None]), said)
            expect(command != READERS[1] or stage.made().keys() ==
                   {n for n in names if index or n not in lost},
                   stage.made().keys())
        for name in names:
            if index or name not in lost:
                stage.check(tar, f"{name}.nc3z", name)
                continue
            said = stage.run("nc3dump", "-h", f"{tar}//{name}.nc3z", status=4)
            expect("has no such member in the readable part" in said, said)
    # Without the index, which was the first member.
    data[12] ^= 1
    tar.write_bytes(data)
    said = stage.run("nc3compress", "-t", tar, status=4)
    expect("skipped to the next one, at offset" in said, said)
    stage.check(tar, f"{names[0]}.nc3z", names[0])


def test_salvage(stage):
    """Of a tar, the member that is named, or it is said which was taken."""
    members = stage.members("a/")
    data = bytearray(members[0][1])
    data[len(data) // 2] ^= 1
    tar = tars.make(stage.base / "x.tar",
                    [(members[0][0], bytes(data)), *members[1:]])
    lost = f"{tar}//{members[0][0]}"
    said = stage.run("nc3compress", "-t", tar, status=4)
    expect(lost in said and "nc3salvage" in said, said)
    stage.run("nc3salvage", "-o", "y.nc3z", lost, status=3)
    stage.run("nc3salvage", "-o", "y.nc3z", f"{tar}//{members[1][0]}")
    expect(stage.made() == {"y.nc3z": members[1][1]})
    said = stage.run("nc3salvage", "-o", "y.nc3z", tar, status=3)
    expect("other archives found" in said and "TAR//MEMBER" in said, said)
    done = subprocess.run([stage.bin / "nc3salvage", "-q", "-o", "z.nc3z",
                           tar], cwd=stage.here, capture_output=True,
                          check=False)
    expect(f"of {tar}, its member {members[0][0]}\n".encode() in done.stdout,
           done.stdout)
    said = stage.run("nc3salvage", "-o", "y.nc3z", f"{tar}//no", status=1)
    expect("the tar has no such member" in said, said)


def test_appended(stage):
    """What was appended after an index was made is found; the last counts."""
    members = stage.members()
    for index in None, True:
        tar = tars.make(stage.base / "x.tar", members[:1], index=index)
        tars.append(tar, members[1:2])
        stage.check(tar, *[(f"{n}.nc3z", n) for n in stage.originals][1])
        first, second = list(stage.originals)[:2]
        tars.append(tar, [(f"{first}.nc3z", stage.archives[second])])
        stage.check(tar, f"{first}.nc3z", second)


def test_refused(stage):
    """Clear messages, and nothing is made."""
    tar = tars.make(stage.base / "x.tar", stage.members())
    name = "cdf1-all-types.nc.nc3z"
    (stage.base / "z.tar.gz").write_bytes(gzip.compress(tar.read_bytes()))
    (stage.base / "g.tar").write_bytes(gzip.compress(tar.read_bytes()))
    (stage.base / "cut.tar").write_bytes(tar.read_bytes()[:3000])
    (stage.base / "no.tar").write_bytes(b"nothing of a tar " * 100)
    (stage.base / "empty.tar").write_bytes(b"")
    (stage.base / "directory.tar").mkdir()
    tars.make(stage.base / "none.tar", [("README", b"x")])
    for path, text in ((f"x.tar//no/{name}", "the tar has no such member"),
                       (f"none.tar//{name}", "the tar has no such member"),
                       (f"absent.tar//{name}", "No such file"),
                       (f"z.tar.gz//{name}", "compressed with gzip"),
                       (f"g.tar//{name}", "compressed with gzip"),
                       (f"cut.tar//{name}", "is cut off"),
                       (f"no.tar//{name}", "not a header of a tar"),
                       (f"no.tar/{name}", "not a header of a tar"),
                       (f"directory.tar/{name}", "No such file"),
                       (f"empty.tar//{name}", "the file is empty")):
        for command in ("nc3dump", "-h"), ("nc3compress", "-d"):
            said = stage.run(*command, f"{stage.base}/{path}", status=None)
            expect(text in said, path, said)
        expect(not stage.made(), stage.made())
    for path, text in (("none.tar", "no file in this tar has the suffix"),
                       ("g.tar", "compressed with gzip")):
        expect(text in stage.run("nc3compress", "-d", stage.base / path,
                                 status=1), path)
    for program in "nc3compress", "nc3convert":
        expect("can only be restored, tested and listed" in stage.run(
            program, f"{tar}//{name}", status=1))
    expect("--rm goes from one file" in stage.run(
        "nc3compress", "-d", "--rm", f"{tar}//{name}", status=1))
    several = tars.make(stage.base / "several.tar", stage.members())
    said = stage.run("nc3compress", "-d", "--rm", several, status=1)
    expect(said.count("--rm goes from one file") == 1, said)
    expect(not stage.made(), stage.made())


def test_leading_elsewhere(stage):
    """No member is restored above where the user is."""
    data = stage.archives["cdf1-all-types.nc"]
    for name in ("../up.nc.nc3z", "a/../../up.nc.nc3z", "/abs.nc.nc3z",
                 "a//b.nc.nc3z", "a/./b.nc.nc3z"):
        tar = tars.make(stage.base / "x.tar", [(name, data)])
        said = stage.run("nc3compress", "-d", tar, status=1)
        expect("leads elsewhere" in said, name, said)
        expect("leads elsewhere" in stage.run(
            "nc3compress", "-d", "--output-dir", "out", tar, status=1), name)
        expect(not stage.made() and not (stage.base / "up.nc").exists(), name)
        expect(stage.run("nc3compress", "-dc", f"{tar}//{name}") ==
               stage.originals["cdf1-all-types.nc"], name)
    tar = tars.make(stage.base / "x.tar", [("n" * 300 + "/b.nc.nc3z", data)])
    for where in [], ["--output-dir", "out"]:
        said = stage.run("nc3compress", "-d", *where, tar, status=1)
        expect("too long" in said and not stage.made(), said)
    tar = tars.make(stage.base / "x.tar", [("up/b.nc.nc3z", data)])
    out = stage.base / "out"
    out.mkdir()
    (out / "up").symlink_to(stage.base)
    said = stage.run("nc3compress", "-d", "--output-dir", out, tar, status=1)
    expect("cannot make its directory" in said, said)
    expect(not (stage.base / "b.nc").exists(), "through a link")


def test_files_win(stage):
    """A path that exists is a file, whatever it is called."""
    directory = stage.base / "real.tar"
    directory.mkdir()
    name = "cdf1-all-types.nc.nc3z"
    shutil.copy(stage.base / name, directory)
    stage.check(directory, name, "cdf1-all-types.nc")
    stage.run("nc3dump", "-h", f"{directory}//{name}")


TESTS = (test_formats, test_whole, test_wrong_index, test_index_of_the_first,
         test_index_that_deceives, test_hard_links, test_left_out,
         test_cut_off, test_damaged_headers, test_salvage, test_appended,
         test_refused, test_leading_elsewhere, test_files_win)


def main():
    """Runs all tests, each on a stage of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("testdata", type=Path)
    args = parser.parse_args()
    failed = 0
    for test in TESTS:
        with Stage(args.bin.resolve(), args.testdata.resolve()) as stage:
            try:
                test(stage)
                print(f"{test.__name__}: ok", flush=True)
            except (AssertionError, subprocess.SubprocessError, OSError):
                traceback.print_exc(file=sys.stdout)
                failed += 1
    print(f"{failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
