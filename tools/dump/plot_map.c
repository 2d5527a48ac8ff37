/*
 * A row of a map.  In colours a character shows two values, one above the
 * other, as half a block in one colour before another.
 */
#include <stdio.h>

#include "dump/plot.h"

#define UPPER_HALF "\xe2\x96\x80"
#define LOWER_HALF "\xe2\x96\x84"

static void print_text_row(const struct plot *p, int row)
{
	static const char ramp[] = PLOT_RAMP;
	int blanks = 0;

	for (int x = 0; x < p->width; x++) {
		double value = plot_value(p, x, row, p->width, p->height);
		int level = plot_level(p, value, sizeof(ramp) - 1);

		if (level < 0) {
			blanks++;
			continue;
		}
		plot_print_blanks(blanks);
		blanks = 0;
		putchar(ramp[level]);
	}
}

/* What is printed in which colours, for two values. */
struct half_blocks {
	const char *text;
	int front, back;
};

static struct half_blocks half_blocks_of(int upper, int lower)
{
	if (upper < 0 && lower < 0)
		return (struct half_blocks){ " ", -1, -1 };
	if (upper == lower)
		return (struct half_blocks){ " ", -1, lower };
	if (upper < 0)
		return (struct half_blocks){ LOWER_HALF, lower, -1 };
	return (struct half_blocks){ UPPER_HALF, upper, lower };
}

static int colour_at(const struct plot *p, int x, int y, int down)
{
	double value = plot_value(p, x, y, p->width, down);

	return plot_colour(plot_level(p, value, PLOT_NCOLOURS));
}

static void print_colour_row(const struct plot *p, int row)
{
	int rows = p->screen->is_unicode ? 2 : 1, down = rows * p->height;
	int front = -1, back = -1;

	for (int x = 0; x < p->width; x++) {
		int upper = colour_at(p, x, rows * row, down);
		int lower = colour_at(p, x, rows * row + rows - 1, down);
		struct half_blocks b = half_blocks_of(upper, lower);

		if (b.front != front || b.back != back)
			plot_set_colours(b.front, b.back);
		front = b.front;
		back = b.back;
		fputs(b.text, stdout);
	}
	if (front >= 0 || back >= 0)
		plot_set_colours(-1, -1);
}

void plot_print_map_row(const struct plot *plot, int row)
{
	if (plot->screen->form == SCREEN_COLOUR)
		print_colour_row(plot, row);
	else
		print_text_row(plot, row);
}
