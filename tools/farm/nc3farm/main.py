# SPDX-License-Identifier: MIT
"""The command line."""

import argparse
import importlib
import os
import signal
import sys

from .farm import CONTROLS, Failure, guarded, local_name

# What a command is for, and the module that has it: each loads its own alone.
COMMANDS = {
    "plan": ("cut the work into tasks", "plan"),
    "run": ("run the remaining tasks on this machine", "run"),
    "work": ("run one task (called by jobs)", "work"),
    "left": ("print the numbers of tasks that are not done", "run"),
    "status": ("print the progress", "run"),
    "collect": ("print SHA-256 lines; prove that inputs can be removed", "run"),
}


class Parser(argparse.ArgumentParser):
    """Lets failures to print be seen, which argparse hides."""

    def error(self, message):
        super().error(message.translate(CONTROLS))

    def _print_message(self, message, file=None):
        file = file or sys.stderr
        try:
            print(message or "", end="", file=file, flush=True)
        except OSError as error:
            # Python 3.13 would try again, and end with a status of its own.
            os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())
            raise Failure(f"cannot print: {error.strerror}") from error


def parse_size(text):
    """A number of bytes; K, M, G, T are powers of 1024."""
    unit = "KMGT".find(text[-1:].upper()) + 1 if text else 0
    try:
        size = int(float(text[:-1] if unit else text) * 1024 ** unit)
    except (ValueError, OverflowError):
        size = 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of bytes")
    return size


def parse_count(text):
    """A whole number, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return int(text)


def add_plan(sub):
    """The options of plan."""
    what = sub.add_mutually_exclusive_group()
    for name, text in (("verify", "check archives (nc3compress -t)"),
                       ("restore", "restore archives (-d)"),
                       ("convert", "convert archives (nc3convert -f)")):
        what.add_argument(f"--{name}", action="store_true", help=text)
    what.add_argument("--bundle", metavar="SIZE", type=parse_size,
                      help="gather archives in tar files of SIZE bytes")
    sub.add_argument("--output-dir", metavar="DIR", help="where the outputs go")
    sub.add_argument("--files0-from", metavar="FILE",
                     help="read names, each ending in a NUL, from FILE")
    sub.add_argument("--task-bytes", metavar="SIZE", type=parse_size,
                     help="bytes in a task [1/200 of all, 128M to 500G, "
                          "less in the last ones]")
    sub.add_argument("--after", metavar="WORK",
                     help="do not look again into what this plan found to be "
                          "no classic file and is as it was")
    sub.add_argument("paths", metavar="PATH", nargs="*")


def parse_arguments(argv, version):
    """What comes after -- is for the program that does the work."""
    at = argv.index("--") if "--" in argv and argv[:1] == ["plan"] else \
        len(argv)
    parser = Parser(
        prog="nc3farm", description="Runs nc3compress on many files by many "
        "processes, on a cluster or one machine.")
    parser.add_argument("--version", action="version",
                        version=f"nc3farm {version}")
    commands = parser.add_subparsers(dest="command", required=True)
    subs = {name: commands.add_parser(name, help=text)
            for name, (text, _) in COMMANDS.items()}
    add_plan(subs["plan"])
    for command, *flags, name, text in (
            ("run", "-j", "--jobs", "N", "tasks at a time [processors]"),
            ("work", "-T", "--threads", "N", "threads of its program"),
            ("run", "--until", "SECONDS",
             "start no file that would probably end later than this"),
            ("work", "--until", "SECONDS", "as for run")):
        subs[command].add_argument(*flags, metavar=name, help=text,
                                   type=parse_count)
    for command, flag, text in (
            ("left", "--array", "print them as sbatch --array takes them"),
            ("status", "--json", "print one JSON object"),
            ("collect", "--read", "read all originals that are still there")):
        subs[command].add_argument(flag, action="store_true", help=text)
    for sub in subs.values():
        sub.add_argument("work", metavar="WORK")
    subs["work"].add_argument("number", metavar="TASK", type=int, nargs="?",
                              help="[the Slurm array task]")
    arguments = parser.parse_args(argv[:at])
    arguments.options = argv[at + 1:]
    return arguments


def main(argv, version):
    """Runs; the status of the program."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)

    def act():
        arguments = parse_arguments(argv, version)
        names = vars(arguments)
        for name in (arguments.work, *names.get("paths", ()),
                     names.get("output_dir"), names.get("files0_from"),
                     names.get("after")):
            if name is not None:
                local_name(name)
        module = importlib.import_module(
            f"{__package__}.{COMMANDS[arguments.command][1]}")
        return getattr(module, arguments.command)(arguments)
    return guarded(act)
