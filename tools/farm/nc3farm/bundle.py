# SPDX-License-Identifier: MIT
"""Archives in a tar, after all that is needed to read them in a hundred years.

Each archive is checked before, by nc3manifest.  The tar gets its name, which
the plan has chosen, once it is whole and on disk and was read back; it never
replaces anything.
"""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
from typing import Any, cast

from .check import Task, name_in, read_journal, read_lines
from .farm import (DONE, FAILED, Failure, counted, environment, look_at,
                   manifest_line, nul_ended, open_file, program, reason_of,
                   sync_directory)

READER = pathlib.Path(__file__).absolute().parent.parent / "reader"
TEMPORARY = ".tmp.tar"
FORM = tarfile.PAX_FORMAT, "utf-8", "surrogateescape"


def index_of(infos):
    """The first member, which lists all others; see nc3compress(1), TARS."""
    lines, end = [], 0
    for info in infos:
        head = len(info.tobuf(*FORM))
        lines.append(b"%d %d %s\n" % (head, info.size,
                                      os.fsencode(info.name)))
        end += head + -(-info.size // 512) * 512
    return b"nc3z-tar-index 1 %d\n" % end + b"".join(lines)


class Hashed:
    """A file, and the SHA-256 of what was read or written."""

    def __init__(self, file):
        self.file, self.tell, self.digest = file, file.tell, hashlib.sha256()

    def read(self, nbytes):
        data = self.file.read(nbytes)
        self.digest.update(data)
        return data

    def write(self, data):
        self.digest.update(data)
        return self.file.write(data)


class Member:
    """A file on its way into a tar, which must not change meanwhile."""

    def __init__(self, path, name, found=None, sha256=None):
        self.path, self.found, self.sha256 = path, look_at(path), sha256
        self.info = tarfile.TarInfo(name)
        self.info.size = self.found.st_size
        if found is None:  # the same for all who make this tar
            self.info.mode = 0o644
            return
        self.info.mode, self.info.mtime = found.st_mode & 0o777, \
            int(found.st_mtime)
        self.info.uid, self.info.gid = found.st_uid, found.st_gid

    def copy(self, tar):
        """Adds it."""
        with open_file(self.path) as file:
            hashed = Hashed(file)
            tar.addfile(self.info, hashed)
            now = os.fstat(file.fileno())
        if (now.st_ino, now.st_size, now.st_mtime_ns) != (
                self.found.st_ino, self.found.st_size, self.found.st_mtime_ns
        ) or self.sha256 not in (None, hashed.digest.hexdigest()):
            raise OSError(0, "was changed meanwhile: run again", self.path)
        self.sha256 = hashed.digest.hexdigest()

    def has_list(self):
        """Whether an access control list says who may read it."""
        try:
            with open_file(self.path) as file:
                return bool(os.getxattr(file.fileno(),
                                        "system.posix_acl_access"))
        except OSError:
            return False


def write_tar(file, members):
    """Index, members, their sums; the SHA-256 of the tar."""
    hashed = Hashed(file)
    manifest = tarfile.TarInfo("SHA256SUMS")
    manifest.size = sum(len(manifest_line("0" * 64, m.info.name))
                        for m in members)
    text = index_of([m.info for m in members] + [manifest])
    index = tarfile.TarInfo(".nc3z-index")
    index.size = len(text)
    with tarfile.TarFile(fileobj=cast(Any, hashed), mode="w",
                         format=FORM[0], encoding=FORM[1],
                         errors=FORM[2]) as tar:
        tar.addfile(index, io.BytesIO(text))
        for member in members:
            member.copy(tar)
        tar.addfile(manifest, io.BytesIO(b"".join(
            manifest_line(m.sha256, m.info.name) for m in members)))
    file.flush()
    return hashed.digest.hexdigest()


def give_readers(fd, members):
    """Nobody may read a tar who may not read each of its members."""
    mode = 0o666
    for member in members:
        mode &= 0o600 if member.has_list() else member.found.st_mode
    owners = [{getattr(m.found, key) for m in members}
              for key in ("st_uid", "st_gid")]
    uid, gid = [each.pop() if len(each) == 1 else -1 for each in owners]
    try:
        os.fchown(fd, uid, gid)
    except PermissionError:
        gid = -1
    if gid == -1:  # its group may be that of no member
        mode &= 0o606 | (mode & 0o006) << 3
    try:  # what the directory gives to all in it
        os.removexattr(fd, "system.posix_acl_access")
    except OSError:
        pass
    os.fchmod(fd, mode)


def remove_left(directory, prefix):
    """Removes what a killed process has left.  If it lives it must begin
    anew, as then its tar gets no name."""
    for name in os.listdir(directory):
        if name.startswith(prefix) and name.endswith(TEMPORARY):
            os.unlink(os.path.join(directory, name))


def name_it(file, path, output, sha256):
    """The tar gets its name, unless it is there; nothing is replaced."""
    try:
        os.link(path, output, follow_symlinks=False)
    except FileExistsError:
        fd = os.open(output, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(fd, "rb") as other:
            if hashlib.file_digest(other, "sha256").hexdigest() != sha256:
                raise Failure(f"{output}: exists, and is another file: "
                              "use another --output-dir") from None
    else:
        if not os.path.samestat(os.lstat(output), os.fstat(file.fileno())):
            raise Failure(f"{output}: others write to its directory: use "
                          "one of your own")
    os.unlink(path)
    sync_directory(os.path.dirname(output))


def check_tar(file, sha256, task):
    """What was written is what is read."""
    os.fsync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    file.seek(0)
    if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
        raise Failure(f"{task.tar}: was read back with other bytes")


def line_of(task, path, line):
    """A line of the journal, with the names of an archive."""
    line = dict(line)
    for key, name in (("name", path), ("output", task.archive(path))):
        raw = os.fsencode(name)
        line[key] = raw.decode("utf-8", "replace")
        if line[key].encode() != raw:
            line[f"{key}_hex"] = raw.hex()
    return json.dumps(line).encode() + b"\n"


def note(task, lines):
    """Lines at the end of the journal, on disk, by the archives' names."""
    path = task.farm.path("journal", task.number)
    data = read_journal(path)
    torn = b"\n" if data and not data.endswith(b"\n") else b""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with open(fd, "wb") as file:
        file.write(torn + b"".join(line_of(task, name, line)
                                   for name, line in lines.items()))
        file.flush()
        os.fsync(fd)


def check_archives(task, nthreads):
    """Reads all stored bytes of the archives; a line of each, as a journal
    has it.  The program tells which are damaged."""
    command = [program("nc3manifest"), "-q", "--quick", "--json",
               *([f"-T{nthreads}"] if nthreads else []),
               f"--suffix={task.farm.suffix}", "--files0-from=-"]
    # While it begins, an exception would lose it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment(),
                          stdout=subprocess.PIPE) as process:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
            printed = process.communicate(nul_ended(task.names))[0]
        except BaseException:
            process.kill()
            raise
    lines = {name_in(line): line for line in read_lines(printed)}
    if not lines.keys() >= set(task.names):
        raise Failure(f"{command[0]} ended before it had checked all archives")
    return {name: lines[name] for name in task.names}


def make_tar(task, lines):
    """Makes the tar of a task, of archives that were checked; its size."""
    directory, base = os.path.split(task.tar)
    archives = [Member(name, os.path.relpath(name, task.farm.root),
                       look_at(name), lines[name]["archive_sha256"])
                for name in task.names]
    readers = [Member(path, f"reader/{path.name}")
               for path in sorted(READER.iterdir()) if path.is_file()]
    remove_left(directory, f".{base}.")
    fd, path = tempfile.mkstemp(TEMPORARY, f".{base}.", directory)
    try:
        with open(fd, "w+b") as file:
            sha256 = write_tar(file, readers + archives)
            check_tar(file, sha256, task)
            give_readers(fd, archives)
            os.fsync(fd)
            nbytes = os.fstat(fd).st_size
            name_it(file, path, task.tar, sha256)
    finally:
        if os.path.lexists(path):
            os.unlink(path)
    return nbytes


def make(farm, number, nthreads):
    """Makes the tar of a task, and notes it, or why there is none."""
    task = Task(farm, number)
    faults = task.faults()
    if not faults:
        return DONE
    # As an exception, it also ends what is called, and removes what is half.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        lines = check_archives(task, nthreads)
        nbad = sum(line["result"] != "verified" for line in lines.values())
        if not nbad:
            made = {"result": "bundled", "tar_bytes": make_tar(task, lines)}
            lines = {name: {**lines[name], **made} for name in lines}
    except (Failure, OSError) as error:
        name = getattr(error, "filename", None)
        with contextlib.suppress(OSError):  # the first reason is told
            note(task, dict.fromkeys([name] if name in faults else faults, {
                "result": "failed", "status": FAILED,
                "error": reason_of(error)}))
        raise
    if not nbad:
        note(task, lines)
        return DONE
    note(task, {name: lines[name] for name in faults})
    raise Failure(f"{task.tar}: not made, because of "
                  f"{counted(nbad, 'archive')}: replace each by a good copy "
                  "and run again, or plan again without it")
