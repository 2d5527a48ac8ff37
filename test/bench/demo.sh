#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: demo.sh PICTURE
#
# Shows what nc3z does to files of Debian's ferret-datasets, in a directory that
# is removed at the end: './dev demo'.  PICTURE is the PNG that is left, of a map
# that Python reads from an archive.  The programs are in PATH.  Fails if a file
# does not come back bit for bit, or is read as something else.  Where Python,
# numpy or netCDF4 is missing, so is what needs it, with a line that says so.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
picture=$(realpath -m "$1")
# Debian's packages for Python are for this one, whatever else is in PATH.
python=$(PATH=/usr/bin:$PATH command -v python3 || true)
export LC_ALL=C.UTF-8
files=(levitus_climatology.cdf etopo5.cdf ocean_atlas_subset.nc
	monthly_navy_winds.cdf coads_climatology.cdf)
result=0

# show COMMAND: prints it, then runs it.
show()
{
	printf '\n$ %s\n' "$1"
	bash -c "$1" 2>&1
}

# differs WHAT: remembers that, and goes on, so that all is seen.
differs()
{
	echo "demo: $1 DIFFERS" >&2
	result=1
}

copy_files()
{
	local data file found=()

	data=$(dpkg -L ferret-datasets) || exit 77
	for file in "${files[@]}"; do
		if grep -q "/$file\$" <<<"$data"; then
			cp "$(grep -m 1 "/$file\$" <<<"$data")" "$file"
			found+=("$file")
		fi
	done
	files=("${found[@]}")
	[ ${#files[@]} -gt 0 ] || {
		echo "demo: no file in ferret-datasets" >&2
		exit 1
	}
}

# Each original beside what its archive gives back, by a program that is not ours.
check_restored()
{
	local file original restored

	printf '\nSHA-256 of originals, and of what their archives restore:\n'
	for file in "${files[@]}"; do
		original=$(sha256sum <"$file")
		restored=$(nc3compress -dc "$file.nc3z" | sha256sum) || true
		if [ "$original" = "$restored" ]; then
			printf '%.16s... %.16s... identical  %s\n' \
				"$original" "$restored" "$file"
		else
			differs "$file, restored,"
		fi
	done
}

# A program that knows nothing of archives; the name it prints is that of the
# file, so it is given one.
check_program()
{
	local file=coads_climatology.cdf ncdump=(ncdump -n coads -v SST)

	command -v ncdump >/dev/null || return 0
	show "${ncdump[*]} $file | md5sum"
	show "nc3run ${ncdump[*]} $file.nc3z | md5sum"
	if cmp <("${ncdump[@]}" $file) <(nc3run "${ncdump[@]}" $file.nc3z); then
		echo "All that ncdump prints is identical."
	else
		differs "what ncdump prints"
	fi
}

has_modules()
{
	[ -n "$python" ] && "$python" -c "import $1" 2>/dev/null
}

draw_picture()
{
	if ! has_modules numpy; then
		printf '\nNo PNG: python3-numpy is not installed.\n'
		return
	fi
	mkdir -p "$(dirname "$picture")"
	PYTHONPATH=$root/lib/python PYTHONDONTWRITEBYTECODE=1 "$python" - \
		levitus_climatology.cdf.nc3z "$picture" <<-'END'
		import sys
		import nc3z
		from nc3z import _picture
		with nc3z.File(sys.argv[1]) as f, open(sys.argv[2], "wb") as out:
		    out.write(_picture.of(f["TEMP"]).png)
	END
	printf '\nA map of the ocean, read by Python from an archive: %s\n' \
		"$picture"
}

compare()
{
	if ! has_modules numpy,netCDF4 || ! command -v nccopy >/dev/null; then
		printf '\n%s\n' "No table of reading: python3-numpy,\
 python3-netcdf4 or netcdf-bin is not installed."
		return
	fi
	printf '\n%s\n' "Beside others: daily sea temperatures, read by Python;\
 seconds are this machine's."
	PYTHONDONTWRITEBYTECODE=1 "$python" "$root/test/bench/bench.py" compare \
		--times 100 --ways \
		'netCDF-3,gzip -6,nccopy -d6 -s,nc3z,nc3z --chunks series' ||
		result=1
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
copy_files
show "nc3compress -kv ${files[*]}"
show 'nc3compress -tv *.nc3z'
check_restored
check_program
draw_picture
compare
if [ "$result" -eq 0 ]; then
	printf '\nAll that was packed came back bit for bit.\n'
fi
exit "$result"
