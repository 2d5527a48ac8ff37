#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: installed.sh PREFIX
#
# Says what to set so that what was installed is found, if anything.

set -euo pipefail
prefix=$1

echo "nc3z is installed in $prefix."
case $prefix in
/usr | /usr/local)
	[ "$(id -u)" -ne 0 ] || ldconfig
	exit
	;;
esac
pc=$(find "$prefix" -name nc3z.pc | head -n 1)
python=$(find "$prefix" -path '*/nc3z/__init__.py' | head -n 1)
# Nothing after the colon would be the working directory, for the loader and for
# Python; for man it is all other pages.
cat <<END
To use it from there, add to ~/.profile:

    export PATH=$prefix/bin:\$PATH
    export MANPATH=$prefix/share/man:\$MANPATH
    export LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")")\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
    export PKG_CONFIG_PATH=$(dirname "$pc")\${PKG_CONFIG_PATH:+:\$PKG_CONFIG_PATH}
    export CMAKE_PREFIX_PATH=$prefix\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}
    export PYTHONPATH=$(dirname "$(dirname "$python")")\${PYTHONPATH:+:\$PYTHONPATH}
END
