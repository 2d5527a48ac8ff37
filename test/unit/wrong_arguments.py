#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C program that calls every function of nc3z.h with wrong arguments.

usage: wrong_arguments.py HEADER PROGRAM

For each function, every pointer is NULL once, and every number is each of some
odd ones, while the other arguments are right: wrong_arguments.h has those.
"""

import re
import sys

# Sizes of memory that is passed: any other number would be a lie.
SIZES = {"options_nbytes", "text_nbytes", "raw_nbytes", "record_nbytes",
         "data_nbytes", "nin", "nvars"}
NUMBERS = {"int": ("-1", "77777", "INT_MIN", "INT_MAX"),
           "unsigned": ("77777u", "UINT_MAX"),
           "size_t": ("0", "SIZE_MAX"), "uint32_t": ("77777", "UINT32_MAX"),
           "uint64_t": ("77777", "UINT64_MAX"),
           "enum nc3z_form": ("(enum nc3z_form)-1", "(enum nc3z_form)99")}


def functions(text):
    """Result, name and parameters of each, as (type, name) pairs."""
    text = re.sub(r"/\*.*?\*/|^#.*?(?<!\\)$", "", text,
                  flags=re.DOTALL | re.MULTILINE)
    for match in re.finditer(r"NC3Z_API\s+([^;{()]*?)(\w+)\(([^;]*?)\)\s*;",
                             text):
        result, name, rest = (" ".join(part.split())
                              for part in match.groups())
        found = [re.fullmatch(r"(.*?)\s*(\w+)", part.strip()).groups()
                 for part in rest.split(",") if part.strip() != "void"]
        if found and found[-1][1] == "err" and result == "int":
            result = "status"
        yield result, name, found


def right(kind, name, number):
    """The expression of an argument that is right."""
    if name.endswith("_ret") or (kind == "void *" and name in ("values",
                                                               "raw")):
        return f"(void *)r->out[{number}]"
    if kind.endswith("*"):
        key = name if kind in ("const char *", "const void *", "char *",
                               "void *") else re.sub(r"\W+", "_", kind.replace(
                                   "*", "p").replace("const ", "")).strip("_")
        return f"RIGHT_{key}"
    return f"RIGHT_{name}" if name in SIZES or name == "fd" else "0"


def statement(result, name, arguments):
    """Calls it, and returns its status."""
    call = f"{name}({', '.join(arguments)});"
    if result == "status":
        return f"return {call}"
    return f"{'' if result == 'void' else '(void)'}{call}\n" \
        "\treturn NOT_A_STATUS;"


def main():
    """Writes the program."""
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    out, table, rows = ['#include "wrong_arguments.h"\n'], [], []

    def define(result, name, arguments):
        table.append(None)
        out.append(f"static int call_{len(table)}(struct right *r)\n{{\n"
                   f"\t(void)r;\n\t{statement(result, name, arguments)}\n}}\n")
        return f"call_{len(table)}"

    for result, name, parameters in functions(text):
        rights = [right(*parameter, i) for i, parameter in
                  enumerate(parameters)]
        if not parameters:
            continue
        all_right = define(result, name, rights)
        for i, (kind, what) in enumerate(parameters):
            odd = ("NULL",) if kind.endswith("*") else \
                ("0",) if what in SIZES else NUMBERS[kind]
            for value in odd:
                given = rights[:i] + [value] + rights[i + 1:]
                rows.append((define(result, name, given),
                             f"{name}({what} {value})", all_right))
    out.append("static const struct wrong_call calls[] = {")
    out += [f'\t{{ {call}, "{text}", {all_right} }},'
            for call, text, all_right in rows]
    out.append(
        "};\n\nint main(void)\n{\n"
        "\treturn run_wrong_calls(calls, sizeof(calls) / sizeof(*calls));\n"
        "}\n")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main()
