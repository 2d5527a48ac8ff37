#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: wheel.sh DIRECTORY
#
# Makes the wheel for Python, which needs nothing but numpy: the package with the
# library, the plug-in for netcdf-c and the programs inside.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
[ $# -eq 1 ] || die "usage: wheel.sh DIRECTORY"
dir=$1 stage=$1/stage

build_static
rm -rf "$dir"
mkdir -p "$stage"
cp -r "$root/lib/python/nc3z" "$stage/nc3z"
cp "$here/wheel/setup.py" "$stage"
cat "$root/lib/python/pyproject.toml" "$here/wheel/more.toml" \
	>"$stage/pyproject.toml"
cp "$here/wheel/_programs.py" "$stage/nc3z"
echo 'LIBRARY_DIR = "_files/lib"' >"$stage/nc3z/_place.py"
install_static "$stage/prefix"
rm "$stage"/prefix/bin/{nc3farm,nc3mount}
[ ${#page[@]} -gt 0 ] || sed -i '/^nc3view/d' "$stage/pyproject.toml"
# Of what is shared, the page alone.
find "$stage/prefix/share" ! -type d ! -path '*/nc3z/*.html' \
	! -path '*/nc3z/*.js' -delete
find "$stage/prefix/share" -type d -empty -delete
mv "$stage/prefix" "$stage/nc3z/_files"
copy_licences "$stage/LICENSES"
rm "$stage/LICENSES/libfuse3"
sed -i 's/libc6 and libfuse3 are/libc6 is/; s/replace them/replace it/
	s/versions of them/versions of it/' "$stage/LICENSES/README"
find "$stage" -name __pycache__ -prune -exec rm -r {} +
# The same permissions and times in all wheels of this source.
chmod -R u+rwX,go=rX "$stage"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

glibc=$(glibc_of "$stage/nc3z/_files")
NC3Z_WHEEL_PLATFORM="manylinux_${glibc/./_}_$(uname -m)"
export NC3Z_WHEEL_PLATFORM
(umask 022 && /usr/bin/python3 -m pip wheel --quiet --no-index --no-deps \
	--no-build-isolation --disable-pip-version-check \
	--wheel-dir "$dir" "$stage")
rm -rf "$stage"
for file in "$dir"/*.whl; do
	/usr/bin/python3 -m zipfile -l "$file" | grep libnc3z.so.1 >/dev/null ||
		die "$file has no library"
	echo "$file: $(stat -c %s "$file") bytes"
done
