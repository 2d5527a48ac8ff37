# SPDX-License-Identifier: MIT
"""What is done, by the journals and by what is on disk."""

import calendar
import functools
import hashlib
import io
import json
import os
import subprocess
import time
from typing import cast

from .farm import (ACTIONS, COMPRESSED, FAILED, TICK, environment,
                   first_bytes, guarded, is_there, let_go, look_at, nul_ended,
                   open_file, output_of, program, read_ours)

NOT_YET = "not done yet"


def name_in(line, key="name"):
    """A name as the system has it, or None."""
    try:
        if f"{key}_hex" in line:
            return os.fsdecode(bytes.fromhex(line[f"{key}_hex"]))
    except (TypeError, ValueError):
        return None
    return line[key] if isinstance(line.get(key), str) else None


def read_lines(data):
    """JSON lines; one that is torn is none."""
    lines = data.split(b"\n")[:-1]
    try:
        yield from json.loads(b"[" + b",".join(lines) + b"]")
    except ValueError:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                pass


def read_journal(path):
    """All bytes of a journal; it may have been removed."""
    try:
        return read_ours(path)
    except FileNotFoundError:
        return b""


def time_text(nanoseconds):
    """A time of a file as journals have it."""
    seconds, rest = divmod(abs(nanoseconds), 10**9)
    return f"{'-' if nanoseconds < 0 else ''}{seconds}.{rest:09d}"


@functools.cache
def shown_devices():
    """Where nc3mount shows archives as originals: that stores none."""
    with open("/proc/self/mountinfo", "rb") as mounts:
        return {line.split()[2].decode() for line in mounts
                if b" - fuse.nc3mount " in line}


class Task:
    """The files of a task, as they are now."""

    def __init__(self, farm, number):
        let_go()
        self.farm, self.number, self.action = farm, number, farm.action
        self.names, self.tar = farm.names(number), farm.tasks[number]["output"]
        # The last line of each file, and the last that sums its archive.
        self.last, self.summed = {}, {}
        for line in read_lines(read_journal(farm.path("journal", number))):
            name = name_in(line) if isinstance(line, dict) else None
            self.last[name] = line
            if name and line.get("archive_sha256"):
                self.summed[name] = line

    def made(self, name):
        """The line of making what the last line may only have found."""
        line, made = self.last[name], self.summed.get(name)
        keys = "archive_bytes", "original_bytes", "sha256"
        return made if made and all(made.get(key) == line.get(key)
                                    for key in keys) else None

    def output(self, name):
        """What was made of a file; None if the journal has another name."""
        if self.tar or self.action not in ("pack", "restore"):
            return self.tar or name
        output = name_in(self.last[name], "output")
        return output if output and (
            output == output_of(self.farm, name) or
            output == output_of(self.farm, name, True)) else None

    def archive(self, name):
        """The archive that has the data of a file."""
        if self.tar:
            return f"{self.tar}//{os.path.relpath(name, self.farm.root)}"
        return self.output(name) if self.action == "pack" else name

    def original(self, name):
        """The name of an original, which a packed file's ends before .gz."""
        if self.action == "restore":
            return self.output(name)
        if self.action == "pack":
            return name if self.output(name) == output_of(self.farm, name) \
                else os.path.splitext(name)[0]
        return self.archive(name).removesuffix(self.farm.suffix)

    def fault(self, name):
        """Why a file is not done, by names, sizes and times; None if it is."""
        line = self.last.get(name)
        if line is None:
            return NOT_YET
        if line.get("status") not in (0, 3) or \
                line.get("result") not in ACTIONS[self.action][2]:
            return str(line.get("error") or NOT_YET)
        output = self.output(name)
        if output is None:
            return "the journal has another name for its output"
        return self.output_fault(output, line) or \
            (self.input_fault(name, line) if output != name else None)

    def output_fault(self, output, line):
        """Why what is to be kept is not what was made."""
        key = {"restore": "original_bytes",
               "bundle": "tar_bytes"}.get(self.action, "archive_bytes")
        try:
            found = look_at(output, False)
        except (FileNotFoundError, NotADirectoryError):
            return f"{output} does not exist"
        if found.st_size != line.get(key) or (
                self.action not in ("pack", "bundle") and
                time_text(found.st_mtime_ns) != line.get("mtime")):
            return f"{output} has changed since"
        if f"{os.major(found.st_dev)}:{os.minor(found.st_dev)}" in \
                shown_devices():
            return f"{output} is in a mount of nc3mount, which stores nothing"
        return None

    def input_fault(self, name, line):
        """Why a file that is still there may have more than its output."""
        try:
            found = look_at(name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        size = line.get("input_bytes") or line.get(
            "original_bytes" if self.action == "pack" else "archive_bytes")
        if found.st_size == size and \
                time_text(found.st_mtime_ns) == line.get("mtime"):
            return None
        return "it has changed since"

    def faults(self):
        """Names that are not done, with the reasons."""
        found = ((name, self.fault(name)) for name in self.names)
        return {name: why for name, why in found if why}


def catalogues(farm, names):
    """What archives say of themselves, by their names."""
    if not names:
        return {}
    listed = subprocess.run(
        [program(), "-l", "--json", f"--suffix={farm.suffix}",
         "--files0-from=-"], check=False, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment(), input=nul_ended(names))
    try:
        return {name_in(archive): archive
                for archive in json.loads(listed.stdout)["archives"]}
    except ValueError as error:
        raise OSError(f"{program()} -l lists nothing") from error


def file_sha256(name):
    """Of all bytes of a file."""
    with open_file(name) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def original_sha256(name):
    """Of a classic file, or of the one inside a compressed file."""
    if not first_bytes(name).startswith(COMPRESSED):
        return file_sha256(name)
    pipe = {"stdout": subprocess.PIPE, "env": environment()}
    with open_file(name) as file, subprocess.Popen(
            [program(), "-q0c"], stdin=file, **pipe) as pack, \
            subprocess.Popen([program(), "-qdc"], stdin=pack.stdout,
                             **pipe) as restore:
        output = cast(io.BufferedReader, restore.stdout)
        return hashlib.file_digest(output, "sha256").hexdigest()


class Proof(Task):
    """Shows that nothing is lost if all inputs of a task go."""

    def __init__(self, farm, number, reads):
        super().__init__(farm, number)
        self.reads, self.bad = reads, self.faults()
        good = [name for name in self.names if name not in self.bad]
        # What was restored does not need its archive any more.
        self.asked = {name: self.archive(name) for name in good
                      if self.action != "restore" or is_there(name)}
        listed = catalogues(farm, [self.tar] if self.tar and good else
                            list(self.asked.values()))
        for name in good:
            why = self.catalogue_fault(name, listed) or self.data_fault(name)
            if why:
                self.bad[name] = why
        self.good = [name for name in good if name not in self.bad]

    def catalogue_fault(self, name, listed):
        """Why an archive is not that of its original."""
        archive, line = self.asked.get(name), self.last[name]
        if not archive:
            return None
        if archive not in listed:
            return f"{archive} cannot be read: see nc3compress -t"
        if any(listed[archive][key] != line.get(key) for key in
               ("archive_bytes", "original_bytes", "sha256")):
            return f"{archive} is the archive of another file"
        return None

    def data_fault(self, name):
        """Compares an original with its SHA-256, where it must be read."""
        original = {"pack": name, "restore": self.output(name)}.get(
            self.action)
        if not original or not is_there(original) or \
                not (self.reads or self.may_differ(name)):
            return None
        if original_sha256(original) != self.last[name].get("sha256"):
            return f"{original} differs from the original in its archive"
        return None

    def may_differ(self, name):
        """Whether an original is not known to be as it was when its archive
        was made.  Nobody has read a restored one since it was written.

        Nobody can set back the time of a file's last change, but that ticks:
        what changed just before it was read may have changed after it, too."""
        line = self.made(name)
        if not line or self.action == "restore":
            return True
        now = look_at(name)
        try:
            begun = calendar.timegm(time.strptime(
                line["time"], "%Y-%m-%dT%H:%M:%SZ")) - line["seconds"]
        except (KeyError, TypeError, ValueError):
            return True
        return now.st_ctime >= begun - TICK or \
            [line.get(key) for key in
             ("input_bytes", "inode", "mtime", "ctime")] != \
            [now.st_size, now.st_ino, time_text(now.st_mtime_ns),
             time_text(now.st_ctime_ns)]

    def sums(self, name):
        """SHA-256 and name of an archive, and of its original."""
        archive, made = self.archive(name), self.made(name)
        if made:
            yield str(made["archive_sha256"]), archive
        elif is_there(archive):
            yield file_sha256(archive), archive
        yield str(self.last[name].get("sha256")), self.original(name)


def in_processes(function, arguments):
    """Results of calls, in order, by as many processes as may run."""
    count = min(len(os.sched_getaffinity(0)), len(arguments))
    results, ends = [None] * len(arguments), []
    for i in range(count):
        end, begin = os.pipe()
        if os.fork() == 0:
            with open(begin, "w", encoding="ascii") as file:
                status = guarded(lambda first=i, to=file: json.dump(
                    [function(a) for a in arguments[first::count]], to))
            os._exit(status)
        os.close(begin)
        ends.append(end)
    for i, end in enumerate(ends):
        with open(end, encoding="ascii") as file:
            text = file.read()
        if os.wait()[1] != 0:
            raise SystemExit(FAILED)  # it has told why
        results[i::count] = json.loads(text)
    return results
