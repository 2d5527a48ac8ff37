#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the budgets of lib/ and tools/ and prints the statistics.

Functions, and macros of several lines, which hide them: none over 60 lines,
nine in ten up to 30, the median up to 15, six parameters.  Files: 480 lines
of 80 columns, tabs counting as 8.  No "#if 0", no marks for work left to
do.  A function's length counts from the line of its name to its closing
brace.  A name of one word is that of three C functions at most: grep and a
backtrace should tell them apart.

Python in lib/ and tools/ has the same budgets, and docstrings are no lines of a
function; parameters that have to be named are not counted.
"""

import ast
from pathlib import Path
import re
import sys

ROOT = Path(__file__).resolve().parents[2]

MAX_FUNCTION = 60
NINE_IN_TEN = 30
MEDIAN = 15
MAX_PARAMETERS = 6
MAX_FILE = 480
MAX_COLUMNS = 80
MAX_OF_ONE_WORD = 3

# ("lib/room/file.c", "function"): "reason"; for a file the function is "".
EXCEPTIONS = {
    ("lib/nc3z.h", ""): "the interface in one header",
    ("lib/nc3z.h", "nc3z_get_varm"): "netCDF's parameters",
    ("lib/nc3z.h", "nc3z_get_vars"): "netCDF's parameters",
    ("lib/nc3z.h", "nc3z_get_vara"): "netCDF's parameters",
    ("lib/nc3z_compat.h", ""): "the interface in one header",
    ("lib/read/get.c", "nc3z_get_form"): "netCDF's parameters",
    ("lib/compat/nc_inq.c", "nc_inq_var"): "netCDF's parameters",
    ("lib/fortran/netcdf4.c", "nf_inq_user_type_"): "netCDF's parameters",
    ("lib/fortran/version2.c", "ncvinq_"): "netCDF's parameters",
    ("lib/fortran/version2.c", "ncvgtc_"): "netCDF's parameters",
    ("lib/fortran/version2.c", "ncvgtg_"): "netCDF's parameters",
    ("lib/fortran/version2.c", "ncvggc_"): "netCDF's parameters",
    ("lib/fortran/version2.c", "ncainq_"): "netCDF's parameters",
    ("lib/fortran/version2.c", "ncagtc_"): "netCDF's parameters",
    ("lib/fortran/fortran.c", "nf_inq_var_"): "netCDF's parameters",
    ("lib/compat/netcdf4.c", "nc_inq_user_type"): "netCDF's parameters",
    ("lib/compat/version2.c", "ncvarinq"): "netCDF's parameters",
    ("lib/python/nc3z/_classic.py", "__init__"): "a variable's fields",
    ("lib/python/nc3z/_codec.py", "__init__"): "fields of a configuration",
    ("lib/python/nc3z/_errors.py", "__init__"): "fields of struct nc3z_error",
    ("tools/view/nc3view.in", ""): "one script that runs where it lies",
    ("lib/compat/version2.c", "ncvargetg"): "netCDF's parameters",
}

LEFT_OVER = re.compile(r"^\s*#\s*if\s+0\b|\b(?:TODO|FIXME|XXX)\b")

# What must not be taken for code: comments, strings, characters, and lines of
# the preprocessor with their continuations.
NOT_CODE = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | ^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*""",
    re.DOTALL | re.MULTILINE | re.VERBOSE)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)\s*", re.DOTALL)
NOT_A_NAME = {"if", "for", "while", "switch", "return", "sizeof", "defined"}


class Function:
    """A function found in a file."""

    def __init__(self, file, name, line, last_line, parameters):
        self.file, self.name, self.line = file, name, line
        self.length = last_line - line + 1
        self.parameters = parameters


def blank(match):
    """Spaces in place of a match, newlines kept."""
    return re.sub(r"[^\n]", " ", match[0])


def count_parameters(text):
    """The number of parameters in the text between the parentheses."""
    if text.strip() in ("", "void"):
        return 0
    depth, commas = 0, 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        commas += char == "," and depth == 0
    return commas + 1


def parse_head(head):
    """Name, where it begins and number of parameters of the function that
    the text before a brace declares; None if it declares something else."""
    head = ATTRIBUTE.sub(blank, head)
    stripped = head.rstrip()
    if not stripped.endswith(")"):
        return None
    depth, at = 0, len(stripped)
    while at > 0:
        at -= 1
        depth += (stripped[at] == ")") - (stripped[at] == "(")
        if depth == 0:
            break
    # A function, or the template of one.
    name = re.search(r"(?:\bNAME\((\w+)\)|(\w+))\s*$", stripped[:at])
    if not name or name[2] in NOT_A_NAME:
        return None
    return (name[1] or name[2], name.start(),
            count_parameters(stripped[at + 1:-1]))


def functions(file, text):
    """The functions defined in the text of a file."""
    code = NOT_CODE.sub(blank, text)
    # extern "C" { is no block of its own
    code = re.sub(r"\bextern\s*\{", lambda m: m[0][:-1] + ";", code)
    found, current, depth, start = [], None, 0, 0
    for match in re.finditer(r"[{};]", code):
        at, char = match.start(), match[0]
        if char == "{":
            if depth == 0:
                current = parse_head(code[start:at])
                if current:
                    line = code.count("\n", 0, start + current[1]) + 1
            depth += 1
        elif char == "}":
            depth = max(depth - 1, 0)
            if depth == 0 and current:
                last = code.count("\n", 0, at) + 1
                found.append(Function(file, current[0], line, last,
                                      current[2]))
                current = None
        if depth == 0:
            start = at + 1
    return found


MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n){2,}[^\n]*",
                   re.MULTILINE)


def macros(file, text):
    """The macros of three lines and more in the text of a file."""
    for match in MACRO.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        yield Function(file, match[1], first,
                       first + match[0].count("\n"), 0)


def python_functions(file, text):
    """The functions of a file in Python."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        first, docstring = node.body[0], 0
        if ast.get_docstring(node) is not None:
            docstring = first.end_lineno - first.lineno + 1
        yield Function(file, node.name, node.lineno,
                       node.end_lineno - docstring,
                       len(node.args.posonlyargs) + len(node.args.args))


def is_python(path, text):
    """Whether a file is in Python, by its name or its first line."""
    return path.suffix == ".py" or (path.suffix == ".in" and
                                    text.startswith("#!/usr/bin/env python3"))


class Report:
    """What is wrong, less the exceptions."""

    def __init__(self):
        self.wrong = []
        self.used = set()

    def add(self, file, line, why, excuse=None):
        """Adds a finding, unless it has an exception by that key."""
        if excuse is not None and (file, excuse) in EXCEPTIONS:
            self.used.add((file, excuse))
        else:
            self.wrong.append(f"{file}:{line}: {why}")

    def finish(self):
        """Adds the exceptions that excuse nothing, prints all."""
        for file, name in sorted(EXCEPTIONS.keys() - self.used):
            self.wrong.append(f"{file}:1: exception not needed: {name}")
        for line in self.wrong:
            print(line)
        return bool(self.wrong)


def check_lines(report, file, lines):
    """Checks the lines of a file and their number."""
    for number, line in enumerate(lines, 1):
        columns = len(line.expandtabs(8))
        if columns > MAX_COLUMNS:
            report.add(file, number, f"{columns} columns")
        match = LEFT_OVER.search(line)
        if match:
            report.add(file, number, f"left over: {match[0].strip()}")
    if len(lines) > MAX_FILE:
        report.add(file, 1, f"file of {len(lines)} lines", "")


def check_function(report, function):
    """Checks the length and parameters of a function."""
    if function.length > MAX_FUNCTION:
        report.add(function.file, function.line,
                   f"{function.name}() has {function.length} lines",
                   function.name)
    if function.parameters > MAX_PARAMETERS:
        report.add(function.file, function.line,
                   f"{function.name}() has {function.parameters} parameters",
                   function.name)


def check_names(report, found):
    """Checks that few functions share a name of one word."""
    files = {}
    for function in found:
        if re.fullmatch("[a-z0-9]+", function.name) and \
                function.name != "main" and function.file.endswith(".c"):
            files.setdefault(function.name, {})[function.file] = function.line
    for name, lines in files.items():
        if len(lines) > MAX_OF_ONE_WORD:
            for file, line in lines.items():
                report.add(file, line, f"{name}() is in {len(lines)} files: "
                           "name its object, too")


def percentile(numbers, share):
    """The smallest number that 'share' of all do not exceed."""
    ordered = sorted(numbers)
    return ordered[max(-int(-share * len(ordered) // 1), 1) - 1]


def statistics(what, numbers):
    """Prints the statistics of a list; returns median and 90th percentile."""
    middle, ninety = percentile(numbers, 0.5), percentile(numbers, 0.9)
    print(f"{what}: {len(numbers)}, lines: median {middle}, "
          f"p90 {ninety}, max {max(numbers)}")
    return middle, ninety


def main():
    """Measures all files; prints what is over the budgets."""
    report, found, sizes = Report(), [], []
    for directory in ("lib", "tools"):
        for path in sorted((ROOT / directory).rglob("*")):
            if path.suffix not in (".c", ".h", ".cc", ".py", ".in") or \
                    "node_modules" in path.parts:
                continue
            file = path.relative_to(ROOT).as_posix()
            text = path.read_text(encoding="utf-8", errors="replace")
            lines = text.splitlines()
            if is_python(path, text):
                mine = list(python_functions(file, text))
            elif path.suffix in (".py", ".in"):
                continue
            else:
                mine = [*functions(file, text), *macros(file, text)]
            sizes.append(len(lines))
            check_lines(report, file, lines)
            for function in mine:
                found.append(function)
                check_function(report, function)
    check_names(report, found)
    if not found:
        sys.exit("lib:1: no functions found")
    middle, ninety = statistics("functions", [f.length for f in found])
    statistics("files", sizes)
    if middle > MEDIAN:
        report.add("lib", 1, f"half of the functions exceed {MEDIAN} lines")
    if ninety > NINE_IN_TEN:
        report.add("lib", 1,
                   f"one function in ten exceeds {NINE_IN_TEN} lines")
    sys.exit(1 if report.finish() else 0)


if __name__ == "__main__":
    main()
