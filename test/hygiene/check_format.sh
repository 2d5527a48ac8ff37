#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the C code is as clang-format 14 would write it, which the others
# write otherwise.  To mend it: clang-format -i FILE.  Skipped (status 77) without
# that version.

set -eu

cd "$(dirname "$0")/../.."
for format in clang-format-14 clang-format; do
	case $("$format" --version 2>&1) in
	*" version 14."*) break ;;
	*) format= ;;
	esac
done
if [ -z "$format" ]; then
	echo "skipped: layout is checked by clang-format 14, which is not here"
	exit 77
fi
for dir in lib tools test; do
	[ ! -d "$dir" ] || find "$dir" -name '*.[ch]' -type f -print0
done | xargs -0 -r "$format" --style=file --dry-run -Werror ||
	exit 1
