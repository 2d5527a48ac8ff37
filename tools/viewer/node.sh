#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: node.sh DIRECTORY
#
# Prints where a node is that is new enough for the tools that build the page: that
# of the system or, as Debian 12's is not, one of npm's, which is put into DIRECTORY.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$1

is_new()
{
	"$1" -e 'const [a, b] = process.versions.node.split(".").map(Number);
		process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'
}

if ! node=$(command -v node); then
	echo "viewer: needs node 20.19 or later, and npm" >&2
	exit 1
fi
if ! is_new "$node"; then
	echo "viewer: needs node 20.19 or later, this is $(node --version):" \
		"taking one from npm" >&2
	mkdir -p "$dir"
	cp "$here/node/package.json" "$here/node/package-lock.json" "$dir"
	npm ci --prefix "$dir" --no-audit --no-fund --ignore-scripts >&2
	node=$(echo "$dir"/node_modules/node-*/bin/node)
	if ! is_new "$node"; then
		echo "viewer: npm has no node for $(uname -sm)" >&2
		exit 1
	fi
fi
dirname "$node"
