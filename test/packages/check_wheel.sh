#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_wheel.sh WHEEL TESTDATA
#
# Installs the wheel in a new virtual environment, with numpy and xarray of the
# system and no libnc3z of it, and uses what is inside, also by the notebook.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
wheel=$1 testdata=$(readlink -f "$2")
file=$testdata/cdf1-200-record-variables.nc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

/usr/bin/python3 -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index --no-deps \
	--disable-pip-version-check "$wheel"
cp "$file" "$work/x.nc"
cd "$work"
env -i PATH="$work/venv/bin:/usr/bin:/bin" sh -euc '
	nc3compress -k x.nc
	nc3compress -t x.nc.nc3z
	nc3manifest x.nc.nc3z >sums
	nc3manifest -c sums
	nc3compress -dc x.nc.nc3z | cmp - x.nc
	nc3dump -h x.nc.nc3z >/dev/null
	if command -v ncdump >/dev/null; then
		ncdump -n x x.nc >a
		nc3run ncdump -n x x.nc.nc3z | cmp - a
	fi'
env -i PATH=/usr/bin:/bin sh "$root/tools/packaging/debian/tests/view" \
	"$work/venv/bin" "$testdata" "$root/build-viewer"
env -i PATH=/usr/bin:/bin "$work/venv/bin/python3" - <<'END'
import sys

import nc3z
from nc3z import _library

for path in _library.library_path(), _library.plugin_path():
    assert path.startswith(sys.prefix), path
with nc3z.File("x.nc.nc3z", raw=True) as archive, \
        nc3z.File("x.nc", raw=True) as original:
    assert len(archive.variables) == 200
    for name, variable in archive.variables.items():
        assert (variable[...] == original.variables[name][...]).all(), name
for codec in "deflate", "bzip2", "lzma", "zstd":
    packed = nc3z.pack("x.nc", "y.nc3z", codec=codec, overwrite=True)
    assert nc3z.verify("y.nc3z") == packed, codec
try:
    import xarray
except ImportError:
    print("skipped: xarray is not installed")
else:
    # without NC3Z_LIBRARY, PATH or a library of the system
    a = xarray.open_dataset("x.nc.nc3z")
    assert a.identical(xarray.open_dataset("x.nc", engine="nc3z"))
END
# As somebody who is new here: with what was just installed, the notebook.
status=0
mkdir tour
(cd tour && env -i PATH=/usr/bin:/bin HOME="$work" \
	NC3Z_INTEROP="${NC3Z_INTEROP:-}" "$work/venv/bin/python3" -B \
	"$root/test/python/run_notebook.py" \
	"$root/lib/python/tour.ipynb") || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 77 ] || exit 1
echo "wheel: ok"
