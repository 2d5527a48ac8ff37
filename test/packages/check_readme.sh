#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: check_readme.sh README
#
# Runs the lines under "## Use" of README.md, in their order, as somebody types
# them, with the programs on PATH.  /data/1998 and x.nc.nc3z, which they name, are
# made of a small file; netcdf-bin, CDO and xarray must be there.  nc3view, which
# serves until it is stopped, has to serve its page.

set -euo pipefail
shopt -s extglob
readme=$(readlink -f "$1")
[ ! -e /data/1998 ] || {
	echo "/data/1998 is there, and would be packed" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work" /data/1998' EXIT
cd "$work"

ncgen -k classic -o x.nc <<'END'
netcdf x {
dimensions:
	time = UNLIMITED ;
	lat = 30 ;
	lon = 60 ;
variables:
	double time(time) ;
		time:units = "days since 1998-01-01" ;
	float lat(lat) ;
		lat:units = "degrees_north" ;
	float lon(lon) ;
		lon:units = "degrees_east" ;
	float sst(time, lat, lon) ;
		sst:units = "degC" ;
data:
	time = 0, 1 ;
}
END
mkdir -p /data/1998/a
cp x.nc /data/1998
cp x.nc /data/1998/a
nc3compress x.nc
sha256sum x.nc >sum
mv x.nc original.nc

# served LINE: nc3view says the address of its page, and gives the page there.
served()
{
	local pid address="" i

	bash -c "exec $1" >served.log 2>&1 &
	pid=$!
	for ((i = 0; i < 100 && ${#address} == 0; i++)); do
		sleep 0.1
		address=$(grep -om1 'http://[^ ]*' served.log || true)
	done
	python3 -c 'import sys, urllib.request
page = urllib.request.urlopen(sys.argv[1]).read()
sys.exit(len(page) < 100000)' "$address" || {
		cat served.log
		return 1
	}
	kill "$pid"
	wait "$pid" || true
}

count=0
while IFS= read -r line; do
	line=${line%%  #*}
	line=${line%%+( )}
	echo "\$ $line"
	case $line in
	nc3view*) served "$line" ;;
	*) bash -euc "$line" ;;
	esac </dev/null >out.log 2>&1 || {
		cat out.log
		echo "README: failed: $line" >&2
		exit 1
	}
	count=$((count + 1))
done < <(sed -n '/^## Use$/,/^## /{/^```sh$/,/^```$/{/^```/!p}}' "$readme")
[ "$count" -ge 6 ]
[ "$(find /data/1998 -name '*.nc.nc3z' | wc -l)" = 2 ]
[ -z "$(find /data/1998 -name '*.nc')" ]
sha256sum --check --quiet sum
echo "Passed: $count lines of README"
