# SPDX-License-Identifier: MIT
"""The directory of a plan, and what all commands share."""

import hashlib
import json
import os
import re
import stat
import sys
from typing import Dict, List, Tuple

FORMAT = 2  # of the directory; 1 had claims
CLASSIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
PACKED_SUFFIXES = (".gz", ".bz2", ".zst", ".xz")
DONE, FAILED, USAGE, WARNED, MORE = 0, 1, 2, 3, 5  # as of the programs
TICK = 2  # seconds: times of files are that coarse where they are coarsest
# What could command a terminal, or end a line, is shown so.
CONTROLS = dict.fromkeys((*range(0x20), 0x7f), "?")

# The program of each action, what is asked of it, what its journal says, and
# what collect promises.
STAY = "its inputs are the only copies of their originals: keep them"
ACTIONS: Dict[str, Tuple[str, List[str], Tuple[str, ...], str]] = {
    "pack": ("nc3compress", ["--update"], ("packed", "found"),
             "every original is in an archive, and can be removed"),
    "restore": ("nc3compress", ["-d", "--update"], ("restored", "found"),
                "every archive is restored, and can be removed"),
    "verify": ("nc3compress", ["-t"], ("verified",),
               f"every archive is as it was verified; {STAY}"),
    "convert": ("nc3convert", ["-f"], ("converted",),
                f"every archive is as it was converted; {STAY}"),
    "bundle": ("nc3compress", [], ("bundled",),
               "every archive is in a tar, and can be removed"),
}


class Failure(Exception):
    """What ends the program with a message."""
    status = FAILED


class Usage(Failure):
    """What was asked for is wrong, whatever the files are."""
    status = USAGE


def complain(text):
    """A line on standard error."""
    line = f"nc3farm: {plain(text).translate(CONTROLS)}\n"
    sys.stderr.buffer.write(line.encode("utf-8", "surrogateescape"))
    sys.stderr.buffer.flush()


def counted(count, noun):
    """A number of something."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def local_name(name):
    """The name of a file.  Refused are a URL, without being shown, as it may
    have a password, and an empty name, which would mean this directory."""
    if not name:
        raise Failure("an empty name is no file: was a variable not set?")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name):
        raise Failure("a URL is not a file of this machine: download it "
                      "first")
    return name


def marked(root):
    """What is found in a directory begins with this: after it, no link that
    may be put there later is followed, here and by the programs."""
    return os.path.join(root, ".")


def plain(name):
    """A name, or a text with names, without that."""
    return name.replace("/./", "/")


def absolute(name):
    """The same name in any directory; a list may have marked names."""
    root, mark, rest = name.partition("/./")
    return os.path.join(marked(os.path.abspath(f"{root}/")), rest) if mark \
        else os.path.abspath(name)


def reason_of(error):
    """The message for a Failure or an OSError."""
    name = getattr(error, "filename", None)
    return f"{name}: {error.strerror}" if name else str(error)


def guarded(function):
    """Calls it; the status that the program then ends with."""
    try:
        return function() or DONE
    except (Failure, OSError) as error:
        complain(reason_of(error))
        return getattr(error, "status", FAILED)


def program(name="nc3compress"):
    """A program beside this one, or on the path."""
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)
    return os.environ.get(f"NC3FARM_{name.upper()}") or \
        (beside if os.access(beside, os.X_OK) else name)


def command_of(action):
    """What every command of an action begins with."""
    name, options = ACTIONS[action][:2]
    return [program(name), *options]


def environment():
    """What a task does, the plan says and nothing else."""
    return {k: v for k, v in os.environ.items() if k != "NC3Z_OPTIONS"}


def check_ours(path, found):
    """Refuses what others may have written: it says what is run as us."""
    if found.st_uid != os.geteuid():
        raise Failure(f"{path}: belongs to another user: run your own plans "
                      "only")
    if found.st_mode & 0o022:
        raise Failure(f"{path}: others may write to it: make another plan, or "
                      "look at it and then use chmod go-w")


def read_ours(path):
    """All bytes of a file that nobody else can have written."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise Failure(f"{path}: not a regular file")
        check_ours(path, found)
        return file.read()


def sync_directory(path):
    """The names in a directory are on disk."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(fd)
    os.close(fd)


HELD: Dict[str, int] = {}  # the directory of the last marked name


def let_go():
    """Directories may be others since."""
    while HELD:
        os.close(HELD.popitem()[1])


def place_of(path):
    """A marked name's directory, which no link leads to, and the rest."""
    root, mark, rest = os.fspath(path).partition("/./")
    if not mark:
        return {"path": path}
    *parts, name = rest.split("/")
    directory = path[:-len(name)]
    if directory not in HELD:
        let_go()
        flags = os.O_PATH | os.O_DIRECTORY
        fd = os.open(f"{root}/", flags)
        for part in parts:
            above = fd
            try:
                fd = os.open(part, flags | os.O_NOFOLLOW, dir_fd=above)
            finally:
                os.close(above)
        HELD[directory] = fd
    return {"path": name, "dir_fd": HELD[directory]}


def look_at(path, follows=True):
    """What the system says of a file."""
    place = place_of(path)
    return os.stat(**place, follow_symlinks=follows and len(place) == 1)


def is_there(path):
    """Whether there is something of this name."""
    try:
        return bool(look_at(path, False))
    except (FileNotFoundError, NotADirectoryError):
        return False


def open_file(path):
    """Opens it to be read."""
    place = place_of(path)
    return open(os.open(**place, flags=os.O_RDONLY | os.O_NONBLOCK | (
        os.O_NOFOLLOW if len(place) > 1 else 0)), "rb")


def first_bytes(path):
    """What tells of which format a file is."""
    with open_file(path) as file:
        return os.read(file.fileno(), 8)


def nul_ended(names):
    """A list of names as nc3compress reads it."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def manifest_line(sha256, name):
    """As sha256sum writes it."""
    raw = os.fsencode(plain(name))
    mark = b"\\" if any(c in raw for c in b"\\\n\r") else b""
    raw = raw.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")
    return mark + sha256.encode() + b"  " + raw.replace(b"\r", b"\\r") + b"\n"


class Farm:
    """A plan that is made."""

    def __init__(self, work):
        self.work = os.path.abspath(work)
        try:
            for name in (".", "shards", "journal"):
                path = os.path.join(self.work, name)
                check_ours(path, os.lstat(path))
            plan = json.loads(read_ours(os.path.join(self.work, "plan.json")))
        except (FileNotFoundError, NotADirectoryError) as error:
            raise Failure(f"{work}: no plan here, or one that was not "
                          "finished: make one with nc3farm plan") from error
        except ValueError as error:
            raise Failure(f"{work}/plan.json is damaged: plan again") from error
        if not isinstance(plan, dict) or plan.get("format") != FORMAT:
            raise Failure(f"{work}: plan of another version of nc3farm")
        self.action, self.options = plan["action"], plan["options"]
        self.suffix, self.output_dir = plan["suffix"], plan["output_dir"]
        self.tasks, self.root = plan["tasks"], plan["root"]
        self.nfiles = sum(task["files"] for task in self.tasks)

    def path(self, kind, number):
        """Where the shard or the journal of a task is."""
        return os.path.join(self.work, kind, f"{number:06d}")

    def names(self, number):
        """The files of a task."""
        if not 0 <= number < len(self.tasks):
            raise Usage(f"task {number} is not in the plan, whose last one "
                        f"is {len(self.tasks) - 1}")
        path = self.path("shards", number)
        data = read_ours(path)
        if hashlib.sha256(data).hexdigest() != self.tasks[number]["sha256"]:
            raise Failure(f"{path}: changed since it was planned: plan again")
        return [os.fsdecode(name) for name in data.split(b"\0")[:-1]]


def output_of(plan, name, is_compressed=False):
    """The name of what nc3compress makes of a file."""
    if plan.action == "restore":
        output = name[:-len(plan.suffix)]
    elif plan.action == "pack":
        stem, last = os.path.splitext(name) if is_compressed else (name, "")
        output = (stem if last in PACKED_SUFFIXES else name) + plan.suffix
    else:
        return name
    return os.path.join(plan.output_dir, os.path.basename(output)) \
        if plan.output_dir else output
