# SPDX-License-Identifier: MIT
# Makes netcdf.f90 of netcdf.f90.in: the constants of nc3z_netcdf.inc by their
# names in the module, the getters, written once, for all types and ranks, and the
# calls that only hand on their arguments.

set(here ${CMAKE_CURRENT_SOURCE_DIR})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${here}/nc3z_netcdf.inc ${here}/getters_of_type.f90.in
	${here}/getter_of_rank.f90.in)

# The fill values have their own types in the module.
file(READ nc3z_netcdf.inc parameters)
string(REGEX MATCHALL "nf_[a-z0-9_]+ = [^,)]*" parameters "${parameters}")
list(FILTER parameters EXCLUDE REGEX "^nf_fill_")
list(TRANSFORM parameters REPLACE "^nf_"
	"  integer, parameter, public :: nf90_")
list(JOIN parameters "\n" constants)

# Integers; "$" is text, and ">" what comes back.
set(calls)
foreach(call "sync ncid" "abort ncid" "close ncid"
		"inq_path ncid pathlen> path$>" "inq_format ncid format_type>"
		"inq_dimid ncid name$ dimid>" "inq_varid ncid name$ varid>"
		"inq_ncid ncid name$ grp_ncid>" "inq_grpname_len ncid len>"
		"inq_grpname ncid name$>" "inq_grpname_full ncid len> name$>"
		"inq_grp_parent ncid parent_ncid>"
		"inq_grp_ncid ncid name$ grpid>"
		"inq_grp_full_ncid ncid full_name$ grpid>"
		"inq_type ncid xtype name$> size>"
		"inq_user_type ncid xtype name$> size> base_typeid> nfields> class>"
		"inq_var_deflate ncid varid shuffle> deflate> deflate_level>"
		"inq_var_szip ncid varid options_mask> pixels_per_block>"
		"inq_var_fletcher32 ncid varid fletcher32>"
		"inq_var_endian ncid varid endianness>")
	string(REPLACE " " ";" arguments "${call}")
	list(POP_FRONT arguments name)
	set(declarations)
	foreach(argument IN LISTS arguments)
		string(REGEX MATCH "[a-z0-9_]+" declared "${argument}")
		set(type "integer")
		set(intent "in")
		if(argument MATCHES "[$]")
			set(type "character(len=*)")
		endif()
		if(argument MATCHES ">")
			set(intent "inout")
		endif()
		string(APPEND declarations
			"    ${type}, intent(${intent}) :: ${declared}\n")
	endforeach()
	list(JOIN arguments ", " arguments)
	string(REGEX REPLACE "[$>]" "" arguments "${arguments}")
	string(APPEND calls
		"  function nf90_${name}(${arguments}) result(status)\n"
		"${declarations}    integer :: status\n\n"
		"    status = nf_${name}(${arguments})\n"
		"  end function nf90_${name}\n\n")
endforeach()

file(READ getters_of_type.f90.in of_type)
file(READ getter_of_rank.f90.in of_rank)
set(getters)
set(att_procedures)
set(var_procedures)
set(fill_procedures)

# Of one type, ranks 1 to 7.  In text, strings are as a dimension more; of arrays
# of them, netcdf-fortran reads nothing along dimensions that are not named.
function(add_ranks)
	foreach(rank RANGE 1 7)
		string(REPEAT ":, " ${rank} colons)
		string(REGEX REPLACE ", $" "" colons "${colons}")
		set(lengths "shape(values)")
		set(beyond 1)
		if(type STREQUAL "text")
			set(lengths "(/ len(values), shape(values) /)")
			set(beyond 0)
		endif()
		string(CONFIGURE "${of_rank}" getter @ONLY)
		string(APPEND getters "${getter}")
		string(APPEND var_procedures
			"     module procedure get_var_${rank}d_${type}\n")
	endforeach()
	set(getters "${getters}" PARENT_SCOPE)
	set(var_procedures "${var_procedures}" PARENT_SCOPE)
endfunction()

set(type text)
set(declaration "character(len=*)")
string(APPEND var_procedures "     module procedure get_var_0d_text\n")
add_ranks()
foreach(kind int1:integer:OneByteInt int2:integer:TwoByteInt
		int:integer:FourByteInt int64:integer:EightByteInt
		real:real:FourByteReal double:real:EightByteReal)
	string(REGEX REPLACE "(.*):(.*):(.*)" "\\1" type ${kind})
	string(REGEX REPLACE "(.*):(.*):(.*)" "\\2(\\3)" declaration ${kind})
	string(CONFIGURE "${of_type}" getter @ONLY)
	string(APPEND getters "${getter}")
	string(APPEND att_procedures
		"     module procedure get_att_${type}, get_att_one_${type}\n")
	string(APPEND fill_procedures
		"     module procedure inq_var_fill_${type}\n")
	string(APPEND var_procedures
		"     module procedure get_var_0d_${type}\n")
	add_ranks()
endforeach()
configure_file(netcdf.f90.in netcdf.f90 @ONLY)
