#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_deb.sh DIRECTORY SOURCE
#
# Installs the Debian packages in DIRECTORY into a new, minimal Debian (by
# mmdebstrap) with apt, and runs their tests there; then removes them again.  It
# is the Debian of this machine, from where apt gets it here.

set -euo pipefail
dir=$(readlink -f "$1") source=$(readlink -f "$2")
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

mkdir "$work/repository" "$work/tests"
cp "$dir"/*.deb "$work/repository"
(cd "$work/repository" && dpkg-scanpackages --multiversion . >Packages) 2>/dev/null
mkdir -p "$work/tests/debian" "$work/tests/testdata" "$work/tests/test"
cp -r "$source/tools/packaging/debian/tests" "$work/tests/debian/tests"
cp -r "$source/testdata/classic" "$work/tests/testdata"
cp -r "$source/test/install" "$work/tests/test"
if [ -d "$source/build-viewer" ]; then
	mkdir "$work/tests/build-viewer"
	cp "$source"/build-viewer/*.{html,js} "$work/tests/build-viewer"
fi

# The tests and what they need, as debian/tests/control has them.
sed -n 's/^Test-Command: //p' \
	"$source/tools/packaging/debian/tests/control" >"$work/tests/run"
packages=$(sed -n 's/^Depends: //p' \
	"$source/tools/packaging/debian/tests/control" | tr ',' '\n' |
	tr -d ' ' | sort -u | paste -sd, -)
cat >"$work/tests/all" <<'END'
set -eux
cd /tests
sh -eux run
man_pages=$(dpkg -L nc3z libnc3z-dev | grep -c '/man[1357]/.*gz$')
[ "$man_pages" -ge 7 ]
ls /usr/share/doc/nc3z/examples/nc3compress-nightly*
python3 test/install/check_links.py /usr/share/doc/nc3z
if dpkg -L libnc3z-dev | grep nightly; then exit 1; fi
dpkg -P nc3z libnc3z-netcdf libnc3z-dev python3-nc3z libnc3z1
! find /usr -name '*nc3z*' | grep .
END
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
apt-get indextargets --format \
	"deb [signed-by=$keyring] \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
	'Created-By: Packages' 'Origin: Debian' | sort -u >"$work/debian.list"
if [ ! -s "$work/debian.list" ]; then
	echo "apt has no lists of Debian's packages: apt-get update" >&2
	exit 1
fi
mmdebstrap --variant=apt --include="$packages,ca-certificates" \
	--dpkgopt='path-include=/usr/share/man/*' \
	--customize-hook="copy-in $work/tests /" \
	--customize-hook='chroot "$1" sh /tests/all' \
	"$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" \
	"$work/root.tar" "deb [trusted=yes] copy:$work/repository ./" \
	"$work/debian.list" >"$work/log" 2>&1 || {
	tail -n 40 "$work/log" >&2
	exit 1
}
grep -E '^(identical|[0-9]+ files|[0-9]+ variables|shared:|static:|fortran:|nc3view:)' \
	"$work/log" || true
echo "Debian packages: installed, tested and removed in a new Debian"
