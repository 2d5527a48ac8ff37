# SPDX-License-Identifier: MIT
# The programs with what belongs to them, below the prefix.

install(TARGETS ${programs})
install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/nc3view TYPE BIN)
install(FILES ${reader_files} DESTINATION
	${CMAKE_INSTALL_DATADIR}/nc3z/reader)
set(completions_bash bash-completion/completions)
set(completions_zsh zsh/site-functions)
set(completions_fish fish/vendor_completions.d)
foreach(program IN LISTS programs ITEMS nc3view)
	string(REPLACE nc3 "" room ${program})
	install(FILES ${room}/${program}.1
		DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
	foreach(file bash:${program} zsh:_${program} fish:${program}.fish)
		string(REPLACE ":" ";" pair ${file})
		list(GET pair 0 shell)
		list(GET pair 1 name)
		set(from ${completions})
		if(program STREQUAL "nc3view")
			set(from ${room}/completions)
		endif()
		install(FILES ${from}/${name} DESTINATION
			${CMAKE_INSTALL_DATADIR}/${completions_${shell}})
	endforeach()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/build-viewer/viewer.html
	${PROJECT_SOURCE_DIR}/build-viewer/coast.js OPTIONAL
	DESTINATION ${CMAKE_INSTALL_DATADIR}/nc3z)
install(FILES nc3z-mime.xml RENAME nc3z.xml
	DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES nc3z.magic DESTINATION ${CMAKE_INSTALL_DATADIR}/nc3z)
# The script for every night, and a unit that names it where it is installed.
set(examples ${CMAKE_INSTALL_DOCDIR}/examples)
install(PROGRAMS compress/examples/nc3compress-nightly DESTINATION ${examples})
install(FILES compress/examples/nc3compress-nightly.timer
	DESTINATION ${examples})
install(CODE "
	set(NIGHTLY \${CMAKE_INSTALL_PREFIX}/${examples}/nc3compress-nightly)
	configure_file(
		${CMAKE_CURRENT_SOURCE_DIR}/compress/examples/nc3compress-nightly.service
		\"\$ENV{DESTDIR}\${NIGHTLY}.service\" @ONLY)")
