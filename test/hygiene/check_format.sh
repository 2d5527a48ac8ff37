#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the C code is as clang-format 14 would write it.  To mend it:
# clang-format-14 -i FILE.  Skipped (status 77) without clang-format-14.

set -eu

cd "$(dirname "$0")/../.."
if ! command -v clang-format-14 >/dev/null; then
	echo "skipped: no clang-format-14"
	exit 77
fi
for dir in lib tools test; do
	[ ! -d "$dir" ] || find "$dir" -name '*.[ch]' -type f -print0
done | xargs -0 -r clang-format-14 --style=file --dry-run -Werror ||
	exit 1
