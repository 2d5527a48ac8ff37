#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_dist.sh TARBALL TESTDATA
#
# Unpacks the tarball and uses what is inside, in an environment that is empty.

set -euo pipefail
tarball=$(readlink -f "$1") testdata=$(readlink -f "$2")
roundtrip=$(readlink -f "$(dirname "$0")")/../../tools/packaging/debian/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tar -C "$work" -xf "$tarball"
cd "$work"/nc3z-*
for program in bin/nc3compress bin/nc3convert bin/nc3dump bin/nc3manifest \
	bin/nc3mount bin/nc3run bin/nc3salvage; do
	if readelf -d "$program" | grep -q NEEDED; then
		echo "$program is not linked statically" >&2
		exit 1
	fi
	name=${program#bin/}
	for part in "man/man1/$name.1" "bash-completion/completions/$name" \
		"zsh/site-functions/_$name" \
		"fish/vendor_completions.d/$name.fish"; do
		[ -s "share/$part" ] || { echo "no $part" >&2; exit 1; }
	done
done
env -i PATH=/usr/bin:/bin sh "$roundtrip/roundtrip" "$PWD/bin" "$testdata"
if command -v ncdump >/dev/null; then
	env -i PATH="$PWD/bin:/usr/bin:/bin" \
		sh "$roundtrip/netcdf" "$testdata"
fi
env -i PATH=/usr/bin:/bin sh "$roundtrip/view" "$PWD/bin" "$testdata" \
	"$roundtrip/../../../../build-viewer"
# All that the library needs is the C library and what is beside it.
readelf -d lib/*.so.* lib/nc3z/*.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	sort -u | while read -r needed; do
	case $needed in
	libc.so.6 | ld-linux* | libbz2.so.1.0) ;;
	*) echo "lib needs $needed" >&2; exit 1 ;;
	esac
done
echo "tarball: ok"
