#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks nc3z_compat.h against the netcdf.h that is installed.

usage: check_header.py --cc COMPILER --header LIB/nc3z_compat.h

Compiles and runs a program that includes both: each function must have the same
type in both, each constant the same value.  No constant of netcdf.h and
netcdf_mem.h may be missing but those in ABSENT; those of later versions, in
LATER, must have the value that is written there.  Each call of netcdf.h that
writes must be an error of the compiler that says what to do.
"""

import argparse
from pathlib import Path
import re
import subprocess
import sys
import tempfile

RENAMED = re.compile(r"^#define (nc\w+) (nc3z_compat_\w+)$", re.M)
MACRO = re.compile(r"^#define (\w+)(\([^)]*\))? ?(.*)$", re.M)
CONSTANT = re.compile(r"(?:NC|FILL|MAX|DIM_|_Fill)\w+$")
# What the two headers declare differently.
OTHERWISE = {"NC_FILL_STRING"}

# Constants of netcdf.h, and what else it defines, that make no sense here.
ABSENT = {
    "EXTERNL": "for Windows",
    "MSC_EXTRA": "for Windows",
    "NC_HAVE_META_H": "there is no netcdf_meta.h",
    "NC_HAVE_NEW_CHUNKING_API": "nothing is written",
    "NC_HAVE_RENAME_GRP": "nothing is written",
    "ncvarcpy": "nothing is written",
}

# Constants of netCDF 4.9.1 to 4.10, which the installed version may not have,
# one that it may not have any more, and two that have other values in 4.10.
LATER = {
    "NC_FORMAT_ALL": 0x13e0, "NC_QUANTIZE_MAX_FLOAT_NSD": 7,
    "NC_ENOTZARR": -143, "NC_EZARRMETA": -144, "NC4_LAST_ERROR": -144,
    "NC_FORMATX_ZARR": 10, "NC_MAX_UDF_FORMATS": 10,
    "NC_UDF2": 0x10000, "NC_UDF3": 0x80000, "NC_UDF4": 0x100000,
    "NC_UDF5": 0x200000, "NC_UDF6": 0x400000, "NC_UDF7": 0x800000,
    "NC_UDF8": 0x1000000, "NC_UDF9": 0x2000000,
    **{f"NC_FORMATX_UDF{i}": 9 + i for i in range(2, 10)},
    "NC_FillValue": '"_FillValue"',
    # only there on request
    "_FillValue": '"_FillValue"',
    "NC_UNDEFINED_ENUM_IDENT": '"_UNDEFINED"',
}

# Names of calls that write; users' types are left out.
WRITING = re.compile(
    r"\b(nc_(?:_?create|delete|_?enddef|redef|set_fill|(?:copy|del)_(?:att|var)"
    r"|rename_|put_(?:att|var)|def_(?:dim|grp|var))\w*"
    r"|nc(?:create|redef|endef|setfill|dim|var|att|rec)\w*)\(")
READING = re.compile(r"nc(?:dim|var|att|rec)(?:id|inq|get|name)")
# Of other headers, or for machines that are gone.
NOT_HERE = ("nc_create_par", "nc__create_mp", "nc_delete_mp")

PROGRAM = """\
#define NC3Z_COMPAT_WRITES(name, type)
#include "nc3z_compat.h"
#include <stdio.h>
#include <string.h>

static const struct {{ const char *name; long double value; }} ours[] = {{
{ours}
}};

static const char *const our_texts[] = {{
{our_texts}
}};

{types}

{undefine}
#undef _NETCDF_
#undef NETCDF_MEM_H
#include <netcdf.h>
#include <netcdf_mem.h>

static const long double theirs[] = {{
{theirs}
}};

static const char *const names[] = {{
{names}
}};

static const char *const their_texts[] = {{
{their_texts}
}};

/* What the getters call. */
int nc3z_compat_get(int ncid, int varid,
		    const struct nc3z_compat_hyperslab *hyperslab,
		    nc_type memtype, void *values)
{{
	return 0;
}}

int nc3z_compat_get_att(int ncid, int varid, const char *name, nc_type memtype,
			void *values)
{{
	return 0;
}}

int main(void)
{{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(our_texts[i], their_texts[i])) {{
			printf("%s is '%s', not '%s'\\n", names[i],
			       our_texts[i], their_texts[i]);
			wrong = 1;
		}}
	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		if (ours[i].value != theirs[i]) {{
			printf("%s is %Lg, not %Lg\\n", ours[i].name,
			       ours[i].value, theirs[i]);
			wrong = 1;
		}}
{checks}
	return wrong;
}}
"""


def macros(args, *lines):
    """What is defined after some lines, less what is defined without them:
    names with their values, None for those with arguments."""
    def defined(text):
        done = subprocess.run(
            [args.cc, "-E", "-dM", "-I", args.header.parent, "-xc", "-"],
            input=text, stdout=subprocess.PIPE, check=True, text=True)
        return {match[1]: None if match[2] else match[3]
                for match in MACRO.finditer(done.stdout)}
    common = defined("#include <errno.h>\n#include <stddef.h>\n")
    return {name: value for name, value in defined("\n".join(lines)).items()
            if name not in common}


def check_names(ours, theirs):
    """What is missing; and what later versions have."""
    wrong = [f"{name} is missing" for name in sorted(theirs)
             if name not in ours and name not in ABSENT
             and not name.startswith("NETCDF_")]
    wrong += [f"{name} is not absent" for name in ABSENT
              if name in ours or name not in theirs]
    wrong += [f"{name} is missing" for name in LATER if name not in ours]
    return wrong


def check_writing(args):
    """What of netcdf.h writes, and here is not an error that says what to
    do."""
    def compiled(text, *options):
        return subprocess.run(
            [args.cc, "-w", "-I", args.header.parent, *options, "-xc", "-"],
            input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            check=False, text=True)
    declared = compiled("#include <netcdf.h>", "-E").stdout
    names = {name for name in WRITING.findall(declared)
             if not READING.match(name) and name not in NOT_HERE}
    if len(names) < 120:
        sys.exit(f"{len(names)} calls that write found in netcdf.h")
    calls = "".join(f"int call_{name}(void) {{ return {name}(0); }}\n"
                    for name in names)
    limit = ["-ferror-limit=0"] if "clang" in args.cc else []
    errors = compiled(f'#include "{args.header.name}"\n{calls}', *limit, "-S",
                      "-o", "/dev/null").stderr
    told = set(re.findall(r"\b(nc\w+)\W* declared with .*error.*: nc3z only "
                          "reads; move ", errors))
    return [f"{name} is not refused" for name in sorted(names - told)]


def build(header, ours, theirs):
    """The program for the names in a header."""
    functions = RENAMED.findall(header.read_text(encoding="utf-8"))
    constants = sorted(
        name for name, value in ours.items()
        if value and CONSTANT.match(name) and not name.startswith("NC3Z_")
        and name not in OTHERWISE)
    texts = [name for name in constants if ours[name].startswith('"')]
    numbers = [name for name in constants if name not in texts]
    if len(functions) < 60 or len(numbers) < 250 or len(texts) < 5:
        sys.exit(f"{header}:1: {len(functions)} functions, "
                 f"{len(constants)} constants found")

    def their(name):
        """How the other header says it, or what it will say."""
        return str(LATER[name]) if name in LATER else name

    wrong = [name for name in constants
             if name not in theirs and name not in LATER]
    if wrong:
        sys.exit(f"only here: {' '.join(wrong)}")
    lines = {
        "ours": ",\n".join(f'{{"{name}", (long double)({name})}}'
                           for name in numbers),
        "theirs": ",\n".join(f"(long double)({their(name)})"
                             for name in numbers),
        "our_texts": ",\n".join(texts),
        "their_texts": ",\n".join(their(name) for name in texts),
        "names": ",\n".join(f'"{name}"' for name in texts),
        # typeof while the names of netCDF still mean ours
        "types": "\n".join(f"typedef __typeof__(&{ours}) type_of_{ours};"
                           for _, ours in functions),
        "undefine": "\n".join(f"#undef {name}" for name in
                              list(ours) + [name for name, _ in functions]
                              if not name.startswith("NC3Z_")),
        "checks": "\n".join(
            "\tif (!__builtin_types_compatible_p(__typeof__(&"
            f"{theirs}), type_of_{ours})) {{\n"
            f'\t\tprintf("{theirs} has another type\\n");\n'
            "\t\twrong = 1;\n\t}" for theirs, ours in functions),
    }
    return PROGRAM.format(**lines), len(functions), len(constants)


def main():
    """Builds and runs the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cc", required=True)
    parser.add_argument("--header", required=True, type=Path)
    args = parser.parse_args()
    ours = macros(args, f'#include "{args.header.name}"')
    theirs = macros(args, "#include <netcdf.h>", "#include <netcdf_mem.h>")
    wrong = check_names(ours, theirs) + check_writing(args)
    program, nfunctions, nconstants = build(args.header, ours, theirs)
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "both.c"
        source.write_text(program, encoding="utf-8")
        # getters are inline here, and must fit their declarations there
        subprocess.run([args.cc, "-std=gnu11", "-w", "-I", args.header.parent,
                        source, "-o", Path(directory) / "both"], check=True)
        done = subprocess.run([Path(directory) / "both"], check=False)
    print("\n".join(wrong + [f"{nfunctions} functions, "
                             f"{nconstants} constants"]))
    sys.exit(done.returncode or bool(wrong))


if __name__ == "__main__":
    main()
