# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the scripts for packages share; they source it with "root" set.

# The one version, of the header; and when it was made, for all times in packages.
version=$(sed -n 's/^#define NC3Z_VERSION "\(.*\)"$/\1/p' "$root/lib/nc3z.h")
date=$(sed -n 's/^\.TH NC3Z 7 "\([0-9-]*\)".*/\1/p' "$root/tools/man/nc3z.7")
SOURCE_DATE_EPOCH=$(date -u -d "$date" +%s)
export SOURCE_DATE_EPOCH
# There is always ninja, and make not.
export CMAKE_GENERATOR=Ninja
# Objects of a cache may name the directory that they were made in.
export CCACHE_DISABLE=1

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# source_files: the files of the project, those that are not committed, too;
# where there is no git, as in a release, all but those of builds.
source_files()
{
	if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$root" ls-files -z --cached --others --exclude-standard |
			(cd "$root" && xargs -0 sh -c 'for file; do
				[ ! -f "$file" ] || printf "%s\0" "$file"
			done' sh)
	else
		(cd "$root" && find . \( -path './build*' -o -name .git \) -prune \
			-o -type f -print0 |
			sed -z 's|^\./||')
	fi | sort -z -u
}

# make_tar FILE DIRECTORY [NAME...]: as source_files says, and these files, below
# a directory of its own.
make_tar()
{
	{ source_files; [ $# -eq 2 ] || printf '%s\0' "${@:3}"; } |
		tar -C "$root" --null --no-recursion --files-from=- \
			--transform="s|^|$2/|" "${tar_options[@]}" -cf - |
		xz -T1 >"$1"
}

# find_page: sets "page" to the files of nc3view's page, below "root", with the
# list and the licences of its parts; to none, and says so, where ./dev viewer has
# not made them.
find_page()
{
	local files=(viewer.html coast.js licences.txt parts.json)

	page=()
	if [ -f "$root/build-viewer/viewer.html" ]; then
		page=("${files[@]/#/build-viewer/}")
	else
		echo "${0##*/}: without nc3view: ./dev viewer makes its page" >&2
	fi
}

# The same bytes wherever and whenever a tarball is made.
tar_options=(--sort=name --owner=0 --group=0 --numeric-owner
	"--mtime=@$SOURCE_DATE_EPOCH" "--mode=u+rwX,go=rX"
	--format=posix --pax-option=delete=atime,delete=ctime)

# build_static: the programs linked statically and the library with what it
# needs inside, in build-static or where NC3Z_STATIC_DIR says; sets "static"
# to that.
build_static()
{
	static=${NC3Z_STATIC_DIR:-$root/build-static}
	mkdir -p "$static"
	cmake -S "$root" -B "$static" -DNC3Z_STATIC=ON -DNC3Z_REMOTE=OFF \
		-DNC3Z_HDF5=OFF \
		-DNC3Z_FORTRAN=OFF -DNC3Z_PYTHON=OFF -DCMAKE_INSTALL_LIBDIR=lib \
		-DCMAKE_BUILD_TYPE=Release \
		"-DCMAKE_C_FLAGS=-ffile-prefix-map=$root=." >"$static/build.log"
	cmake --build "$static" --parallel "$(nproc)" >>"$static/build.log"
}

# install_static PREFIX: what of it runs on any machine; nc3view with its page only.
install_static()
{
	cmake --install "$static" --strip --prefix "$1" >>"$static/build.log"
	find_page
	[ ${#page[@]} -gt 0 ] || find "$1" -name '*nc3view*' -delete
	rm -rf "$1"/lib/{cmake,pkgconfig,libnc3z.a,libnc3z.so} "$1/include"
	# Where that will be is not known yet.
	sed -i "s|^ExecStart=$1/|ExecStart=/usr/local/|" \
		"$1/share/doc/nc3z/examples/nc3compress-nightly.service"
	# A file of its own, as packages for Python have no links.
	mv "$(readlink -f "$1/lib/libnc3z.so.1")" "$1/lib/real"
	rm -f "$1"/lib/libnc3z.so*
	mv "$1/lib/real" "$1/lib/libnc3z.so.1"
	# The one library that is not inside the others.
	cp -L "$(/sbin/ldconfig -p | sed -n 's/.*libbz2\.so\.1\.0 .* => //p' |
		head -n 1)" "$1/lib/libbz2.so.1.0"
	chmod 644 "$1/lib/libbz2.so.1.0"
}

# What is linked into programs and library, by the names of Debian's packages
# without "-dev": those have no number that changes from one Debian to the next.
portable_packages=(libbz2 libc6 libdeflate libfuse3 liblzma libssl libzstd zlib1g)

# copy_licences DIRECTORY: ours, and of what is inside, as install_static found it.
copy_licences()
{
	local package

	mkdir -p "$1"
	cp "$root/LICENSE" "$1/nc3z"
	for package in "${portable_packages[@]}"; do
		cp "/usr/share/doc/$package-dev/copyright" "$1/$package"
	done
	[ ${#page[@]} -eq 0 ] || cp "$root/build-viewer/licences.txt" "$1/nc3view"
	cat >"$1/README" <<-'END'
		nc3z is under the MIT licence (nc3z).  The programs and the library
		here have parts of the other packages inside, each under the licence in
		the file of its name.  Of these, libc6 and libfuse3 are under the
		LGPL: the source of nc3z, which is complete and builds with other
		versions of them, is what you need to replace them.
	END
}

# glibc_of DIRECTORY: the version of the C library that what is there needs.
glibc_of()
{
	# Programs that are linked statically have no table of symbols to print.
	{ find "$1" -type f -exec objdump -T {} + 2>/dev/null || true; } |
		grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1
}
