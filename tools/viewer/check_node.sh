#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether the node that runs here is new enough for the tools that build the
# page, which Debian 12's is not; says so if it is not.

set -eu
if ! command -v node >/dev/null; then
	echo "viewer: needs node 20.19 or later, and there is none" >&2
	exit 1
fi
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number);
	process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; then
	echo "viewer: needs node 20.19 or later, this is" \
		"$(node --version)" >&2
	exit 1
fi
