#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: build.sh DIRECTORY
#
# Builds the viewer from source: codecs and library as WebAssembly, by Debian's
# Emscripten and from Debian's sources; with these the module; then the npm
# package and the page.  See build.mjs for what is in DIRECTORY afterwards.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

say()
{
	echo "viewer: $*"
}

# emcmake's compiler needs packages of Debian's node, whichever node runs it.
export NODE_PATH=/usr/share/nodejs

# configure SOURCE DIRECTORY [OPTION...], to be built there.
configure()
{
	from=$1
	to=$2
	shift 2
	emcmake cmake -S "$from" -B "$to" -G Ninja \
		-DCMAKE_BUILD_TYPE=Release "$@"
}

# The libraries that decode blocks, and an nc3z that only reads beside them.
libraries()
{
	configure "$here/reader/decoders" "$prefix-build" \
		-DSOURCES="$out/sources" -DCMAKE_INSTALL_PREFIX="$prefix"
	cmake --build "$prefix-build" --target install
	configure "$root" "$prefix-nc3z" -DCMAKE_INSTALL_PREFIX="$prefix" \
		"$@" -DNC3Z_TOOLS=OFF -DNC3Z_REMOTE=OFF -DNC3Z_HDF5=OFF \
		-DNC3Z_FORTRAN=OFF -DNC3Z_READ_ONLY=ON
	cmake --build "$prefix-nc3z" --target install
}

# $out/reader.{mjs,wasm}, of these.
reader()
{
	configure "$here/reader" "$out/reader-build" "$@"
	cmake --build "$out/reader-build" --target reader
	cp "$out/reader-build/reader.mjs" "$out/reader-build/reader.wasm" "$out"
}

# quietly COMMAND...: its output only if it fails.
quietly()
{
	"$@" >"$out/build.log" 2>&1 || {
		cat "$out/build.log" >&2
		say "failed: $*" >&2
		exit 1
	}
}

say "sources of the decoders"
quietly "$here/get_sources.sh" "$out/sources"
say "decoders and reader as WebAssembly"
prefix=$out/decoders
export PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"
# Newer versions of Emscripten set that anew, and leave this.
export PKG_CONFIG_PATH="$PKG_CONFIG_LIBDIR"
set -- -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_C_FLAGS=-msimd128
quietly libraries "$@"
quietly reader "$@"

cd "$here"
say "npm packages, as package-lock.json has them"
if ! cmp -s package-lock.json node_modules/.nc3z-lock; then
	quietly npm ci --no-audit --no-fund --ignore-scripts
	# Nothing is made by it, and the list of its 20 programs would be long.
	quietly npm install --no-save --no-audit --no-fund --ignore-scripts \
		oxlint@1.94.0
	cp package-lock.json node_modules/.nc3z-lock
fi
say "page"
quietly node_modules/.bin/tsc --noEmit
node build.mjs "$out"
cd "$out"
quietly npm pack ./nc3z-reader
say "$out/viewer.html"
