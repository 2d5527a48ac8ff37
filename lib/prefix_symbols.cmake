# SPDX-License-Identifier: MIT
# cmake -D nm=NM -D objcopy=OBJCOPY -D archive=LIBRARY.a -P prefix_symbols.cmake
#
# Gives each global symbol of a static library that is not ours by its name, such
# as sha256_update, the prefix nc3z_in_, so that no program has it, too.

if(NOT objcopy)
	message(WARNING "no objcopy: ${archive} has names without a prefix")
	return()
endif()
execute_process(COMMAND ${nm} -g --defined-only ${archive}
	OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
if(NOT status EQUAL 0)
	message(FATAL_ERROR "${nm} cannot read ${archive}")
endif()
# Names that begin with an underscore are the compiler's.
string(REGEX MATCHALL " [A-Z] [A-Za-z][A-Za-z0-9_]*" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "^ . " "")
list(FILTER symbols EXCLUDE REGEX "^nc3z_")
list(REMOVE_DUPLICATES symbols)
list(TRANSFORM symbols REPLACE "(.+)" "\\1 nc3z_in_\\1\n" OUTPUT_VARIABLE map)
string(CONCAT map ${map})
file(WRITE ${archive}.map "${map}")
# What a compiler keeps for optimising while it links has the old names.
execute_process(COMMAND ${objcopy} -D --redefine-syms=${archive}.map
	--wildcard --remove-section=.gnu.lto_* ${archive}
	RESULT_VARIABLE status)
if(NOT status EQUAL 0)
	message(FATAL_ERROR "${objcopy} cannot rename symbols of ${archive}")
endif()
