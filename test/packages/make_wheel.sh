#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: make_wheel.sh DIRECTORY TESTDATA
#
# Makes the wheel and checks it, with NC3Z_INTEROP=all; skipped otherwise, as
# that builds the programs once more.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$1 testdata=$2

if [ "${NC3Z_INTEROP:-}" != all ]; then
	echo "skipped: NC3Z_INTEROP=all makes the wheel"
	exit 77
fi
# As from a shell: none of what a test sets is meant for that build.
unset CFLAGS CXXFLAGS LDFLAGS
NC3Z_STATIC_DIR=$dir/static "$here/../../tools/packaging/wheel.sh" "$dir/made"
"$here/check_wheel.sh" "$dir"/made/*.whl "$testdata"
