#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: deb.sh DIRECTORY
#
# Builds the Debian packages of the project in a new directory.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
[ $# -eq 1 ] || die "usage: deb.sh DIRECTORY"
dir=$1

# page_copyright: the paragraph on the page, with the texts that come with it.
page_copyright()
{
	cat <<-'END'

		Files: build-viewer/*
		Copyright: 2026 the nc3z authors, and others, whom the texts name
		License: page-of-nc3view
	END
	sed 's/^[[:space:]]*$/./; s/^/ /' "$root/build-viewer/licences.txt"
	cat <<-'END'
		Comment:
		 The page of nc3view, built once by "./dev viewer" from lib, tools/dump and
		 tools/viewer, Debian's sources of zstd, libdeflate, bzip2 and xz-utils, and
		 the packages of npm that tools/viewer/package-lock.json names.
	END
}

rm -rf "$dir"
mkdir -p "$dir"
make_tar "$dir/nc3z_$version.orig.tar.xz" "nc3z-$version"
tar -C "$dir" -xf "$dir/nc3z_$version.orig.tar.xz"
cp -r "$here/debian" "$dir/nc3z-$version/debian"
# What is built is no part of the source, but of a tarball beside it.
find_page
if [ ${#page[@]} -gt 0 ]; then
	tar -C "$root" "${tar_options[@]}" -cf - "${page[@]}" |
		xz -T1 >"$dir/nc3z_$version.orig-build-viewer.tar.xz"
	(cd "$root" && cp --parents "${page[@]}" "$dir/nc3z-$version")
	page_copyright >>"$dir/nc3z-$version/debian/copyright"
fi
echo "deb.sh: compiling, see $dir/build.log"
export DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS:-}"
if ! (cd "$dir/nc3z-$version" && dpkg-buildpackage -us -uc -F \
	>"$dir/build.log" 2>&1); then
	tail -n 40 "$dir/build.log" | cut -c1-200 >&2
	die "dpkg-buildpackage failed, see $dir/build.log"
fi
rm -rf "$dir/nc3z-$version"

(cd "$dir" && sha256sum ./*.deb) >"$dir/SHA256SUMS"
echo "packages in $dir:"
(cd "$dir" && ls -l ./*.deb | awk '{ print "  " $5, $9 }')
