#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_demo.sh BIN
#
# The demo succeeds and leaves its picture and nothing else; it fails where an
# archive gives back one byte too many, and leaves nothing but the picture.

set -euo pipefail

bin=$(realpath "$1")
demo=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/demo.sh
dpkg -L ferret-datasets >/dev/null 2>&1 || {
	echo "skipped: no ferret-datasets"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp" "$work/broken"
export TMPDIR=$work/tmp
fail()
{
	echo "check_demo: $1" >&2
	tail -n 30 "$work/log" >&2
	exit 1
}

# run BIN: the demo with these programs before ours.
run()
{
	PATH="$1:$bin:$PATH" "$demo" "$work/demo.png" >"$work/log" 2>&1
}

run "$bin" || fail "failed"
grep -q "^All that was packed came back bit for bit" "$work/log" ||
	fail "does not say that all came back"
[ "$(grep -c ' identical  ' "$work/log")" -eq 5 ] || fail "not five files"
[ -z "$(ls -A "$TMPDIR")" ] || fail "left something in TMPDIR"
if grep -q 'PNG' "$work/log"; then
	echo "without a PNG: no numpy"
else
	[ "$(head -c 4 "$work/demo.png" | tail -c 3)" = PNG ] ||
		fail "no PNG"
fi

# shellcheck disable=SC2016  # the words are for the script that is made
printf '#!/bin/sh\n"%s" "$@"\n[ "$1" != -dc ] || echo\n' "$bin/nc3compress" \
	>"$work/broken/nc3compress"
# Two files are enough for that.
printf '#!/bin/sh\n"%s" "$@" | grep -e coads_cl -e levitus_cl\n' \
	"$(command -v dpkg)" >"$work/broken/dpkg"
chmod 755 "$work/broken/nc3compress" "$work/broken/dpkg"
if run "$work/broken"; then
	fail "succeeded with other bytes"
fi
[ "$(grep -c ', restored, DIFFERS' "$work/log")" -eq 2 ] ||
	fail "does not say what differs"
[ -z "$(ls -A "$TMPDIR")" ] || fail "left something in TMPDIR"
