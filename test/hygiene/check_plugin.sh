#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: check_plugin.sh PLUGIN.so
#
# Checks that the plug-in for netcdf-c, which is preloaded into programs of all
# kinds, exports the names it hooks and its own and no other, and needs the C
# library alone.

set -eu

if [ $# -ne 1 ]; then
	echo "usage: check_plugin.sh PLUGIN.so" >&2
	exit 2
fi
nm -D --defined-only "$1" | awk -v plugin="$1" '
	NF < 3 || $2 == "A" { next }
	$3 ~ /^_*(odr_)?(asan|ubsan|tsan|msan|lsan|sancov|sanitizer)_/ { next }
	$3 ~ /^(nc_open|nc__open|nc_create|nc__create|nc_initialize|cdiGetFiletype)$/ { n++; next }
	$3 ~ /^nc3z_netcdf_(init|register|path|done)$/ { n++; next }
	{ printf "%s:1: exports %s\n", plugin, $3; wrong++ }
	END {
		printf "%d names exported as they should be\n", n
		exit wrong > 0 || n != 10
	}'
needed=$(LC_ALL=C readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
	case $library in
	libc.so.* | libdl.so.* | libpthread.so.* | ld-linux* | lib*san.so.*) ;;
	*)
		echo "$1:1: needs $library"
		exit 1
		;;
	esac
done
