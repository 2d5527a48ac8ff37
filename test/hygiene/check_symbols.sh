#!/bin/sh
#
# usage: check_symbols.sh LIBRARY.so
#
# Checks that every symbol the shared library exports begins with nc3z_, and
# that there is one.  Names of the sanitizers, and of symbol versions (type
# A), are passed over.

set -eu

if [ $# -ne 1 ]; then
	echo "usage: check_symbols.sh LIBRARY.so" >&2
	exit 2
fi
symbols=$(nm -D --defined-only "$1")
printf '%s\n' "$symbols" | awk -v library="$1" '
	NF < 3 || $2 == "A" { next }
	$3 ~ /^_*(odr_)?(asan|ubsan|tsan|msan|lsan|sancov|sanitizer)_/ { next }
	$3 ~ /^nc3z_/ { ours++; next }
	{ printf "%s:1: exports %s\n", library, $3; wrong++ }
	END {
		if (!ours) {
			printf "%s:1: exports no nc3z_ symbol\n", library
			exit 1
		}
		printf "%d symbols exported, %d wrong\n", ours + wrong, wrong
		exit wrong > 0
	}'
