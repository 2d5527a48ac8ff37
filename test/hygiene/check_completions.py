#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the completion scripts of all programs.

usage: check_completions.py --bin DIR --completions DIR --view DIR

Each script, of bash, fish and zsh, has every option that the program prints for
--help, and no other; a shell that is installed takes the script, and bash and
fish complete with it.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAMS = ("nc3compress", "nc3convert", "nc3dump", "nc3manifest", "nc3mount",
            "nc3run", "nc3salvage", "nc3view")
# How an option looks in a script.
LONG = {
    "bash": r"(?<![\w-])--([a-z][a-z0-9-]*)",
    "zsh": r"(?<=['{,)])--([a-z][a-z0-9-]*)",
    "fish": r" -l ([a-z][a-z0-9-]*)",
}
NAMES = {"bash": "{}", "zsh": "_{}", "fish": "{}.fish"}


def options_of(program):
    """The long options that --help shows."""
    shown = subprocess.run([program, "--help"], capture_output=True, text=True,
                           check=True).stdout
    lines = [line for line in shown.split("\n")
             if re.match(r"\s+-", line)]
    # what an option is for may name others
    return {name for line in lines for name in
            re.findall(r"--([a-z][a-z0-9-]*)",
                       re.split(r"(?<=\S)\s{2,}", line.strip())[0])}


def complete(shell, script, program):
    """Whether the shell offers --help after "--he"."""
    if shell == "bash":
        code = (f". {script}; COMP_WORDS=({program} --he) COMP_CWORD=1; "
                f"_{program}; echo ${{COMPREPLY[@]}}")
        command = ["bash", "-euc", code]
    elif shell == "fish":
        command = ["fish", "--no-config", "-c",
                   f"source {script}; complete -C '{program} --he'"]
    else:
        command = ["zsh", "-fn", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        return f"{script}: {shell}: {done.stderr.strip()}"
    if shell != "zsh" and "--help" not in done.stdout:
        return f"{script}: {shell} completes {done.stdout!r}"
    return None


def check(program, script, shell):
    """Yields what is wrong with one script."""
    text = script.read_text(encoding="utf-8")
    expected, found = options_of(program), set(re.findall(LONG[shell], text))
    for name in sorted(expected ^ found):
        yield (f"{script}: --{name} "
               f"{'is missing' if name in expected else 'is no option'}")
    if shutil.which(shell):
        failed = complete(shell, script, program.name)
        if failed:
            yield failed


def main():
    """Checks all scripts."""
    parser = argparse.ArgumentParser(
        description="Checks the completion scripts of all programs.")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--completions", type=pathlib.Path, required=True)
    parser.add_argument("--view", type=pathlib.Path, required=True,
                        help="the scripts of nc3view")
    args = parser.parse_args()
    wrong, count = [], 0
    for name in PROGRAMS:
        program = args.bin / name
        if not program.exists():
            print(f"skipped: there is no {name}")
            continue
        scripts = args.view if name == "nc3view" else args.completions
        for shell, pattern in NAMES.items():
            wrong += check(program, scripts / pattern.format(name), shell)
            count += 1
    for shell in NAMES:
        if not shutil.which(shell):
            print(f"skipped: {shell} is not installed")
    print(f"{count} scripts, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
