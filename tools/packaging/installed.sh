#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: installed.sh PREFIX
#
# Says what to set so that what was installed is found, if anything.

set -euo pipefail
prefix=$1

echo "nc3z is installed in $prefix."
[ -n "$(find "$prefix" -name netcdf.mod)" ] ||
	echo "Without the module netcdf of Fortran 90: there is no gfortran."
[ -n "$(find "$prefix" -name viewer.html)" ] ||
	echo "Without the page of nc3view: ./dev viewer says why it cannot be built."
case $prefix in
/usr | /usr/local)
	[ "$(id -u)" -ne 0 ] || ldconfig
	exit
	;;
esac
pc=$(find "$prefix" -name nc3z.pc | head -n 1)
python=$(find "$prefix" -path '*/nc3z/__init__.py' | head -n 1)

# line VARIABLE DIRECTORY AFTER: puts a directory before what is there, whatever
# characters its name has.
line()
{
	printf '    export %s="%s%s"\n' "$1" \
		"$(sed 's/["\\$`]/\\&/g' <<<"$2")" "$3"
}

# Nothing after the colon would be the working directory, for the loader and for
# Python; for man it is all other pages.
printf 'To use it from there, add to ~/.profile:\n\n'
line PATH "$prefix/bin" ":\$PATH"
line MANPATH "$prefix/share/man" ":\$MANPATH"
while read -r variable directory; do
	line "$variable" "$directory" "\${$variable:+:\$$variable}"
done <<END
LD_LIBRARY_PATH $(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH $(dirname "$pc")
CMAKE_PREFIX_PATH $prefix
PYTHONPATH $(dirname "$(dirname "$python")")
END
case $prefix in
*:*) printf '\nA list of directories cannot hold one with a colon: %s\n' \
	'choose another place.' ;;
*\ *) printf '\nnc3run does not work from here: %s\n' \
	'the loader takes no name with a blank.' ;;
esac
