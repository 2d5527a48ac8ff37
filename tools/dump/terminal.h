/* SPDX-License-Identifier: MIT */
/* The terminal that is standard output. */
#ifndef NC3Z_TOOLS_DUMP_TERMINAL_H
#define NC3Z_TOOLS_DUMP_TERMINAL_H

#include <stdbool.h>

/* 0 is not known. */
struct terminal_size {
	int columns, lines; /* in characters */
	int width, height;  /* in pixels */
};

struct terminal_size terminal_size(void);

/*
 * Asks it, and waits for at most a second; only one that is ours at the moment,
 * and that can be read.
 */
bool terminal_shows_sixels(void);

#endif
