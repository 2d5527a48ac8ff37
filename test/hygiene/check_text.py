#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the text files of the project.

usage: check_text.py [--bin DIR]

No file, tracked or new, names a path of somebody's machine or the host of a
package registry, and none uses a word where the field, or English, has a better
one (WORDS; in tests only those of TEST_WORDS).  Documents, and messages of C
programs, do without HABITS.  Links of README.md, doc/ and format-spec/ lead to
files and headings; in the directories, only to those of both.  The tests
that doc/promises.md names exist.  With the programs in DIR: each option that
the programs print for --help is in the manual page of the tool.
"""

import argparse
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("nc3compress", "nc3convert", "nc3dump", "nc3farm", "nc3manifest",
         "nc3mount", "nc3run", "nc3salvage", "nc3view")

PRIVATE_PATH = re.compile(r"(?<![\w.<~}*)-])/(?:work|root|home)(?![\w-])")
REGISTRY = re.compile(
    r"\b(?:(?:[\w-]+\.)*(?:pypi\.org|pythonhosted\.org|npmjs\.org|crates\.io"
    r"|proxy\.golang\.org|(?:deb|security)\.debian\.org|docker\.io|ghcr\.io"
    r"|quay\.io)"
    r"|(?:registry|artifactory|nexus|proxy|mirror|mirrors)"
    r"\.[a-z0-9-]+\.[a-z0-9.-]+)\b")

# What to write instead, by what is not to be written.
TEST_WORDS = {re.compile(word, re.IGNORECASE): better for word, better in (
    (r"folder", "directory"),
)}
WORDS = TEST_WORDS | {re.compile(pattern): better for pattern, better in (
    (r"\b[Bb]ehind\b", "after, past, beyond"),
    (r"\b[Bb]esides\b", "also, in addition, other than"),
    (r"\b[Gg]ravest\b", "most serious"),
    (r"\b[Ss]aid\b", "stated, reported, given"),
    (r"\band (?:its|their) like\b", "such as ..."),
    (r"\bfor ever\b", "forever"),
)}
# In documents for users, habits that make a reader read twice.
DOCUMENTS = ("*.md", "doc/*.md", "lib/README.md", "lib/nc3z*.h",
             "tools/*/*.[1-8]")
MESSAGES = ("lib/*/*.[ch]", "tools/*/*.[ch]")
HABITS = {re.compile(pattern): better for pattern, better in (
    (r"\b[Oo]f which\b", "a new sentence"),
    (r"\bbut for\b", "except for"),
    (r"\bgo(?:es)? with\b", "takes, comes with, works with"),
    (r"\bgo(?:es)? without\b", "excludes, needs no"),
    (r"\bended by\b", "ending in"),
    (r"\b(?:is|are) (?:not )?there(?: already\b|[.,:;]| and\b)",
     "exists, does not exist"),
    (r"(?<!here )\b(?:is|are) no\b(?! (?:\w+er|more|such)\b)",
     "is not, means no"),
    (r"\bthere are (?:two|three) of (?:it|them)\b", "there are two ..."),
    (r"\bnot within \S+ and\b", "not between ... and"),
    (r"\b(?:is|are) (?:that|those) of\b", "the noun again, or a possessive"),
    # at the start of a sentence, or of a line of a manual page
    (r"(?:^|[.;] |^- )(?:What|Who|Whoever|Whatever) (?![^.?]*\?)",
     "a noun as the subject"),
)}
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Of others, or where other words have to be quoted.
FREE = ("test/hygiene/check_text.py", "tools/viewer/")

# An option at the start of a line of --help, or after another one.
OPTION_LINE = re.compile(r"^\s+(-{1,2}[A-Za-z0-9].*)")
OPTION = re.compile(r"(?:^|(?<=[\s,|/]))(--[A-Za-z0-9][\w-]*|-[A-Za-z0-9])\b")


def project_files():
    """The files that are or would be tracked; without git, all but builds."""
    git = shutil.which("git") and subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], cwd=ROOT, capture_output=True, check=False)
    if git and git.returncode == 0:
        names = os.fsdecode(git.stdout).split("\0")
        return sorted({ROOT / name for name in names if name})
    return sorted(path for path in ROOT.rglob("*") if not
                  path.relative_to(ROOT).parts[0].startswith(("build", ".git")))


def words_for(name):
    """The words that a file must not have, and better ones."""
    if name.startswith(FREE):
        return {}
    return TEST_WORDS if name.startswith(("test/", "testdata/")) else WORDS


def reader_of(path):
    """A function that gives the part of a line that users read."""
    if any(path.match(f"{ROOT}/{pattern}") for pattern in DOCUMENTS):
        return lambda line: line
    if any(path.match(f"{ROOT}/{pattern}") for pattern in MESSAGES):
        return lambda line: " ".join(STRING.findall(line))
    return lambda line: ""


def check_words(wrong):
    """Looks for paths, hosts and words; returns the number of text files."""
    count = 0
    for path in project_files():
        if not path.is_file():
            continue
        data = path.read_bytes()
        if b"\0" in data[:8192]:
            continue
        count += 1
        name = path.relative_to(ROOT).as_posix()
        text = data.decode("utf-8", "replace")
        patterns = [(PRIVATE_PATH, "private path"),
                    (REGISTRY, "registry host")]
        patterns += [(word, f"write: {better}")
                     for word, better in words_for(name).items()]
        read = reader_of(path)
        for number, line in enumerate(text.splitlines(), 1):
            shown = read(line)
            found = [(pattern.search(line), what)
                     for pattern, what in patterns]
            found += [(habit.search(shown), f"write: {better}")
                      for habit, better in HABITS.items()]
            wrong += [f"{name}:{number}: {what}: {match[0]}"
                      for match, what in found if match]
    return count


def headings(text):
    """The anchors of a Markdown document."""
    titles = re.findall(r"^#+ (.*)", text, re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in titles}


def check_links(wrong):
    """Checks relative links; returns how many there are."""
    count = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "doc").glob("*.md")),
                 *sorted((ROOT / "format-spec").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^):\s]+)\)", text):
            count += 1
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            place = target.relative_to(ROOT).parts[0]
            if path.parent != ROOT and place not in ("doc", "format-spec") \
                    or not target.is_file() or anchor and anchor not in \
                    headings(target.read_text(encoding="utf-8")):
                wrong.append(f"{path.relative_to(ROOT)}:1: {link} leads "
                             "nowhere")
    return count


def is_test(name, files):
    """Whether one of CMake's files adds a test; variables are words there."""
    for text in files:
        for added in re.findall(r"add_test\(NAME (\w\S*)", text):
            pattern = re.sub(r"\$\{\w+\}", r"([\\w*]+)", added)
            match = re.fullmatch(pattern, name)
            if match and all(part == "*" or re.search(rf"\b{part}\b", text)
                             for part in match.groups()):
                return True
    return False


def check_tests(wrong):
    """Checks that promises are kept by tests; returns how many are named."""
    test = ROOT / "test"
    files = [path.read_text(encoding="utf-8")
             for path in test.rglob("CMakeLists.txt")]
    text = (ROOT / "doc/promises.md").read_text(encoding="utf-8")
    _, tests = text.split("\n## Tests")
    names = re.findall(r"`([a-z\d_*]+(?:\.case)?)`", tests)
    wrong += [f"doc/promises.md:1: no test {name}" for name in names
              if not (is_test(name, files) or name.endswith(".case")
                      and (test / "cli" / name).is_file())]
    return len(names)


def options_of(help_text):
    """The options that a help text lists, in its order."""
    options = []
    for line in help_text.splitlines():
        match = OPTION_LINE.match(line)
        if match:
            # the description follows after two spaces
            listed = re.split(r"\s{2,}|\t", match[1])[0]
            options += OPTION.findall(listed)
    return list(dict.fromkeys(options))


def check_options(program, wrong):
    """Checks that all options of a program are documented."""
    shown = subprocess.run([program, "--help"], capture_output=True,
                           text=True, stdin=subprocess.DEVNULL, check=False)
    options = options_of(shown.stdout)
    if shown.returncode or not options:
        wrong.append(f"{program.name}:1: --help shows no options")
    manual = (ROOT / "tools" / program.name.removeprefix("nc3")
              / f"{program.name}.1")
    text = manual.read_text(encoding="utf-8").replace("\\-", "-")
    for option in options:
        if not re.search(rf"(?<![\w-]){option}(?![\w-])", text):
            wrong.append(f"{manual.relative_to(ROOT)}:1: "
                         f"{program.name} {option} is missing")
    return len(options)


def main():
    """Checks what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Checks the text files of the project.")
    parser.add_argument("--bin", metavar="DIR", type=Path,
                        help="where the programs are, to check options")
    args = parser.parse_args()

    wrong = []
    print(f"{check_words(wrong)} text files")
    print(f"{check_links(wrong)} links")
    print(f"{check_tests(wrong)} tests that keep promises")
    if args.bin:
        programs = [args.bin / tool for tool in TOOLS
                    if (args.bin / tool).is_file()]
        if not programs:
            wrong.append(f"{args.bin}:1: no programs here")
        for program in programs:
            count = check_options(program.resolve(), wrong)
            print(f"{program.name}: {count} options")
    print("\n".join(wrong + [f"{len(wrong)} wrong"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
