#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that each source file says its licence, as SPDX has it, and that the two
# texts of the licence agree; reuse, where it is installed, looks at all files.

set -eu

cd "$(dirname "$0")/../.."
missing=$(find lib tools test dev .ci -name corpus -prune -o \
	-name node_modules -prune -o -type f \( -name '*.[ch]' -o \
	-name '*.cc' -o -name '*.ts' -o -name '*.tsx' -o -name '*.mjs' -o \
	-name '*.css' -o -name '*.py' -o -name '*.sh' -o -name '*.cmake' -o \
	-name CMakeLists.txt -o -name '*.f90' -o -name dev \) \
	-exec grep -L 'SPDX-License-''Identifier: MIT' {} +) || true
if [ -n "$missing" ]; then
	printf 'without a line that says their licence:\n%s\n' "$missing"
	exit 1
fi
cmp LICENSE LICENSES/MIT.txt
if command -v reuse >/dev/null; then
	reuse --root . lint --quiet
fi
