/* What standard output can show: its size, colours, pictures. */
#ifndef NC3Z_TOOLS_DUMP_SCREEN_H
#define NC3Z_TOOLS_DUMP_SCREEN_H

#include <stdbool.h>

enum screen_form {
	SCREEN_AUTO,   /* what the terminal can */
	SCREEN_TEXT,   /* no escape codes */
	SCREEN_COLOUR, /* 256 colours */
	SCREEN_SIXEL,  /* pictures */
};

struct screen {
	enum screen_form form; /* never SCREEN_AUTO */
	bool is_unicode;
	int columns, lines;          /* within bounds, whatever is claimed */
	int cell_width, cell_height; /* of a character, in pixels */
};

/*
 * Looks at the environment and at the terminal.  One that says how many pixels
 * it has is asked whether it shows sixels; the answer is waited for at most a
 * second.
 */
void screen_init(struct screen *screen, enum screen_form wanted);

#endif
