#!/usr/bin/env bash
#
# usage: deb.sh DIRECTORY
#
# Builds the Debian packages of the project in a new directory, and has lintian
# look at them: they may lack the bug that asks for their being in Debian, and
# nothing else.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
[ $# -eq 1 ] || die "usage: deb.sh DIRECTORY"
dir=$1

rm -rf "$dir"
mkdir -p "$dir"
make_tar "$dir/nc3z_$version.orig.tar.xz" "nc3z-$version"
tar -C "$dir" -xf "$dir/nc3z_$version.orig.tar.xz"
cp -r "$here/debian" "$dir/nc3z-$version/debian"
if ! (cd "$dir/nc3z-$version" && dpkg-buildpackage -us -uc -F \
	>"$dir/build.log" 2>&1); then
	tail -n 40 "$dir/build.log" | cut -c1-200 >&2
	die "dpkg-buildpackage failed, see $dir/build.log"
fi
rm -rf "$dir/nc3z-$version"

# A finding fails, but that nobody has asked for the package yet.
lintian --no-cfg --tag-display-limit 0 --display-info --profile debian \
	--suppress-tags initial-upload-closes-no-bugs \
	"$dir"/*.changes | tee "$dir/lintian.log"
if grep -q '^[EWI]:' "$dir/lintian.log"; then
	die "lintian has findings"
fi
(cd "$dir" && sha256sum ./*.deb) >"$dir/SHA256SUMS"
echo "lintian: clean; packages in $dir:"
(cd "$dir" && ls -l ./*.deb | awk '{ print "  " $5, $9 }')
