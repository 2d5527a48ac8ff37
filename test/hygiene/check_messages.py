#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages that end a program say what to do, or there is a reason why not.

A message is what stands between the parentheses of a call that makes one, as
error_set(), or of what Python raises.  It says what to do if it has a word of
ADVICE; else it must be of a kind in REASONS, all of which are needed.
"""

import ast
import re
import sys

from check_options import ROOT, STRING, code_of, strings_in

CALL = re.compile(r"\b(?:error_set\w*|message_error|fprintf(?=\(stderr, \")|"
                  r"\w*(?:_|\b)(?:fail|refuse)\w*|compat_tell|say(?=\(path))\(")
TOKEN = re.compile(STRING + r"|'(?:[^'\\\n]|\\.)+'|[()]")

# A program or an option, a step to take, or what is allowed.
ADVICE = re.compile(
    r"(?<![\w-])--?[A-Za-z]|\bnc3[a-y]\w+|[A-Z_]*ADVICE\b|message_hint"
    r"|\b(?:use|try|see|run|again|make|remove|restore|decompress|unpack|wait|"
    r"download|name another|name a|names? files|choose|join|mount|pack|"
    r"transfer|install|rename|unset|take|leave|open|build|send|call)\b"
    r"|names them|keeps it|outside of|between|at most|are known|is neither|"
    r"has to|must|only for|cannot be combined|is not a|number of|more than|"
    r"%s can|name one|comes a name| or ")

# Calls without: where, what is in them, why.
REASONS = [
    ("lib/", "NC3Z_EDAMAGED", "programs name nc3salvage after it"),
    ("", r"error_set_(system|output)|strerror|dlerror|hdf5_fail|out of memory|"
     "memory ran out|fail[(]journal", "it has the system's own reason"),
    ("lib/hdf5/|lib/exact/write", "", "HDF5 or the system failed"),
    ("", "NC3Z_ECHANGED|became shorter|was replaced meanwhile|link now",
     "who writes to the file knows when it is complete"),
    ("lib/", "NC3Z_(EINVAL|EBADDIM|ENOTVAR|ENOTATT|EBADTYPE|EINVALCOORDS|"
     "EEDGE|ESTRIDE|ECHAR|ERANGE)|is a classic file", "callers of the "
     "library err, or the text says what the file has"),
    ("lib/", "NC3Z_ELIMIT", "a limit of the formats or of this machine"),
    ("lib/", "NC3Z_ETRUNCATED", "the original has no more values"),
    ("lib/", "NC3Z_EUNSUPPORTED", "the version is checked before, and says "
     "to install a newer one"),
    ("lib/classic/|lib/base/magic|lib/exact/open|lib/tar|lib/archive/super",
     "NC3Z_E?NOT(CLASSIC|ARCHIVE)", "a kind of file that nobody knows"),
    ("lib/exact/refusal", "refuse(_name)?[(]", "the caller adds that an "
     "archive keeps it"),
    ("lib/io/sink_name", "NC3Z_EEXIST", "programs add their options"),
    ("lib/remote/", "", "the server's answer is the reason"),
    ("lib/salvage/", "no block", "nothing is left that could be done"),
    ("lib/write/older", "NC3Z_EOLDER", "all is packed anew then"),
    ("lib/netcdf-plugin/", "say[(]path, \"libnetcdf", "other lines follow"),
    ("lib/write/packer", "size of", "callers of the library err"),
    ("tools/dump/nc3dump", "refuse it", "the refusal says what reads it"),
    ("", '"variable %[^ ]*: %s', "the name of a variable, and a message"),
    ("lib/python/", r"\b(Type|Value|Index|Key|Attribute|Import|Runtime|OS|"
     r"Permission|NotImplemented|Invalid|Changed|BlockingIO|struct[.]e)[Ee]?r",
     "the text names the argument or what went wrong, in Python's kinds"),
    ("lib/python/", "Unfit|refuse|damaged|from_c|Unsupported|DataTree",
     "its caller, or the library, adds what can be done"),
    ("tools/batch/input.c", "is a directory", "its callers say to use -r"),
    ("tools/batch/job_(finish|output)", "[(]stdout[)]|remov|hold",
     "nothing is removed or lost"),
    ("tools/batch/journal", "fail_journal[(]\"",
     "it has the system's own reason"),
    ("tools/(common/option|compress/options|mount/mount_set|salvage/opt)", "",
     "\"try --help\" follows, or the text names the argument"),
    ("tools/common/progress", "", "progress is no failure"),
    ("tools/manifest/checksum", "of this machine", "not in our hands"),
    ("tools/farm/", "read back|ended before", "the task is run once more"),
    ("tools/farm/", "Failure|Usage", "the text names the operand"),
]


def calls_of(path):
    """The calls of a C source that make a message, with their strings."""
    text = code_of(path)
    for call in CALL.finditer(text):
        depth, end = 1, len(text)
        for token in TOKEN.finditer(text, call.end()):
            depth += {"(": 1, ")": -1}.get(token.group(), 0)
            if depth == 0:
                end = token.start()
                break
        code = call.group() + text[call.end():end]
        if re.match(r"\);\s*message_hint\(", text[end:]):
            code += "message_hint"
        yield code, " ".join(strings_in(text[call.end():end]))


def raised_by(path):
    """The same of the exceptions that a Python source raises."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield ast.get_source_segment(text, node.exc), " ".join(
                part.value for part in ast.walk(node.exc)
                if isinstance(part, ast.Constant)
                and isinstance(part.value, str))


def calls():
    """All, with the paths of their sources from the root on."""
    for pattern, of in (("lib/**/*.[ch]", calls_of),
                        ("tools/**/*.[ch]", calls_of),
                        ("lib/python/nc3z/*.py", raised_by),
                        ("tools/farm/nc3farm/*.py", raised_by)):
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            if not name.startswith("tools/viewer"):
                yield from ((name, *call) for call in of(path))


def main():
    wrong, used, ncalls = [], set(), 0
    for path, code, said in calls():
        # What has no words of its own passes others on.
        if not re.search("[a-z]{3}", re.sub(r"%[-#.*\d]*[a-z]*", "", said)):
            continue
        ncalls += 1
        fits = [row for row in REASONS if re.match(row[0], path)
                and re.search(row[1], " ".join(code.split()))]
        used.update(fits[:1])
        if not fits and not ADVICE.search(f"{said} {code[-12:]}"):
            wrong.append(f"{path}: neither advice nor a reason why there is "
                         f"none: {said}")
    wrong += [f"REASONS: nothing needs {row}" for row in REASONS
              if row not in used]
    print(*wrong, f"{ncalls} messages, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or ncalls < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
