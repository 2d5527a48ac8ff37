#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: release.sh DIRECTORY [--trial]
#
# Makes what is published of a release: the tarball of the source, in which
# build-viewer has the page of nc3view, the list of what it consists of and needs
# (SPDX), and their checksums.  All versions must agree, nothing may be
# uncommitted, and NEWS.md must say that there is a release; with --trial only the
# first of these.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
dir=${1:-} mode=${2:-}
[ -n "$dir" ] && [[ "$mode" =~ ^(--trial)?$ ]] ||
	die "usage: release.sh DIRECTORY [--trial]"

if [ "$mode" = --trial ]; then
	python3 -B "$root/test/hygiene/check_versions.py"
else
	python3 -B "$root/test/hygiene/check_versions.py" --release
	[ -z "$(git -C "$root" status --porcelain)" ] ||
		die "there are changes that are not committed"
fi
name=nc3z-$version
rm -rf "$dir"
mkdir -p "$dir"
find_page
make_tar "$dir/$name.tar.xz" "$name" "${page[@]}"
python3 -B "$here/sbom.py" "$version" "$SOURCE_DATE_EPOCH" \
	"$dir/$name.tar.xz" ${page:+"$root/build-viewer/parts.json"} \
	>"$dir/$name.spdx.json"
(cd "$dir" && sha256sum "$name".* >SHA256SUMS)
echo "$dir/$name.tar.xz: $(stat -c %s "$dir/$name.tar.xz") bytes," \
	"$(source_files | tr -cd '\0' | wc -c) files"
[ "$mode" = --trial ] || echo "Next: git tag -s v$version, and publish $dir"
