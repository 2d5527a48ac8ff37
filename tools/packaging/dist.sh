#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: dist.sh DIRECTORY
#
# Makes a tarball with the programs, linked statically, their manual pages and
# completions, and the library and plug-in that nc3run loads into programs: for
# machines on which nothing can be installed.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
[ $# -eq 1 ] || die "usage: dist.sh DIRECTORY"
dir=$1 name=nc3z-$version-linux-$(uname -m)

build_static
rm -rf "$dir"
mkdir -p "$dir"
install_static "$dir/$name"
cp "$root/LICENSE" "$root/NEWS.md" "$dir/$name"
copy_licences "$dir/$name/licences"
cat >"$dir/$name/INSTALL" <<-END
	nc3z $version for Linux on $(uname -m).  The programs need nothing of the
	system, but nc3farm and nc3view need python3.  nc3run loads
	lib/nc3z/libnc3z-netcdf.so into programs, which needs glibc
	$(glibc_of "$dir/$name/lib") or later.  Unpack where you like, and say

	    export PATH="\$PWD/bin:\$PATH" MANPATH="\$PWD/share/man:\$MANPATH"

	or copy bin, lib and share into a prefix.  URLs cannot be read by these.
	share/doc/nc3z/README.md leads to the documents.
END
(cd "$dir" && tar "${tar_options[@]}" -cf - "$name" |
	xz -T1 >"$name.tar.xz")
rm -rf "${dir:?}/$name"
(cd "$dir" && sha256sum "$name.tar.xz" >SHA256SUMS)
echo "$dir/$name.tar.xz: $(stat -c %s "$dir/$name.tar.xz") bytes"
