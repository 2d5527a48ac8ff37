#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: check_symbols.sh LIBRARY.so LIBRARY.a
#
# Checks that every symbol the shared library exports begins with nc3z_ and has
# a version, and that these are the symbols that lib/nc3z.map names and those
# that the headers declare: in the static library they are the ones with default
# visibility.  All global symbols of that begin with nc3z_.  Names of the sanitizers, and of the versions themselves (type A),
# are passed over.

set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 2 ]; then
	echo "usage: check_symbols.sh LIBRARY.so LIBRARY.a" >&2
	exit 2
fi
map=$(dirname "$0")/../../lib/nc3z.map
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$1" | awk '
	NF < 3 || $2 == "A" { next }
	$3 ~ /^_*(odr_)?(asan|ubsan|tsan|msan|lsan|sancov|sanitizer)_/ { next }
	{ print $3 }' >"$work/exported"
sed -n 's/@@NC3Z_.*//p' "$work/exported" | sort >"$work/versioned"
sed -n 's/^	\(nc3z_[a-z0-9_]*\);$/\1/p' "$map" | sort >"$work/mapped"
readelf -sW "$2" | awk '
	$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" && $8 ~ /^nc3z_/ {
		print $8
	}' | sort -u >"$work/declared"

# complain REASON: with the names that are read.
complain()
{
	sed "s|^|$map:1: |; s|\$| $1|" | tee -a "$work/wrong"
}

# The static library: programs may have any name that does not begin with nc3z_.
nm -g --defined-only "$2" 2>/dev/null | awk '
	NF < 3 || $3 ~ /^nc3z_/ { next }
	$3 ~ /^_*(odr_)?(asan|ubsan|tsan|msan|lsan|sancov|sanitizer)_/ { next }
	{ print $3 }' | while read -r name; do
	echo "$2:1: $name is global without prefix" | tee -a "$work/wrong"
done
grep -v '^nc3z_[a-z0-9_]*@@NC3Z_' "$work/exported" |
	complain "is exported without prefix or version" || true
comm -13 "$work/mapped" "$work/declared" |
	complain "is declared with NC3Z_API but not listed"
comm -23 "$work/mapped" "$work/versioned" |
	complain "is listed but not exported"
if [ ! -s "$work/versioned" ]; then
	echo "$1:1: exports no nc3z_ symbol"
	exit 1
fi
echo "$(wc -l <"$work/exported") symbols exported"
[ ! -s "$work/wrong" ]
