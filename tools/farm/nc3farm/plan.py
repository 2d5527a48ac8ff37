# SPDX-License-Identifier: MIT
"""Finds the files, and cuts the work into tasks."""

import contextlib
import errno
import hashlib
import json
import os
import stat
import subprocess
import time
import types
from typing import List, Tuple

from .farm import (ACTIONS, CLASSIC, COMPRESSED, FORMAT, TICK, WARNED,
                   Failure, Usage, absolute, command_of, complain, counted,
                   environment, first_bytes, local_name, look_at, marked,
                   nul_ended, output_of, read_ours, sync_directory)

TASKS_MAX = 1000         # Slurm's arrays have 1001 by default
TASK_NBYTES_MIN = 128 << 20
TASK_NBYTES_MAX = 500 << 30


def ask(action, options):
    """Lets the program refuse options that do not go with a plan; the suffix
    and the directory of outputs."""
    done = subprocess.run(
        [*command_of(action), *options, "--check-plan"], check=False,
        capture_output=True, stdin=subprocess.DEVNULL, env=environment())
    asked, *named = map(os.fsdecode, done.stdout.split(b"\0")[:-1] or [b""])
    if action == "bundle" and all(option.startswith(("-S", "--suffix="))
                                  for option in options):
        asked = asked and action
    if asked != action:
        why = done.stderr.decode("utf-8", "replace").split("\n")[0] or \
            f"this is not what {action} takes"
        raise Usage(f"{' '.join(options)}: {why}")
    return named


def is_offline(found):
    """Whether a file is on tape: as nc3compress -r, whose wanted.c explains
    it, takes it for that."""
    return found.st_size > 65536 and (found.st_blocks <= 1 or
                                      found.st_blocks * 512 <
                                      found.st_size // 1000)


def read_passed(work):
    """What an earlier plan, if there is one, has looked at and left out."""
    path = os.path.join(work or "", "passed")
    try:
        return json.loads(read_ours(path)) if work else {}
    except ValueError as error:
        raise Failure(f"{path} is damaged: plan again") from error


class Finder:
    """Files for a plan, each once."""

    def __init__(self, plan, passed):
        self.plan = plan
        # No classic files: how they looked, and whether they are compressed.
        self.before, self.passed = passed, {}
        self.offline = []
        self.files = []         # name, size
        self.compressed = []    # that were found and left out
        self.too_long = []      # paths, the same
        self.others = []        # size, name: of what no bundle takes
        self.inputs, self.outputs, self.directories = set(), {}, {}

    def place(self, path):
        """Where a name is, whatever its directory is called."""
        directory, base = os.path.split(path)
        if directory not in self.directories:
            try:
                found = os.stat(directory)
                self.directories[directory] = found.st_dev, found.st_ino
            except FileNotFoundError:  # it will be made
                self.directories[directory] = os.path.realpath(directory)
        return self.directories[directory], base

    def add(self, name, size, is_compressed=False):
        """A file, unless it is there; no two have one output."""
        if self.place(name) in self.inputs:
            return
        self.inputs.add(self.place(name))
        output = output_of(self.plan, name, is_compressed)
        other = self.outputs.setdefault(self.place(output), name)
        if other is not name:
            raise Failure(f"{other} and {name} would both become {output}: "
                          "rename one")
        self.files.append((name, size))

    def named(self, path):
        """A file that was named is taken as it is."""
        found = look_at(path)
        if not stat.S_ISREG(found.st_mode):
            raise Failure(f"{path}: not a regular file")
        if self.plan.action in ("restore", "bundle") and \
                not path.endswith(self.plan.suffix):
            raise Failure(f"{path}: name does not have the suffix of an "
                          "archive: rename it")
        self.add(path, found.st_size, self.plan.action == "pack" and
                 first_bytes(path).startswith(COMPRESSED))

    def found(self, entry):
        """A file in a directory is taken if it is one for the action."""
        if self.plan.action != "pack":
            size = entry.stat(follow_symlinks=False).st_size
            if entry.name.endswith(self.plan.suffix):
                self.add(entry.path, size)
            elif self.plan.action == "bundle":
                self.others.append((size, entry.path))
        elif not entry.name.endswith(self.plan.suffix):
            self.found_to_pack(entry.path, entry.stat(follow_symlinks=False))

    def found_to_pack(self, path, found):
        """The same by what it begins with; nothing is recalled from tape, or
        looked into again, to learn that."""
        look = [found.st_size, found.st_ino, found.st_mtime_ns,
                found.st_ctime_ns]
        before = self.before.get(path)
        if before and before[:-1] == look:
            is_compressed = before[-1]
        elif is_offline(found):
            self.offline.append(path)
            return
        else:
            begin = first_bytes(path)
            if begin.startswith(CLASSIC):
                self.add(path, found.st_size)
                return
            is_compressed = begin.startswith(COMPRESSED)
        if is_compressed:
            self.compressed.append(path)
        if found.st_ctime < time.time() - TICK:  # or it may change unseen
            self.passed[path] = [*look, is_compressed]

    @contextlib.contextmanager
    def short(self, path):
        """Leaves out what has a path that is too long for the system."""
        try:
            yield
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                error.filename = path  # all of it
                raise
            self.too_long.append(path)

    def tell(self):
        """What was found and left out."""
        if self.too_long:
            complain("paths that are too long left out: "
                     f"{len(self.too_long)}, the first is {self.too_long[0]}; "
                     "rename directories, or run nc3compress -r above them")
        if self.offline:
            complain(f"offline files left out: {len(self.offline)}, the first "
                     f"is {self.offline[0]}; name those that you want to be "
                     "recalled from tape")
        if self.compressed:
            complain("compressed files left out: "
                     f"{len(self.compressed)}, the first is "
                     f"{self.compressed[0]}; if they hold classic files, name "
                     "them, or use nc3compress -r")
        if self.others:
            complain("left out, because bundles take archives only: "
                     f"{counted(len(self.others), 'file')}, "
                     f"{sum(size for size, _ in self.others)} bytes, "
                     f"the first is {self.others[0][1]}")

    def walk(self, path):
        """All below a directory, in order, without links."""
        todo = [marked(path)]
        while todo:
            found, directory = [], todo.pop()
            with self.short(directory), os.scandir(directory) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
            for entry in found:
                if entry.is_file(follow_symlinks=False):
                    with self.short(entry.path):
                        self.found(entry)
            todo += [entry.path for entry in reversed(found)
                     if entry.is_dir(follow_symlinks=False)]

    def listed(self, path):
        """Files of a list of names, each ended by a NUL."""
        with open(0 if path == "-" else path, "rb") as file:
            names = file.read().split(b"\0")
        if names.pop():
            raise Failure(f"{path}: the last name has no NUL: the list is cut "
                          "off: make it again")
        if b"" in names:
            raise Failure(f"{path}: a name in the list is empty; no plan is "
                          "made")
        for name in names:
            path = absolute(local_name(os.fsdecode(name)))
            with self.short(path):
                self.named(path)


def group(files, nbytes, last_nbytes):
    """Runs of files of about so many bytes, in their order.

    Each takes at most a quarter of what is left, or 'last_nbytes': with large
    ones at the end, all others would wait for one."""
    tasks: List[List[Tuple[str, int]]] = []
    room, left = 0, sum(size for _, size in files)
    for name, size in files:
        if not tasks or (size > room and tasks[-1]):
            tasks.append([])
            room = min(nbytes, max(left // 4, last_nbytes))
        tasks[-1].append((name, size))
        room -= size
        left -= size
    return tasks


def cut(arguments, files):
    """Files of each task; neither too many tasks nor too few."""
    total = sum(size for _, size in files)
    fixed = arguments.bundle or arguments.task_bytes
    nbytes = fixed or min(max(total // 200, TASK_NBYTES_MIN), TASK_NBYTES_MAX)
    tasks = group(files, nbytes, fixed or TASK_NBYTES_MIN // 8)
    while not arguments.bundle and len(tasks) > TASKS_MAX:
        nbytes = max(nbytes * 2, total // TASKS_MAX)
        tasks = group(files, nbytes, nbytes if fixed else TASK_NBYTES_MIN // 8)
    return tasks


def tree_of(paths):
    """What names in bundles are relative to, whatever is there today."""
    paths = [os.path.abspath(path) for path in paths]
    return os.path.commonpath(paths) \
        if paths and all(map(os.path.isdir, paths)) else "/"


def name_bundles(plan, files, ntasks):
    """Each tar has its name from the start, and nobody else has it."""
    stem = os.path.basename(plan.root) or "archives"
    outputs = [os.path.join(plan.output_dir, f"{stem}-{i + 1:04d}.tar")
               for i in range(ntasks)]
    odd = [name for name, _ in files if "\n" in name]
    for path in odd:
        complain(f"{path!r}: a name with a line feed cannot be in a bundle")
    if odd:
        raise Failure(f"no plan is made: rename {counted(len(odd), 'file')}, "
                      "or name the others, for instance with --files0-from")
    for path in filter(os.path.lexists, outputs):
        raise Failure(f"{path}: exists already: name another --output-dir")
    os.makedirs(plan.output_dir, 0o700, exist_ok=True)
    return outputs


def start(work):
    """Makes the directory, for whoever is first."""
    try:
        os.mkdir(work, 0o700)
    except FileExistsError:
        if os.listdir(work):
            raise Failure(f"{work}: exists already: name a new directory "
                          "for the plan") from None
    os.mkdir(os.path.join(work, "shards"), 0o700)
    os.mkdir(os.path.join(work, "journal"), 0o700)


def write_new(path, data):
    """A file that is not there yet, and then is on disk."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(fd, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(fd)


def write(plan, work, tasks, outputs, passed):
    """All files of a plan; plan.json, without which it is none, is last."""
    start(work)
    write_new(os.path.join(work, "passed"), json.dumps(passed).encode())
    noted = []
    for i, files in enumerate(tasks):
        shard = nul_ended(name for name, _ in files)
        write_new(os.path.join(work, "shards", f"{i:06d}"), shard)
        write_new(os.path.join(work, "journal", f"{i:06d}"), b"")
        noted.append({"files": len(files), "output": outputs[i],
                      "sha256": hashlib.sha256(shard).hexdigest()})
    for name in "shards", "journal":
        sync_directory(os.path.join(work, name))
    path = os.path.join(work, "plan.json")
    write_new(f"{path}.tmp", json.dumps(
        {"format": FORMAT, **vars(plan), "tasks": noted}).encode())
    os.rename(f"{path}.tmp", path)
    sync_directory(work)
    sync_directory(os.path.dirname(work))


def plan(arguments):
    """Writes a plan."""
    if bool(arguments.paths) == bool(arguments.files0_from):
        raise Usage("name files and directories, or --files0-from")
    if bool(arguments.bundle) != bool(arguments.output_dir):
        raise Usage("--bundle and --output-dir need each other; with other "
                    "actions, write --output-dir after --")
    if arguments.bundle and arguments.task_bytes:
        raise Usage("--bundle is the size of a task: leave out --task-bytes")
    action = next((name for name in ACTIONS
                   if getattr(arguments, name, None)), "pack")
    suffix, output_dir = ask(action, arguments.options)
    output_dir = output_dir or arguments.output_dir
    made = types.SimpleNamespace(
        action=action, root=tree_of(arguments.paths), suffix=suffix,
        options=arguments.options,
        output_dir=output_dir and os.path.abspath(output_dir))
    finder = Finder(made, read_passed(arguments.after))
    if arguments.files0_from:
        finder.listed(arguments.files0_from)
    for path in map(os.path.abspath, arguments.paths):
        (finder.walk if os.path.isdir(path) else finder.named)(path)
    finder.tell()
    if not finder.files:
        raise Failure("no file to work on: no plan is made")
    tasks = cut(arguments, finder.files)
    outputs = name_bundles(made, finder.files, len(tasks)) \
        if action == "bundle" else [None] * len(tasks)
    write(made, os.path.abspath(arguments.work), tasks, outputs, finder.passed)
    print(f"{counted(len(finder.files), 'file')}, "
          f"{sum(size for _, size in finder.files)} bytes, "
          f"{counted(len(tasks), 'task')}")
    return WARNED if finder.too_long else None
