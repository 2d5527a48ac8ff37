# SPDX-License-Identifier: MIT
"""Which states of a directory a power cut may leave, at any moment of a run.

record() runs a program under strace and turns its system calls into changes of
a disk: bytes of files (also of files without a name), entries of directories,
and what synchronises them.  states() gives what may be on disk when the power
goes after each of these changes.  The rules are those that POSIX gives, weaker
than any file system that is in use:

- Sure is what was synchronised: bytes and length of a file by fsync() of it,
  entries by fsync() of their directory, all by sync() and syncfs().
- Anything else that was done may be on disk or not, whatever was done before
  or after it.  An entry is there or not.  rename() is two changes: the new
  name has the new file or what it had before; the old name is there or not.
- A directory that was made is an entry of the one above it: without that,
  nothing in it is there, whatever was synchronised.
- Of bytes that were written and not synchronised, there may be on disk: the
  first writes, all but one, one alone, half a write, nothing, the length with
  zeros or with noise in place of bytes.

A call that may change files and is not known here ends the test: a model that
leaves something out would prove nothing.
"""

import collections
import hashlib
import itertools
import os
import pathlib
import random
import re
import subprocess

# Calls that leave names and bytes alone; attributes are not looked at here.
HARMLESS = set("""
    read readv pread64 preadv lseek mmap stat fstat lstat newfstatat statx
    statfs fstatfs access faccessat faccessat2 readlink readlinkat getcwd
    getdents64 getxattr fgetxattr lgetxattr listxattr flistxattr llistxattr
    setxattr fsetxattr lsetxattr removexattr fremovexattr chmod fchmod
    fchmodat chown fchown lchown fchownat utimensat utimes futimesat flock
    ioctl poll ppoll select pselect6 epoll_create1 fadvise64 readahead execve pipe2
    """.split())

# What a directory that was made has in place of a file; its name ends with a
# slash.
DIRECTORY = -1

# So many changes of names that are not synchronised: 2^12 choices.
PENDING_MAX = 12

SECTOR = 512

Data = collections.namedtuple("Data", "file offset bytes")
Length = collections.namedtuple("Length", "file length")
Entry = collections.namedtuple("Entry", "name file")  # file None: removed
SyncFile = collections.namedtuple("SyncFile", "file")
SyncDirectory = collections.namedtuple("SyncDirectory", "directory")
SyncAll = collections.namedtuple("SyncAll", "")


class NoTrace(Exception):
    """strace is missing, or may not trace here."""


def split_arguments(text):
    """At commas, but not at those inside brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()]


def text_of(argument):
    """The bytes of a string as strace -xx prints it."""
    if not re.fullmatch(r'"(\\x[0-9a-f]{2})*"', argument):
        raise ValueError(f"not a whole string: {argument[:60]}")
    return bytes.fromhex(argument[1:-1].replace("\\x", ""))


def read_trace(path):
    """(name, arguments, result) of the calls that succeeded.  One that another
    thread interrupts counts from its beginning, one that synchronises from its
    end."""
    calls, begun = [], {}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            thread, rest = line.rstrip("\n").split(None, 1)
            if rest.endswith("<unfinished ...>"):
                begun[thread] = len(calls), rest[:-len("<unfinished ...>")]
                calls.append(None)
                continue
            place, resumed = None, re.match(r"<\.\.\. \w+ resumed>(.*)", rest)
            if resumed:
                place, head = begun.pop(thread)
                rest = head + resumed[1]
            call = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", rest)
            if not call or int(call[3]) < 0:
                continue
            call = call[1], split_arguments(call[2]), int(call[3])
            if place is None or call[0] in ("fsync", "fdatasync"):
                calls.append(call)
            else:
                calls[place] = call
    return [call for call in calls if call]


class Tracer:
    """Turns calls into changes."""

    def __init__(self, directory, before, stdout):
        self.directory = directory
        self.files = {name: i for i, name in enumerate(before)}
        self.contents = dict(enumerate(before.values()))
        self.initial = dict(self.files), dict(self.contents)
        self.nfiles = len(before)
        self.open, self.at = {}, {}
        self.appending = set()  # descriptors
        self.changes = []
        if stdout:
            self.open[1], self.at[1] = self.create(stdout), 0

    def relative(self, base, argument):
        """The name under the directory, or None if the path is elsewhere."""
        path = os.fsdecode(text_of(argument))
        if base != "AT_FDCWD" and not path.startswith("/"):
            found = self.open.get(int(base))
            if not isinstance(found, str):
                raise ValueError(f"path below descriptor {base}")
            path = os.path.join(self.directory, found, path)
        path = os.path.normpath(os.path.join(self.directory, path))
        inside = os.path.relpath(path, self.directory)
        return None if inside.startswith("..") else inside

    def change(self, change):
        self.changes.append(change)
        if isinstance(change, (Data, Length)):
            self.contents[change.file] = put(self.contents[change.file],
                                             change)
        elif isinstance(change, Entry):
            set_entry(self.files, change)

    def create(self, name=None):
        file, self.nfiles = self.nfiles, self.nfiles + 1
        self.contents[file] = b""
        if name:
            self.change(Entry(name, file))
        return file

    def opened(self, base, path, flags, fd):
        name, flags = self.relative(base, path), flags.split("|")
        self.at[fd] = 0
        self.appending.discard(fd)
        if "O_APPEND" in flags:
            self.appending.add(fd)
        if name is None:
            self.open[fd] = None
        elif "O_TMPFILE" in flags:
            self.open[fd] = self.create()
        elif "O_DIRECTORY" in flags or \
                os.path.isdir(os.path.join(self.directory, name)):
            self.open[fd] = name
        else:
            if name not in self.files and "O_CREAT" in flags:
                self.create(name)
            self.open[fd] = self.files.get(name)
            if "O_TRUNC" in flags and self.open[fd] is not None:
                self.change(Length(self.open[fd], 0))

    def written(self, fd, data, count, offset):
        file = self.open.get(fd)
        if isinstance(file, int) and count > 0:
            if fd in self.appending:
                offset = len(self.contents[file])
            data = text_of(data)[:count]
            if len(data) != count:
                raise ValueError("bytes are missing in the trace")
            self.change(Data(file, offset, data))

    def made(self, base, path):
        name = self.relative(base, path)
        if name:
            self.change(Entry(name + "/", DIRECTORY))

    def linked(self, base, old, new_base, new):
        text = os.fsdecode(text_of(old))
        inside = re.fullmatch(r"/proc/self/fd/(\d+)", text)
        if inside or (text == "" and base != "AT_FDCWD"):
            file = self.open[int(inside[1] if inside else base)]
        else:
            file = self.files[self.relative(base, old)]
        self.change(Entry(self.relative(new_base, new), file))

    def renamed(self, base, old, new_base, new):
        old = self.relative(base, old)
        self.change(Entry(self.relative(new_base, new), self.files[old]))
        self.change(Entry(old, None))

    def synced(self, fd):
        found = self.open.get(fd)
        if isinstance(found, int):
            self.change(SyncFile(found))
        elif isinstance(found, str):
            self.change(SyncDirectory(found))

    def duplicated(self, old, new):
        self.open[new], self.at[new] = self.open.get(old), self.at.get(old, 0)

    def call(self, name, a, result):
        """One call; its name decides."""
        here = "AT_FDCWD"
        if name == "mmap" and "MAP_SHARED" in a[3] and "PROT_WRITE" in a[2]:
            raise ValueError("a mapping that writes")
        if name == "lseek" and int(a[0]) in self.at:
            self.at[int(a[0])] = result
        elif name == "read" and int(a[0]) in self.at:
            self.at[int(a[0])] += result
        elif name in HARMLESS:
            pass
        elif name in ("open", "creat"):
            self.opened(here, a[0], a[1] if name == "open" else
                        "O_CREAT|O_TRUNC", result)
        elif name == "openat":
            self.opened(a[0], a[1], a[2], result)
        elif name == "close":
            self.open.pop(int(a[0]), None)
        elif name in ("dup", "dup2", "dup3"):
            self.duplicated(int(a[0]), result)
        elif name == "fcntl":
            if a[1].startswith("F_DUPFD"):
                self.duplicated(int(a[0]), result)
        elif name == "write":
            fd = int(a[0])
            self.written(fd, a[1], result, self.at.get(fd, 0))
            self.at[fd] = self.at.get(fd, 0) + result
        elif name == "pwrite64":
            self.written(int(a[0]), a[1], result, int(a[3]))
        elif name == "ftruncate":
            if isinstance(self.open.get(int(a[0])), int):
                self.change(Length(self.open[int(a[0])], int(a[1])))
        elif name in ("mkdir", "mkdirat"):
            self.made(*((here, a[0]) if name == "mkdir" else a[:2]))
        elif name in ("link", "linkat"):
            self.linked(*((here, a[0], here, a[1]) if name == "link"
                          else a[:4]))
        elif name in ("rename", "renameat", "renameat2"):
            if len(a) == 5 and a[4] not in ("0", "RENAME_NOREPLACE"):
                raise ValueError(f"renameat2 with {a[4]}")
            self.renamed(*((here, a[0], here, a[1]) if name == "rename"
                           else a[:4]))
        elif name in ("unlink", "unlinkat"):
            self.change(Entry(self.relative(*((here, a[0]) if name == "unlink"
                                              else a[:2])), None))
        elif name in ("fsync", "fdatasync"):
            self.synced(int(a[0]))
        elif name in ("sync", "syncfs"):
            self.change(SyncAll())
        else:
            raise ValueError(f"the model does not know {name}()")


def put(content, change):
    """The bytes of a file after a change."""
    if isinstance(change, Length):
        return content[:change.length].ljust(change.length, b"\0")
    content = content.ljust(change.offset, b"\0")
    return content[:change.offset] + change.bytes + \
        content[change.offset + len(change.bytes):]


def set_entry(entries, change):
    if change.file is None:
        entries.pop(change.name, None)
    else:
        entries[change.name] = change.file


def read_directory(directory):
    """Name -> bytes of all files, also in directories below."""
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(pathlib.Path(directory).rglob("*"))
            if path.is_file()}


class Recording:
    """What a run did: what was there, its changes, and its calls' number."""

    def __init__(self, initial, changes, ncalls):
        (self.entries, self.contents), self.changes = initial, changes
        self.ncalls = ncalls

    def without(self, *kinds):
        """The same run, had it left out these calls."""
        return Recording((self.entries, self.contents),
                         [c for c in self.changes if not isinstance(c, kinds)],
                         self.ncalls)

    def unsure(self, names):
        """The same run, had some that was there before not been
        synchronised."""
        entries, contents = dict(self.entries), dict(self.contents)
        changes = []
        for name in names:
            file = entries.pop(name)
            changes += [Entry(name, file), Data(file, 0, contents[file])]
            contents[file] = b""
        return Recording((entries, contents), changes + self.changes,
                         self.ncalls)

    def states(self):
        """Each state that may be left, once: name -> bytes."""
        seen = set()
        for moment in range(len(self.changes) + 1):
            for state in states_at(self, self.changes[:moment]):
                key = frozenset((name, hashlib.sha256(data).digest())
                                for name, data in state.items())
                if key not in seen:
                    seen.add(key)
                    yield state


def record(command, directory, stdout=None, environment=(), inject=()):
    """Runs it in the directory; (Recording, exit status, messages).  'stdout'
    is the name of a file there that the caller makes, as a shell does."""
    directory = os.path.realpath(directory)
    before = read_directory(directory)
    trace = directory + ".trace"
    strace = ["strace", "-f", "-qq", "-xx", "-s", str(1 << 26), "-o", trace,
              "-e", "trace=%file,%desc,sync"]
    strace += [word for name in environment for word in ("-E", name)]
    strace += [word for fault in inject for word in ("-e", "inject=" + fault)]
    out = os.path.join(directory, stdout) if stdout else os.devnull
    try:
        with open(out, "wb") as file:
            done = subprocess.run(
                strace + [str(c) for c in command], cwd=directory, stdout=file,
                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise NoTrace("no strace") from None
    calls = read_trace(trace) if os.path.exists(trace) else []
    if not calls:
        raise NoTrace(done.stderr.decode(errors="replace").strip())
    os.unlink(trace)
    tracer = Tracer(directory, before, stdout)
    for call in calls:
        tracer.call(*call)
    # The model ends where the real directory does, or it is wrong.
    made = {n: tracer.contents[f] for n, f in tracer.files.items()
            if f != DIRECTORY}
    if made != read_directory(directory):
        there = sorted(read_directory(directory))
        raise AssertionError(f"the model has {sorted(made)}, the directory "
                             f"{there}, or other bytes")
    return Recording(tracer.initial, tracer.changes, len(calls)), \
        done.returncode, done.stderr


def is_synced_by(change, sync):
    """Whether a later call makes a change sure."""
    if isinstance(sync, SyncAll):
        return True
    if isinstance(change, Entry):
        return isinstance(sync, SyncDirectory) and \
            (os.path.dirname(change.name.rstrip("/")) or ".") == \
            sync.directory
    return isinstance(sync, SyncFile) and change.file == sync.file


def split_sure(changes):
    """Those that are on disk for sure, and the others."""
    sure, pending, syncs = [], [], []
    for change in reversed(changes):
        if isinstance(change, (SyncFile, SyncDirectory, SyncAll)):
            syncs.append(change)
        elif any(is_synced_by(change, sync) for sync in syncs):
            sure.insert(0, change)
        else:
            pending.insert(0, change)
    return sure, pending


def apply_all(content, changes):
    for change in changes:
        content = put(content, change)
    return content


def halves(change):
    """The two parts of a write that is torn, at a sector if it has several."""
    if isinstance(change, Length) or len(change.bytes) < 2:
        return []
    n = len(change.bytes)
    at = n // 2 if n < 2 * SECTOR else n // 2 // SECTOR * SECTOR
    return [Data(change.file, change.offset, change.bytes[:at]),
            Data(change.file, change.offset + at, change.bytes[at:])]


def contents_of(content, pending):
    """What a file may hold when these changes may be on disk or not."""
    whole = apply_all(content, pending)
    yield whole
    yield content
    yield content[:len(whole)].ljust(len(whole), b"\0")
    noise = random.Random(len(whole)).randbytes(len(whole))
    yield content[:len(whole)] + noise[len(content):]
    for i, change in enumerate(pending):
        first = apply_all(content, pending[:i])
        yield first
        yield apply_all(content, pending[:i] + pending[i + 1:])
        yield put(content, change)
        for half in halves(change):
            yield put(first, half)
            yield apply_all(content, pending[:i] + [half] + pending[i + 1:])


def above_of(name, made):
    """Those of the directories that were made that have the name in them."""
    return [directory for directory in made if name.startswith(directory)]


def states_at(recording, changes):
    """The states that may be there after these changes."""
    sure, pending = split_sure(changes)
    names = [c for c in pending if isinstance(c, Entry)]
    unsure = {id(c) for c in names}
    if len(names) > PENDING_MAX:
        raise ValueError(f"{len(names)} names are not synchronised")
    bodies = collections.defaultdict(lambda: ([], []))
    for i, part in enumerate((sure, pending)):
        for change in part:
            if not isinstance(change, Entry):
                bodies[change.file][i].append(change)

    def possible(file):
        content = apply_all(recording.contents.get(file, b""),
                            bodies[file][0])
        return set(contents_of(content, bodies[file][1]))

    made = {c.name for c in changes
            if isinstance(c, Entry) and c.file == DIRECTORY}
    possible_contents = {}
    for chosen in itertools.product((False, True), repeat=len(names)):
        entries = dict(recording.entries)
        taken = {id(c) for c, is_taken in zip(names, chosen) if is_taken}
        for change in changes:
            if isinstance(change, Entry) and \
                    (id(change) in taken or id(change) not in unsure):
                set_entry(entries, change)
        files = sorted(set(entries.values()))
        for file in files:
            if file not in possible_contents:
                possible_contents[file] = sorted(possible(file))
        for contents in itertools.product(
                *(possible_contents[file] for file in files)):
            bytes_of = dict(zip(files, contents))
            yield {name: bytes_of[file] for name, file in entries.items()
                   if file != DIRECTORY and
                   all(above in entries for above in above_of(name, made))}
