#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: get_sources.sh DIRECTORY [SOURCE...]
#
# Fetches Debian's sources, of the libraries that decode blocks if none are named,
# from where this system gets its packages, and unpacks each as DIRECTORY/SOURCE.
# apt checks them as it checks packages.  The system's own lists of packages stay
# as they are.

set -eu
mkdir -p "$1"
cd "$1"
shift
sources=${*:-libzstd libdeflate bzip2 xz-utils}
[ "$(cat complete 2>/dev/null)" != "$sources" ] || exit 0

apt=$PWD/apt
mkdir -p "$apt/lists/partial" "$apt/parts"
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
	name=${file##*/}
	case $file in
	*.sources)
		sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/$name"
		;;
	*.list)
		[ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file" \
			>"$apt/parts/$name"
		;;
	esac
done
set -- -qq -o Dir::Etc::SourceList=/dev/null \
	-o Dir::Etc::SourceParts="$apt/parts" \
	-o Dir::State::Lists="$apt/lists" -o APT::Sandbox::User=root
apt-get "$@" update
# Not those of another version; only what the authors made, which is signed for as
# the whole is.
rm -f ./*.orig.tar.?z
# shellcheck disable=SC2086  # several words are several packages
apt-get "$@" source --download-only --tar-only $sources
for name in $sources; do
	rm -rf "$name"
	mkdir "$name"
	tar -xf "$(echo "$name"_*.orig.tar.?z)" -C "$name" --strip-components=1
done
rm -rf "$apt"
echo "$sources" >complete
