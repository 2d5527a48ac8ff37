/*
 * A line of dots: eight in a character of Braille, or one.  Neighbours are
 * joined; where a value is missing, there is a gap.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dump/plot.h"

static void set_dot(struct plot_dots *d, int x, int y)
{
	int cell = y / d->down * d->width + x / d->across;

	d->cells[cell] |=
		(unsigned char)(1 << (y % d->down * d->across + x % d->across));
}

/* All dots on the way, by the longer of the two distances. */
static void draw_segment(struct plot_dots *d, int x0, int y0, int x1, int y1)
{
	int dx = x1 - x0, dy = y1 - y0;
	int n = abs(dx) > abs(dy) ? abs(dx) : abs(dy);

	for (int i = 0; i <= n; i++)
		set_dot(d, x0 + (n > 0 ? (int)lround((double)dx * i / n) : 0),
			y0 + (n > 0 ? (int)lround((double)dy * i / n) : 0));
}

static void draw_values(struct plot_dots *d, const struct plot *p)
{
	int nx = d->width * d->across, ny = d->height * d->down;
	int before_x = 0, before_y = -1;

	for (size_t i = 0; i < p->nvalues; i++) {
		double place = ((double)i + .5) / (double)p->nvalues;
		int x = (int)(place * nx);
		int y = plot_level(p, p->values[i], ny);

		x = x < nx ? x : nx - 1;
		if (y < 0) {
			before_y = -1;
			continue;
		}
		y = ny - 1 - y;
		if (before_y < 0)
			draw_segment(d, x, y, x, y);
		else
			draw_segment(d, before_x, before_y, x, y);
		before_x = x;
		before_y = y;
	}
}

bool plot_draw_line(struct plot_dots *dots, const struct plot *plot)
{
	bool is_unicode = plot->screen->is_unicode;

	*dots = (struct plot_dots){
		.across = is_unicode ? 2 : 1,
		.down = is_unicode ? 4 : 1,
		.width = plot->width,
		.height = plot->height,
		.cells = calloc((size_t)plot->width, (size_t)plot->height),
	};
	if (dots->cells)
		draw_values(dots, plot);
	return dots->cells != NULL;
}

/* Braille counts the dots of the first three rows by column, then the last. */
static void print_braille(int bits)
{
	static const unsigned char order[] = { 0, 3, 1, 4, 2, 5, 6, 7 };
	int code = 0;

	for (int i = 0; i < 8; i++)
		code |= (bits >> i & 1) << order[i];
	printf("\xe2%c%c", 0xa0 + (code >> 6), 0x80 + (code & 0x3f));
}

void plot_print_line_row(const struct plot_dots *dots, int row)
{
	int blanks = 0;

	for (int x = 0; x < dots->width; x++) {
		int bits = dots->cells[row * dots->width + x];

		if (bits == 0) {
			blanks++;
			continue;
		}
		plot_print_blanks(blanks);
		blanks = 0;
		if (dots->down == 1)
			putchar('*');
		else
			print_braille(bits);
	}
}
