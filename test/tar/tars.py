# SPDX-License-Identifier: MIT
"""Tars of archives, with an index or without, as tests need them."""

import io
import os
import tarfile

INDEX = ".nc3z-index"


def index_of(members, form):
    """The text of an index, as the manual page of nc3compress describes it."""
    lines, end = [], 0
    for name, data in members:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        head = len(info.tobuf(form, "utf-8", "surrogateescape"))
        lines.append(b"%d %d %s\n" % (head, len(data), os.fsencode(name)))
        end += head + -(-len(data) // 512) * 512
    return b"nc3z-tar-index 1 %d\n" % end + b"".join(lines)


def make(path, members, form=tarfile.PAX_FORMAT, index=None):
    """A tar of (name, bytes); 'index' is True, or the text of one."""
    if index is True:
        index = index_of(members, form)
    with tarfile.open(path, "w", format=form) as tar:
        for name, data in ([(INDEX, index)] if index else []) + members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def append(path, members):
    """More members after those that there are."""
    with tarfile.open(path, "a") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def link(name, to, kind=tarfile.LNKTYPE):
    """A member that is a link, or something else without contents."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info


def add(path, *infos):
    """More members that have no contents."""
    with tarfile.open(path, "a", format=tarfile.PAX_FORMAT) as tar:
        for info in infos:
            tar.addfile(info)
