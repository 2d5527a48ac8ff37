#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Objects on servers, mounted.  Skipped (77) where nothing can be mounted."""

import errno
import os
from pathlib import Path
import subprocess
import sys

from far_site import SECONDS_MAX, clean_environment, expect, main

TESTS = Path(__file__).resolve().parents[1]
for directory in "tar", "mount", "robust":
    sys.path.insert(0, str(TESTS / directory))
import tars  # noqa: E402
from check_mount import error_of, is_mounted, obstacle, wait_for  # noqa: E402


class Mount:
    """nc3mount in the foreground, while it is in use."""

    def __init__(self, site, *operands):
        self.at = site.base / f"{site.base.name}-at"
        self.at.mkdir(exist_ok=True)
        self.log = site.base / "log"
        with open(self.log, "wb") as log:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(
                [site.bin / "nc3mount", "-f", *operands, self.at],
                stdin=subprocess.DEVNULL, stderr=log, cwd=site.here,
                env=clean_environment(site.base, {}))
        wait_for(lambda: is_mounted(self.at) or
                 self.process.poll() is not None)
        expect(self.process.poll() is None, "not mounted:", self.said())

    def said(self):
        """What it has printed."""
        text = self.log.read_text(encoding="utf-8")
        expect("SECRET" not in text, text)
        return text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            subprocess.run(["fusermount3", "-uz", self.at], check=False)
        expect(self.process.wait(SECONDS_MAX) == 0, self.said())

    def names(self, below=""):
        """What a directory shows."""
        return sorted(os.listdir(self.at / below))


def check_objects(site):
    """An archive and a plain file; nothing is fetched before it is wanted."""
    original = site.make("a.nc", (8, 90, 180)).read_bytes()
    login = site.plain.replace("://", "://user:SECRET@")
    site.forget()
    with Mount(site, f"{login}/ok/a.nc.nc3z?key=SECRET".replace("p:", "P:"),
               f"{site.plain}/ok/a.nc") as mount:
        # The archive keeps its name, as the original has the other one.
        expect(mount.names() == ["a.nc", "a.nc.nc3z"], mount.names())
        expect(not site.notes, site.notes)
        expect("SECRET" not in Path("/proc/mounts").read_text(
            encoding="utf-8"), "/proc/mounts")
        expect((mount.at / "a.nc").read_bytes() == original, "plain")
        expect((mount.at / "a.nc.nc3z").read_bytes() ==
               (site.directory / "a.nc.nc3z").read_bytes(), "as it is")
    site.forget()
    with Mount(site, f"{login}/ok/a.nc.nc3z?key=SECRET") as mount:
        expect(mount.names() == ["a.nc"] and not site.notes, mount.names())
        expect((mount.at / "a.nc").stat().st_size == len(original), "size")
        expect(len(site.notes) == 2, site.ranges())
        expect((mount.at / "a.nc").stat().st_mode & 0o777 == 0o444, "mode")
        with open(mount.at / "a.nc", "rb") as file:
            expect(file.read(100) == original[:100], "first bytes")
            expect(file.read() == original[100:], "the others")
        expect(mount.said() == "", mount.said())


def check_in_order(site):
    """Reading in order is a request for some blocks, not one for each."""
    original = site.make("o.nc", (256, 90, 180), "--block-size=64K")
    archived = site.directory / "o.nc.nc3z"
    nblocks = original.stat().st_size // 65536
    plain = site.directory / "p.nc"
    os.rename(original, plain)
    for name, most in ("o.nc.nc3z", nblocks // 5), ("p.nc", 40):
        site.forget()
        with Mount(site, f"{site.plain}/ok/{name}") as mount:
            expect((mount.at / f"{name[0]}.nc").read_bytes() ==
                   plain.read_bytes(), name)
            expect(len(site.notes) < most, len(site.notes), most)
            sent = sum(note["sent"] for note in site.notes)
            size = (archived if name[0] == "o" else plain).stat().st_size
            expect(sent < 1.2 * size + 500000, sent, size)


def check_list(site):
    """Names and directories of a list; taken ones get a number."""
    original = (site.directory / "a.nc").read_bytes()
    other = site.make("b.nc", (2, 9, 18)).read_bytes()
    (site.here / "urls").write_text(
        "# comment\n\n"
        f"{site.plain}/ok/a.nc.nc3z\n"
        f"{site.plain}/slow=1/a.nc.nc3z\n"
        f"{site.plain}/ok/b.nc.nc3z\t2001/jan/x.nc.nc3z\n"
        f"{site.plain}/ok/b.nc\t2001/jan\n")
    with Mount(site, "--urls=urls") as mount:
        expect(mount.names() == ["2001", "a.nc", "a~2.nc"], mount.names())
        expect(mount.names("2001") == ["jan", "jan~2"], mount.names("2001"))
        for name in "a.nc", "a~2.nc":
            expect((mount.at / name).read_bytes() == original, name)
        for name in "jan/x.nc", "jan~2":
            expect((mount.at / "2001" / name).read_bytes() == other, name)
        expect(error_of(os.stat, mount.at / "none") == errno.ENOENT, "none")
        expect(error_of(os.open, mount.at / "a.nc", os.O_RDWR) ==
               errno.EROFS, "written")
        lines = mount.said().splitlines()
        expect(len(lines) == 2 and all("is shown as" in line
                                       for line in lines), lines)
    for text in "x.nc\n", f"{site.plain}/ok/\n", f"{site.plain}/x\t..\n":
        (site.here / "urls").write_text(text)
        done = site.run("nc3mount", "--urls=urls", site.here, status=1)
        expect(not is_mounted(site.here), done.stderr)


def check_failing(site):
    """An object that cannot be read is EIO and a line; others are well."""
    original = (site.directory / "a.nc").read_bytes()
    with Mount(site, f"{site.plain}/ok/a.nc.nc3z",
               f"{site.plain}/ok/none.nc.nc3z?SECRET",
               f"{site.plain}/status=403/c.nc",
               f"{site.plain}/ok/none.tar",
               f"{site.plain}/change=2/b.nc.nc3z") as mount:
        expect(mount.names() == ["a.nc", "b.nc", "c.nc", "none.nc",
                                 "none.tar"], mount.names())
        for name in "none.nc", "c.nc", "none.nc":
            expect(error_of(os.stat, mount.at / name) == errno.EIO, name)
        expect(error_of(os.listdir, mount.at / "none.tar") == errno.EIO,
               "tar")
        said = mount.said()
        expect(said.count(f"{site.plain}/ok/none.nc.nc3z: ") == 1, said)
        expect(said.count(f"{site.plain}/status=403/c.nc: ") == 1, said)
        expect(said.count(f"{site.plain}/ok/none.tar: ") == 1, said)
        # Looked at, then replaced: the old size is not shown with new bytes.
        expect((mount.at / "b.nc").stat().st_size > 0, "size")
        expect(error_of((mount.at / "b.nc").read_bytes) == errno.EIO,
               "changed")
        expect((mount.at / "a.nc").read_bytes() == original, "the others")


def check_tar(site):
    """A tar is a directory; one that is alone is the mount itself."""
    original = (site.directory / "a.nc").read_bytes()
    data = (site.directory / "a.nc.nc3z").read_bytes()
    members = [("s/a.nc.nc3z", data), ("README", b"read me")]
    tars.make(site.directory / "i.tar", members, index=True)
    for base, operands in (("", [f"{site.plain}/ok/i.tar"]),
                           ("i.tar/", [f"{site.plain}/ok/i.tar",
                                       f"{site.plain}/ok/b.nc.nc3z"])):
        site.forget()
        with Mount(site, *operands) as mount:
            expect(not site.notes, site.notes)
            expect(mount.names(base) == ["README", "s"], mount.names(base))
            expect((mount.at / f"{base}s/a.nc").read_bytes() == original, base)
            expect((mount.at / f"{base}README").read_bytes() == b"read me",
                   base)
            expect(mount.said() == "", mount.said())
    with Mount(site, f"{site.plain}/ok/i.tar//s/a.nc.nc3z") as mount:
        expect((mount.at / "a.nc").read_bytes() == original, "a member")
    with Mount(site, "--archives-only", f"{site.plain}/ok/i.tar") as mount:
        expect(mount.names() == ["s"], mount.names())


def check_background(site):
    """In the background, from a process that has forked."""
    original = (site.directory / "a.nc").read_bytes()
    at = site.base / f"{site.base.name}-at"
    site.run("nc3mount", f"{site.plain}/ok/a.nc.nc3z", at)
    try:
        expect((at / "a.nc").read_bytes() == original, "in the background")
    finally:
        subprocess.run(["fusermount3", "-u", at], check=True)


if __name__ == "__main__":
    WHY = obstacle()
    if WHY:
        print(f"skipped: nothing can be mounted: {WHY}")
        sys.exit(77)
    main(__doc__, [check_objects, check_in_order, check_list, check_failing,
                   check_tar, check_background])
