#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_system.sh SUITE [COMMAND...]
#
# Makes a new, bare Debian of that suite (by mmdebstrap, from where apt gets
# Debian here), and runs there what README.md tells somebody who is new: demo,
# install, its lines under "Use", wheel, Debian packages, all tests; in Debian 13
# those with all programs, too.  Or these COMMANDs: "./dev test unit", use_wheel,
# "use_readme PREFIX", use_deb.
# What they print goes to build/SUITE.log.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=../../tools/packaging/common.sh
. "$root/tools/packaging/common.sh"
[ $# -ge 1 ] || die "usage: check_system.sh SUITE [COMMAND...]"
suite=$1
shift
if [ $# -eq 0 ]; then
	set -- "./dev demo" "./dev install /opt/nc3z" \
		"use_readme /opt/nc3z" use_wheel use_deb "./dev test"
	[ "$suite" != trixie ] || set -- "$@" "./dev test interop"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

source_files | tar -C "$root" --null --no-recursion --files-from=- \
	-cf "$work/source.tar"
printf '%s\n' "$@" >"$work/commands"
cat >"$work/try" <<'END'
set -euo pipefail
export HOME=/srv DEBIAN_FRONTEND=noninteractive
mkdir /srv/nc3z
tar -C /srv/nc3z --no-same-owner -xf /source.tar
cd /srv/nc3z
apt-get update

use_wheel()
{
	./dev wheel
	test/packages/check_wheel.sh build-wheel/*.whl testdata/classic
}

use_deb()
{
	./dev deb
	apt-get install -y ./build-deb/*.deb
	python3 -m nc3z
	use_readme /usr
	sh tools/packaging/debian/tests/roundtrip /usr/bin testdata/classic
	apt-get purge -y '*nc3z*'
}

# use_readme PREFIX: the lines under "Use" do what they say, with what
# tools/packaging/installed.sh tells to set, and programs of Debian's.
use_readme()
{
	apt-get install -y --no-install-recommends cdo netcdf-bin python3-xarray
	(
		eval "$(tools/packaging/installed.sh "$1" | grep '^ *export')"
		test/packages/check_readme.sh README.md
	)
}

while read -r command; do
	SECONDS=0
	$command </dev/null
	echo "in $(sed 's/ .*//' /etc/debian_version): $command: $SECONDS s"
done </commands
END

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
	'Origin: Debian' 'Label: Debian' | head -n 1)
[ -n "$mirror" ] || die "apt has no lists of Debian's packages: apt-get update"
# Whether the date of those lists counts is as it is here, too.
eval "$(apt-config shell dated Acquire::Check-Valid-Until)"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p "$root/build"
log=$root/build/$suite.log
mmdebstrap --variant=apt --include=ca-certificates \
	--aptopt="Acquire::Check-Valid-Until \"${dated:-true}\"" \
	--customize-hook="copy-in $work/source.tar $work/commands $work/try /" \
	--customize-hook='chroot "$1" bash /try' \
	"$suite" /dev/null "deb [signed-by=$keyring] $mirror $suite main" \
	>"$log" 2>&1 || {
	tail -n 60 "$log" >&2
	exit 1
}
grep '^in [^ ]*: .* s$' "$log"
echo "Passed: a new Debian $suite"
