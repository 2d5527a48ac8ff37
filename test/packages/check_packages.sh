#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_packages.sh [deb|wheel|dist|release]...
#
# Makes all packages, or those of these kinds, each twice and compares the bytes,
# and uses them where nothing else of nc3z is: see tools/packaging/README.md.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
packaging=$root/tools/packaging
again=$root/build-again

# same NAME PATTERN: the files of this name in build-NAME and in the second one.
same()
{
	local a b

	# shellcheck disable=SC2086  # patterns
	a=$(cd "$root/build-$1" && sha256sum $2 | sort)
	# shellcheck disable=SC2086
	b=$(cd "$again/$1" && sha256sum $2 | sort)
	if [ -z "$a" ] || [ "$a" != "$b" ]; then
		diff <(echo "$a") <(echo "$b") >&2 || true
		echo "two builds differ: $2" >&2
		exit 1
	fi
	echo "two builds, the same bytes: $(wc -l <<<"$a") of $2"
}

# build NAME [ARG...]: twice, the second time in another directory, time zone,
# locale and umask.
build()
{
	local name=$1
	shift

	"$packaging/$name.sh" "$root/build-$name" "$@"
	(umask 027 && TZ=Pacific/Chatham LC_ALL=C.UTF-8 \
		NC3Z_STATIC_DIR=$again/static \
		"$packaging/$name.sh" "$again/$name" "$@" >/dev/null)
}

# No errors and warnings, but that no bug asks for their being in Debian.
lint_deb()
{
	local log=$root/build-deb/lintian.log

	lintian --no-cfg --allow-root --tag-display-limit 0 --display-info \
		--profile debian \
		--suppress-tags initial-upload-closes-no-bugs \
		"$root"/build-deb/*.changes 2>&1 | tee "$log" || true
	if grep -q '^[EW]:' "$log"; then
		echo "lintian has errors or warnings" >&2
		exit 1
	fi
}

check_deb()
{
	build deb
	lint_deb
	same deb '*.deb'
	"$here/check_deb.sh" "$root/build-deb" "$root"
}

check_wheel()
{
	build wheel
	same wheel '*.whl'
	"$here/check_wheel.sh" "$root"/build-wheel/*.whl \
		"$root/testdata/classic"
}

check_dist()
{
	build dist
	same dist '*.tar.xz'
	"$here/check_dist.sh" "$root"/build-dist/*.tar.xz \
		"$root/testdata/classic"
}

check_release()
{
	build release --trial
	same release 'nc3z-*'
}

[ $# -gt 0 ] || set -- deb wheel dist release
for kind in "$@"; do
	"check_$kind"
done
echo "Passed: packages ($*)"
