#!/usr/bin/env python3
"""Runs nc3compress on each damaged file of $NC3Z_CORPUS/malformed.

usage: check_malformed.py --bin DIR [--update]

malformed.tsv has a line for each file: name, exit status (0 packed, 3 packed
with a warning, 1 refused) and all that is said after "nc3compress: FILE: ",
several messages joined by " | ", "-" if nothing is said.  What is packed
must be restored exactly, what is refused must leave no file.  All runs have
little memory and little of a processor's time.

--update writes the messages of this build into the table, not the statuses.
Exit status: 0 all is as the table says, 1 something is not, 77 without the
corpus.
"""

import argparse
import os
from pathlib import Path
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from limits import limited, took_too_long  # noqa: E402

TABLE = Path(__file__).resolve().parent / "malformed.tsv"
HEAD = "name\tstatus\tmessages"
# Of addresses; one thread, as each would reserve some.
MEMORY_BYTES = 64 << 20
# Of a processor.
SECONDS = 10
JOINED = " | "
NOTHING = "-"


def read_table():
    """Name -> (status, messages), in the order of the file."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    if lines[0] != HEAD:
        sys.exit(f"{TABLE}: the first line is not: {HEAD}")
    rows = {}
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != 3 or cells[1] not in ("0", "1", "3"):
            sys.exit(f"{TABLE}:{number}: not a name, a status, messages")
        if cells[0] in rows:
            sys.exit(f"{TABLE}:{number}: {cells[0]} is there twice")
        rows[cells[0]] = (int(cells[1]), cells[2])
    return rows


def write_table(rows):
    """The other way."""
    lines = [HEAD] + [f"{name}\t{status}\t{messages}"
                      for name, (status, messages) in rows.items()]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def limit_memory():
    """Done in a child, so that it gets little memory."""
    # Sanitizers reserve terabytes of addresses.
    if not os.environ.get("NC3Z_SANITIZE"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def run(directory, *command):
    """Runs a command in a directory; its status and what it said."""
    done = subprocess.run(
        [*limited(SECONDS), *command], cwd=directory, stdin=subprocess.DEVNULL,
        capture_output=True, check=False, preexec_fn=limit_memory)
    if took_too_long(done):
        return None, f"still running after {SECONDS} s of a processor"
    said = (done.stdout + done.stderr).decode("utf-8", "backslashreplace")
    return done.returncode, said


def messages_of(said, name):
    """What was said, without program and name; None for anything else."""
    start = f"nc3compress: {name}: "
    lines = said.splitlines()
    if not all(line.startswith(start) for line in lines):
        return None
    return JOINED.join(line[len(start):] for line in lines) or NOTHING


def check_packed(tool, directory, original):
    """What is wrong with the archive in a directory, or None."""
    name = original.name
    (directory / name).unlink()
    status, said = run(directory, tool, "-T1", "-d", name + ".nc3z")
    if status != 0 or said:
        return f"restoring: exit status {status}: {said}"
    if (directory / name).read_bytes() != original.read_bytes():
        return "restored, but not the same"
    return None


def check(tool, original):
    """Packs a file; (status, messages, what is wrong or None)."""
    name = original.name
    with tempfile.TemporaryDirectory(prefix="malformed-") as temporary:
        directory = Path(temporary)
        shutil.copyfile(original, directory / name)
        status, said = run(directory, tool, "-T1", "--", name)
        messages = messages_of(said, name)
        if messages is None or status not in (0, 1, 3):
            return status, "", f"exit status {status}: {said}"
        left = sorted(os.listdir(directory))
        expected = [name] if status == 1 else [name, name + ".nc3z"]
        if left != sorted(expected):
            return status, messages, f"left these files: {left}"
        if status != 1:
            return status, messages, check_packed(tool, directory, original)
    return status, messages, None


def compare(name, row, status, messages):
    """How a result differs from the row of the table."""
    if row is None:
        return [f"{name}: no line in {TABLE.name}; it would be:",
                f"{name}\t{status}\t{messages}"]
    wrong = []
    if status != row[0]:
        wrong.append(f"{name}: exit status {status}, expected {row[0]}")
    if messages != row[1]:
        wrong += [f"{name}: said: {messages}", f"{name}: expected: {row[1]}"]
    return wrong


def main():
    """Checks all files, or updates the table."""
    parser = argparse.ArgumentParser(
        description="Runs nc3compress on damaged files.")
    parser.add_argument("--bin", required=True, metavar="DIR",
                        help="directory of the programs")
    parser.add_argument("--update", action="store_true",
                        help="write the messages into the table")
    args = parser.parse_args()
    tool = Path(args.bin).resolve() / "nc3compress"
    corpus = os.environ.get("NC3Z_CORPUS")
    if not corpus:
        print("skipped: NC3Z_CORPUS is not set")
        sys.exit(77)

    rows, wrong, count = read_table(), [], {0: 0, 1: 0, 3: 0}
    files = sorted(Path(corpus, "malformed").iterdir())
    for original in files:
        name = original.name
        status, messages, why = check(tool, original)
        if why:
            wrong.append(f"{name}: {why}")
        elif args.update and name in rows:
            rows[name] = (rows[name][0], messages)
        if not why:
            wrong += compare(name, rows.get(name), status, messages)
            count[status] += 1
    wrong += [f"{name}: in {TABLE.name}, but there is no such file"
              for name in rows if name not in {path.name for path in files}]
    if args.update:
        write_table(rows)
    print("\n".join(wrong + [
        f"{len(files)} files: {count[0]} packed, {count[3]} with a warning, "
        f"{count[1]} refused; {len(wrong)} wrong"]))
    sys.exit(1 if wrong or not files else 0)


if __name__ == "__main__":
    main()
