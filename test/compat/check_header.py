#!/usr/bin/env python3
"""Checks nc3z_compat.h against the netcdf.h that is installed.

usage: check_header.py --cc COMPILER --header LIB/nc3z_compat.h

Compiles and runs a program that includes both: each function must have the same
type in both, each constant the same value.
"""

import argparse
from pathlib import Path
import re
import subprocess
import sys
import tempfile

RENAMED = re.compile(r"^#define (nc\w+) (nc3z_compat_\w+)$", re.M)
CONSTANT = re.compile(r"^#define ((?:NC|FILL|MAX|_Fill)\w+) (?!static)", re.M)
# Of this header alone, or what the other declares otherwise.
OURS = re.compile(r"NC3Z_|NC_ISSYSERR$|NC_FILL_STRING$|_FillValue$")

PROGRAM = """\
#include "nc3z_compat.h"
#include <stdio.h>
#include <string.h>

static const struct {{ const char *name; long double value; }} ours[] = {{
{ours}
}};

{types}
static const char fill_name[] = _FillValue;

{undefine}
#undef _NETCDF_
#undef NETCDF_MEM_H
#include <netcdf.h>
#include <netcdf_mem.h>

static const long double theirs[] = {{
{theirs}
}};

/* What the getters call. */
int nc3z_compat_get(int ncid, int varid, const struct nc3z_compat_slab *slab,
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
	int wrong = strcmp(fill_name, _FillValue) != 0;

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


def build(header):
    """The program for the names in a header."""
    text = header.read_text(encoding="utf-8")
    functions = RENAMED.findall(text)
    constants = [name for name in CONSTANT.findall(text)
                 if not OURS.match(name)]
    if len(functions) < 60 or len(constants) < 100:
        sys.exit(f"{header}:1: {len(functions)} functions, "
                 f"{len(constants)} constants found")
    lines = {
        "ours": ",\n".join(f'{{"{name}", (long double)({name})}}'
                           for name in constants),
        "theirs": ",\n".join(f"(long double)({name})" for name in constants),
        # typeof while the names of netCDF still mean ours
        "types": "\n".join(f"typedef __typeof__(&{ours}) type_of_{ours};"
                           for _, ours in functions),
        "undefine": "\n".join(f"#undef {name}" for name in
                              constants + [name for name, _ in functions]),
        "checks": "\n".join(
            "\tif (!__builtin_types_compatible_p(__typeof__(&"
            f"{theirs}), type_of_{ours})) {{\n"
            f'\t\tprintf("{theirs} has another type\\n");\n'
            "\t\twrong = 1;\n\t}" for theirs, ours in functions),
    }
    return PROGRAM.format(**lines), len(functions), len(constants)


def main():
    """Builds and runs the program."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cc", required=True)
    parser.add_argument("--header", required=True, type=Path)
    args = parser.parse_args()
    program, nfunctions, nconstants = build(args.header)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "both.c"
        source.write_text(program, encoding="utf-8")
        # getters are inline here, and must fit their declarations there
        subprocess.run([args.cc, "-std=gnu11", "-w", "-I", args.header.parent,
                        source, "-o", Path(folder) / "both"], check=True)
        done = subprocess.run([Path(folder) / "both"], check=False)
    print(f"{nfunctions} functions, {nconstants} constants")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
