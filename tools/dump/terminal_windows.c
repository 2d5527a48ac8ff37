/* SPDX-License-Identifier: MIT */
#include "dump/terminal.h"

#include <windows.h>

struct terminal_size terminal_size(void)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
		return (struct terminal_size){ 0 };
	return (struct terminal_size){
		.columns = info.srWindow.Right - info.srWindow.Left + 1,
		.lines = info.srWindow.Bottom - info.srWindow.Top + 1,
	};
}

/* Consoles do not say how many pixels they have, so none is asked. */
bool terminal_shows_sixels(void)
{
	return false;
}
