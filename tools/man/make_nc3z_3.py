#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the manual pages of the library of its header.

usage: make_nc3z_3.py nc3z.h nc3z.7 DIRECTORY

Each section of the header is a page (PAGES); what stands before the first one
is nc3z(3), with a list of the others.  Declarations are printed as they are,
and after them the comment that stands before them.  The getters, which a macro
declares, are in the comment before that.  A comment says nothing of constants
after a blank line.  Each function has a link to its page.  The date is that of
nc3z(7).
"""

from pathlib import Path
import re
import sys

NAME = "netCDF classic files as compressed, directly readable archives"
SEE_ALSO = ("nc3compress (1)", "nc3dump (1)", "nc3z (5)", "nc3z (7)")

# The page that a section of the header is on.
PAGES = {
    "": "nc3z",
    "Errors": "nc3z_error",
    "Opening": "nc3z_open",
    "Inquiring": "nc3z_inq",
    "Getting values": "nc3z_get",
    "Iterating": "nc3z_iterator",
    "How an archive is stored": "nc3z_storage",
    "Packing": "nc3z_pack",
    "Restoring and verifying": "nc3z_restore",
    "Converting": "nc3z_convert",
    "Salvaging": "nc3z_salvage",
    "Sources": "nc3z_source",
    "Tars": "nc3z_source",
    "Sinks": "nc3z_sink",
    "How this interface grows": "nc3z",
}


def escaped(line):
    """A line of text for troff."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def comment_lines(block):
    """The text of a comment, without its marks."""
    text = block.strip()[2:-2]
    return [re.sub(r"^\s*\* ?", "", line).rstrip()
            for line in text.split("\n")]


def code(lines):
    """An example, as it is."""
    return ([".PP", ".RS 4", ".nf"]
            + [escaped(line.expandtabs(8)) for line in lines] + [".fi", ".RE"])


def declared_code(lines):
    """Declarations, with indents of four columns, so that lines fit."""
    return lines and [".PP", ".nf"] + [
        escaped(re.sub(r"^\t+", lambda tabs: 4 * " " * len(tabs[0]), line)
                .expandtabs(8)) for line in lines] + [".fi"]


def is_code(line):
    """Whether a line of a comment is an example or a table."""
    return line.startswith(("\t", "  "))


def text(lines):
    """A paragraph, in which list items may follow."""
    words = re.sub(r"\*(\w[\w\s]*)\*(?!\w)", r"\1", "\n".join(lines))
    for line in words.split("\n"):
        if line.startswith("- "):
            yield ".IP \\(bu 2"
        yield escaped(re.sub("^(- |  )", "", line))


def end_of(lines, begin):
    """Where a paragraph, a list or an example ends that begins at a line."""
    end = begin + 1
    in_list = False
    while end < len(lines):
        in_list = in_list or lines[end - 1].startswith("- ")
        if is_code(lines[begin]):
            # a blank line may be in it
            if not is_code(lines[end] or "".join(lines[end + 1:end + 2])):
                break
        elif not lines[end] or is_code(lines[end]) and not in_list:
            break
        end += 1
    return end


def paragraphs(lines):
    """The text of a comment."""
    out, i = [], 0
    while i < len(lines):
        end = end_of(lines, i) if lines[i] else i + 1
        if is_code(lines[i]):
            out += code(re.sub(r"^(\t|  )", "", line)
                        for line in lines[i:end])
        elif lines[i]:
            out += [".PP", *text(lines[i:end])]
        i = end
    return out


def aligned(lines):
    """A function declaration without the words for compilers at its beginning,
    lines after the first one moved by their length."""
    first = re.sub("^(NC3Z_API|static inline) ", "", lines[0])
    moved = len(lines[0]) - len(first) if "(" in first else 0
    return [first] + [line.expandtabs(8)[moved:] for line in lines[1:]]


def declaration(lines):
    """A declaration without what is for compilers; [] if nothing is left."""
    kept, i = [], 0
    if any("#define NC3Z_GETTERS" in line for line in lines):
        return []
    while i < len(lines):
        begin = i
        if re.match("NC3Z_API|static inline", lines[i]):
            while not lines[i].endswith((")", ";")):
                i += 1
            kept += aligned(lines[begin:i + 1])
            if not kept[-1].endswith(";"):
                # a function with a body
                kept[-1] += ";"
                i = lines.index("}", i)
        elif not re.match(r"#(if|endif|else|ifdef|ifndef|undef|include)|NC3Z_GE"
                          r"|extern|}$|#define NC3Z_(H|API)\b", lines[i]):
            kept.append(lines[i])
        i += 1
    while kept and not kept[-1]:
        kept.pop()
    return kept if any(kept) else []


def items(text):
    """Pairs of a comment and the declarations after it, both as lines."""
    parts = re.split(r"^(/\*.*?\*/)$", text, flags=re.M | re.S)
    for comment, rest in zip(parts[1::2], parts[2::2]):
        # what a blank line separates has no comment of its own
        yield comment_lines(comment), rest.strip("\n").split("\n")


def heading(name, about, header, date):
    """The beginning of a page."""
    version = re.search(r'NC3Z_VERSION "([^"]+)"', header)[1]
    yield f'.TH {name.upper()} 3 "{date}" "nc3z {version}" "Library calls"'
    yield from (".\\\" Made of nc3z.h by make_nc3z_3.py.", ".SH NAME",
                f"{name} \\- {about}", ".SH SYNOPSIS", ".nf",
                ".B #include <nc3z.h>", ".PP",
                "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs nc3z)",
                ".fi", ".SH DESCRIPTION")


def functions_of(rest):
    """The names of the functions that lines declare."""
    if any("#define NC3Z_GETTERS" in line for line in rest):
        return []
    return re.findall(r"^(?:NC3Z_API|static inline) [^;{(]*?(nc3z_\w+)\(",
                      "\n".join(rest), re.M)


def sections(header):
    """Of each section of the header: its title, the lines of the page, the
    names of its functions."""
    found = [("", [], [])]
    for lines, rest in items(header):
        if "SPDX" in lines[0]:
            continue
        while lines and not lines[0]:
            lines.pop(0)
        if len(lines) > 1 and set(lines[1]) == {"="}:
            found.append((lines[0], [], []))
            lines = lines[2:]
        _, out, names = found[-1]
        constants = next((i + 1 for i, line in enumerate(rest[1:])
                          if not rest[i] and line.startswith("#define NC3Z_")),
                         len(rest))
        out += declared_code(declaration(rest[:constants]))
        out += paragraphs([line.strip() if len(lines) == 1 else line
                           for line in lines])
        out += declared_code(declaration(rest[constants:]))
        names += functions_of(rest)
    return found


def pages(header, date):
    """The lines of each page by its name, and the functions on it."""
    out, names, listed = {}, {}, []
    for title, lines, functions in sections(header):
        name = PAGES[title]
        if name not in out:
            out[name] = list(heading(name,
                                     f"the library nc3z: {title.lower()}"
                                     if title else NAME, header, date))
        else:
            out[name].append(f".SH {title.upper()}")
        if name != PAGES[""]:
            listed += [".TP", f".BR {name} (3)", f"{title}:",
                       *(f".BR {f} ()" + "," * (f != functions[-1])
                         for f in functions)]
        for other, page in PAGES.items():
            if other and page != name:
                lines = [line.replace(f'"{other}"', f"{page}(3)")
                         for line in lines]
        out[name] += lines
        names.setdefault(name, []).extend(functions)
    out["nc3z"] += [".SH PAGES", *listed]
    for name, lines in out.items():
        also = SEE_ALSO if name == "nc3z" else ("nc3z (3)",)
        lines += [".SH SEE ALSO", *(f".BR {page}," for page in also[:-1]),
                  f".BR {also[-1]}"]
    return out, names


def without_needless(lines):
    """A section begins a paragraph by itself."""
    before = ""
    for line in lines:
        if line != ".PP" or not before.startswith(".SH"):
            yield line
        before = line


def main():
    """Writes the pages."""
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    header, seven, directory = map(Path, sys.argv[1:])
    date = re.search(r'^\.TH NC3Z 7 "([^"]+)"',
                     seven.read_text(encoding="utf-8"), re.M)[1]
    out, names = pages(header.read_text(encoding="utf-8"), date)
    directory.mkdir(exist_ok=True)
    for old in directory.iterdir():
        old.unlink()
    for name, lines in out.items():
        (directory / f"{name}.3").write_text(
            "\n".join(without_needless(lines)) + "\n", encoding="utf-8")
        for function in names[name]:
            if function not in out:
                (directory / f"{function}.3").symlink_to(f"{name}.3")


if __name__ == "__main__":
    main()
