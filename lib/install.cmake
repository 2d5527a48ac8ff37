# SPDX-License-Identifier: MIT
# The library's files below the prefix.  All of them may be moved together:
# nothing says where they are but by its own place.

install(FILES nc3z.h nc3z_compat.h TYPE INCLUDE)
# <netcdf.h> for programs whose sources shall stay as they are.
install(FILES compat/include/netcdf.h
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nc3z)
install(FILES ${PROJECT_SOURCE_DIR}/test/examples/loop_records.c
	${PROJECT_SOURCE_DIR}/test/examples/many_threads.c
	${PROJECT_SOURCE_DIR}/test/examples/read_slab.c
	${PROJECT_SOURCE_DIR}/test/examples/rechunk.c
	${PROJECT_SOURCE_DIR}/test/examples/speed.c
	DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# Documents refer to each other by these places.
set(documents README.md CITATION.cff CONTRIBUTING.md LICENSE NEWS.md SECURITY.md
	lib/README.md tools/viewer/test/pictures/map.png)
foreach(file IN LISTS documents)
	get_filename_component(place ${CMAKE_INSTALL_DOCDIR}/${file} DIRECTORY)
	install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${place})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/doc ${PROJECT_SOURCE_DIR}/format-spec
	DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(man ${PROJECT_SOURCE_DIR}/tools/man)
install(FILES ${man}/nc3z.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${man}/nc3z.7 ${man}/nc3z-remote.7
	DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
# "man nc3z" takes section 1 before 3, and those who call it want the overview.
file(CREATE_LINK ../man7/nc3z.7 ${CMAKE_CURRENT_BINARY_DIR}/nc3z.1 SYMBOLIC)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nc3z.1
	DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# The pages of the library are made of its header, with a link for each
# function.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_Interpreter_FOUND)
	set(man3 ${CMAKE_CURRENT_BINARY_DIR}/man3)
	add_custom_command(OUTPUT man3/nc3z.3
		COMMAND Python3::Interpreter -B ${man}/make_nc3z_3.py
		${CMAKE_CURRENT_SOURCE_DIR}/nc3z.h ${man}/nc3z.7 ${man3}
		DEPENDS nc3z.h ${man}/make_nc3z_3.py ${man}/nc3z.7 VERBATIM)
	add_custom_target(nc3z_man ALL DEPENDS ${man3}/nc3z.3)
	install(DIRECTORY ${man3} DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
	message(STATUS "no Python: the manual pages of the library are left out")
endif()

# For CMake.  The static library's own dependencies are looked for where it is
# asked for, as a component.
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nc3z)
if(TARGET nc3z)
	install(TARGETS nc3z EXPORT nc3z)
	install(EXPORT nc3z NAMESPACE nc3z:: FILE nc3z-shared.cmake
		DESTINATION ${cmake_dir})
endif()
install(TARGETS nc3z_static EXPORT nc3z-static)
install(EXPORT nc3z-static NAMESPACE nc3z:: DESTINATION ${cmake_dir})
set(modules libdeflate libzstd liblzma)
set(packages BZip2)
set(private)
if(NOT NC3Z_FEW_LIBRARIES)
	list(APPEND modules libcrypto)
	list(APPEND packages ZLIB)
	set(private " zlib")
endif()
list(JOIN modules " " modules)
list(JOIN packages " " packages)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(nc3z-config-version.cmake
	COMPATIBILITY SameMajorVersion)
configure_file(nc3z-config.cmake.in nc3z-config.cmake @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nc3z-config.cmake
	${CMAKE_CURRENT_BINARY_DIR}/nc3z-config-version.cmake
	DESTINATION ${cmake_dir})

# For pkg-config, whose files find the prefix by their own place; but a system's
# own is never moved, and compilers know it.
set(prefix ${CMAKE_INSTALL_PREFIX})
if(NOT prefix STREQUAL "/usr" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
	file(RELATIVE_PATH up
		${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${prefix})
	string(REGEX REPLACE "/$" "" prefix "\${pcfiledir}/${up}")
endif()
set(dl_flags)
if(CMAKE_DL_LIBS)
	set(dl_flags -l${CMAKE_DL_LIBS})
endif()
foreach(dir includedir libdir)
	string(TOUPPER ${dir} name)
	set(${dir} "\${prefix}/${CMAKE_INSTALL_${name}}")
	if(IS_ABSOLUTE "${CMAKE_INSTALL_${name}}")
		set(${dir} ${CMAKE_INSTALL_${name}})
	endif()
endforeach()
configure_file(nc3z.pc.in nc3z.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nc3z.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
