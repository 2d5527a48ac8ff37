#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: build.sh DIRECTORY
#
# Builds the viewer from source: decoders and library as WebAssembly, by
# Debian's Emscripten and from Debian's sources; then the npm package and the
# page.  See build.mjs for what is in DIRECTORY afterwards.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

say()
{
	echo "viewer: $*"
}

PATH=$("$here/node.sh" "$out/node"):$PATH

# emcmake's compiler needs packages of Debian's node, whichever node runs it.
export NODE_PATH=/usr/share/nodejs

# configure SOURCE DIRECTORY [OPTION...], and build.
configure()
{
	from=$1
	to=$2
	shift 2
	emcmake cmake -S "$from" -B "$to" -G Ninja \
		-DCMAKE_BUILD_TYPE=Release "$@"
	cmake --build "$to"
}

# libraries NAME [OPTION...]: those that decode blocks, to $out/NAME.
libraries()
{
	name=$1
	shift
	configure "$here/reader/decoders" "$out/$name-build" \
		-DSOURCES="$out/sources" -DCMAKE_INSTALL_PREFIX="$out/$name" "$@"
	cmake --install "$out/$name-build"
}

# module NAME LIBRARIES [OPTION...]: $out/NAME.{mjs,wasm}.
module()
{
	name=$1
	used=$out/$2
	shift 2
	PKG_CONFIG_LIBDIR=$used/lib/pkgconfig configure "$root" "$out/$name" \
		-DCMAKE_FIND_ROOT_PATH="$used" -DCMAKE_C_FLAGS=-msimd128 "$@"
	cp "$out/$name/bin/$name.mjs" "$out/$name/bin/$name.wasm" "$out"
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
quietly libraries decoders
quietly module reader decoders -DNC3Z_READ_ONLY=ON
say "encoders and packer as WebAssembly"
quietly libraries encoders -DENCODERS=ON
quietly module packer encoders -DNC3Z_FEW_LIBRARIES=ON

cd "$here"
say "npm packages, as package-lock.json has them"
cmp -s package-lock.json node_modules/.nc3z-lock ||
	quietly npm ci --no-audit --no-fund --ignore-scripts
cp package-lock.json node_modules/.nc3z-lock
say "page"
quietly node_modules/.bin/tsc --noEmit
node build.mjs "$out"
cd "$out"
quietly npm pack ./nc3z-reader
say "$out/viewer.html"
