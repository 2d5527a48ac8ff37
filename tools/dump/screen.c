/* SPDX-License-Identifier: MIT */
#include "dump/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "dump/terminal.h"

#define COLUMNS_MIN 24
#define COLUMNS_MAX 400
#define LINES_MIN 12
#define LINES_MAX 200
/* Pixels of a character if unknown, and the most that are believed. */
#define CELL_WIDTH 8
#define CELL_HEIGHT 16
#define CELL_MAX 64

static int clamp(long n, int least, int most)
{
	return n < least ? least : n > most ? most : (int)n;
}

/* A number of 1 or more in the environment, else what the terminal says. */
static long size_of(const char *name, long of_terminal, long otherwise)
{
	const char *text = getenv(name);
	char *end;
	long n;

	errno = 0;
	n = text ? strtol(text, &end, 10) : 0;
	if (text && end != text && *end == '\0' && errno == 0 && n > 0)
		return n;
	return of_terminal > 0 ? of_terminal : otherwise;
}

/* False if nobody says how many pixels a character has. */
static bool find_size(struct screen *s)
{
	struct terminal_size t = terminal_size();
	bool has_pixels = t.columns > 0 && t.lines > 0 &&
			  t.width >= t.columns && t.height >= t.lines;

	s->columns = clamp(size_of("COLUMNS", t.columns, 80), COLUMNS_MIN,
			   COLUMNS_MAX);
	s->lines = clamp(size_of("LINES", t.lines, 24), LINES_MIN, LINES_MAX);
	s->cell_width = has_pixels ? clamp(t.width / t.columns, 1, CELL_MAX) :
				     CELL_WIDTH;
	s->cell_height = has_pixels ? clamp(t.height / t.lines, 1, CELL_MAX) :
				      CELL_HEIGHT;
	return has_pixels;
}

static const char *environment(const char *name)
{
	const char *text = getenv(name);

	return text && text[0] != '\0' ? text : NULL;
}

/* As the C library chooses the locale for characters. */
static bool is_utf8_locale(void)
{
	const char *locale = environment("LC_ALL");

	if (!locale)
		locale = environment("LC_CTYPE");
	if (!locale)
		locale = environment("LANG");
	for (; locale && *locale != '\0'; locale++)
		if (strncasecmp(locale, "UTF-8", 5) == 0 ||
		    strncasecmp(locale, "UTF8", 4) == 0)
			return true;
	return false;
}

static bool has_colours(void)
{
	const char *term = environment("TERM");

	return term && strcmp(term, "dumb") != 0 && !environment("NO_COLOR");
}

void screen_init(struct screen *screen, enum screen_form wanted)
{
	bool has_pixels;

	*screen = (struct screen){ .form = wanted };
	has_pixels = find_size(screen);
	screen->is_unicode = is_utf8_locale();
	if (wanted != SCREEN_AUTO)
		return;
	if (!isatty(STDOUT_FILENO) || !has_colours())
		screen->form = SCREEN_TEXT;
	else
		screen->form = has_pixels && terminal_shows_sixels() ?
				       SCREEN_SIXEL :
				       SCREEN_COLOUR;
}
