#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Restores and reads nc3z archives.

Written from format-spec/nc3z-format.md alone, independently of the C library;
numbers in parentheses, here and in the other modules, are its sections.  It
decodes each block once to restore, and puts records together many at a time.

Without --describe or --variable, writes the original to standard output.
Exit status: 0 done, 1 failed, 2 wrong usage, 4 damaged, 5 unsupported,
6 not an nc3z archive.
"""

import argparse
import sys

import block as blocks
from archive import SeekingReader
from classic import Header
from fields import Damaged, NotAnArchive, Refused, Unsupported
from one_pass import OnePassReader
from plan import INF, NO_VARIABLE

STATUS = {Damaged: 4, Unsupported: 5, NotAnArchive: 6}


def describe(archive, write):
    """What the archive is made of, a line for each thing."""
    plan = archive.plan
    records = ("to the end" if plan.number_of_records == INF
               else plan.number_of_records)
    write(f"original: {archive.size} bytes, "
          f"SHA-256 {archive.sha256.hex()}\n")
    write(f"plan: header {plan.header_length}, records at "
          f"{plan.record_begin}, each {plan.record_length}, number "
          f"{records}\n")
    for stream in plan.streams:
        cut = (" x ".join(f"{c}/{d}" for c, d
                          in zip(stream.chunks, stream.dims))
               if hasattr(stream, "chunks")
               else f"blocks {stream.block_length}, panel {stream.panel}")
        write(f"stream {stream.number}: "
              f"{'record' if stream.is_record else 'fixed'}, "
              f"w={stream.width}, {cut}, "
              f"{stream.length(archive.size)} bytes\n")
        for member in stream.members:
            variable = ("none" if member.variable == NO_VARIABLE
                        else member.variable)
            write(f"  variable {variable}: {member.begin} + "
                  f"{member.length}\n")
    for record, offset in archive.records():
        if isinstance(record, blocks.Duplicate):
            write(f"block {record.stream}.{record.block} at {offset}: raw "
                  f"{record.raw_length}, that of block "
                  f"{record.of[0]}.{record.of[1]}\n")
            continue
        description = blocks.read_description(
            record.description, record.raw_length, record.payload_length)
        write(f"block {record.stream}.{record.block} at {offset}: raw "
              f"{record.raw_length}, payload {record.payload_length}; "
              f"{description}\n")


def hyperslab(archive, name, start=None, count=None, stride=None):
    """Pieces of the external bytes of a variable or of a part of it."""
    header = Header(archive.header())
    variable = header.find(name.encode())
    if variable is None:
        raise ValueError(f"no variable {name}")
    shape = variable.shape
    start = start or [0] * len(shape)
    stride = stride or [1] * len(shape)
    count = count or [-((s - n) // t) for n, s, t
                      in zip(shape, start, stride)]
    if not len(start) == len(count) == len(stride) == len(shape):
        raise ValueError(f"{name} has {len(shape)} dimensions")
    for n, s, c, t in zip(shape, start, count, stride):
        if s < 0 or c < 0 or t < 1 or (c and s + (c - 1) * t >= n):
            raise ValueError(f"not a part of {name}")
    for offset, length in header.runs(variable, start, count, stride):
        yield from archive.original(offset, length)


def numbers(text):
    return [int(number) for number in text.split(",")]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        sys.exit(fail(message, 2))


def parse_arguments(arguments):
    parser = Parser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--stream", action="store_true",
                        help="read in one pass (default from a pipe)")
    parser.add_argument("--describe", action="store_true",
                        help="print plan and blocks")
    parser.add_argument("--variable", metavar="NAME",
                        help="write the external bytes of a variable")
    for option in "start", "count", "stride":
        parser.add_argument(f"--{option}", type=numbers, metavar="N,N...",
                            help="for each dimension of the variable")
    parser.add_argument("archive", nargs="?", default="-",
                        help="file, or - for standard input (default)")
    return parser.parse_args(arguments)


def run(options, file):
    write = sys.stdout.buffer.write
    if not file.seekable() or options.stream:
        if options.describe or options.variable is not None:
            raise ValueError("only a file can be read from the end")
        OnePassReader(file).restore(write)
        return
    archive = SeekingReader(file)
    if options.describe:
        describe(archive, lambda text: write(text.encode()))
    elif options.variable is not None:
        for piece in hyperslab(archive, options.variable, options.start,
                               options.count, options.stride):
            write(piece)
    else:
        archive.restore(write)


def fail(message, status):
    # What could command a terminal, or end the line, is shown as '?'.
    controls = dict.fromkeys((*range(0x20), 0x7f), "?")
    print(f"decode.py: {str(message).translate(controls)}", file=sys.stderr)
    return status


def main(arguments):
    options = parse_arguments(arguments)
    try:
        if options.archive == "-":
            run(options, sys.stdin.buffer)
        else:
            with open(options.archive, "rb") as file:
                run(options, file)
        sys.stdout.buffer.flush()
    except (OSError, ValueError) as error:
        return fail(error, 1)
    except Refused as error:
        return fail(f"{options.archive}: {type(error).__name__}: {error}",
                    STATUS[type(error)])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
