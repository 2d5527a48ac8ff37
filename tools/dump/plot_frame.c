/* What is around the picture: ticks with their labels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dump/plot.h"

#define NTICKS_MAX 9

/* Glyphs for a terminal that has them, and for others. */
struct glyphs {
	const char *side, *side_tick, *corner, *bottom, *bottom_tick;
};

static const struct glyphs *glyphs_of(const struct plot *p)
{
	static const struct glyphs ascii = { "|", "|", "+", "-", "+" };
	static const struct glyphs lines = {
		"\xe2\x94\x82", "\xe2\x94\xa4", "\xe2\x94\x94",
		"\xe2\x94\x80", "\xe2\x94\xac",
	};

	return p->screen->is_unicode ? &lines : &ascii;
}

static int clamp(int n, int least, int most)
{
	return n < least ? least : n > most ? most : n;
}

/* The k-th of n indices that are spread over an axis, with both its ends. */
static size_t spread(const struct plot_axis *axis, int k, int n)
{
	return n < 2 ? 0 :
		       (size_t)((double)k * (double)(axis->count - 1) /
					(n - 1) +
				.5);
}

static int count_ticks(const struct plot_axis *axis, int wanted)
{
	int n = clamp(wanted, 2, NTICKS_MAX);

	return axis->count < (size_t)n ? (int)axis->count : n;
}

/* Where an index is drawn, of 'n' places. */
static int place_of(const struct plot_axis *axis, size_t i, int n)
{
	return (int)(((double)i + .5) / (double)axis->count * n);
}

/* The label of a row of a map, "" if it has no tick. */
static int map_label(const struct plot *p, int row,
		     char label[PLOT_LABEL_NBYTES])
{
	int at = p->y.is_downward ? row : p->height - 1 - row;
	int n = count_ticks(&p->y, p->height / 3);

	label[0] = '\0';
	for (int k = 0; k < n; k++) {
		size_t i = spread(&p->y, k, n);

		if (place_of(&p->y, i, p->height) == at)
			return plot_axis_label(&p->y, p, i, label);
	}
	return NC3Z_OK;
}

/* That of a row of a line: the value there. */
static void line_label(const struct plot *p, int row,
		       char label[PLOT_LABEL_NBYTES])
{
	int last = p->height - 1, n = clamp(p->height / 3, 2, NTICKS_MAX);
	double part = (double)row / last;

	label[0] = '\0';
	for (int k = 0; k < n; k++)
		if ((int)((double)k * last / (n - 1) + .5) == row)
			plot_put_number(p->hi * (1 - part) + p->lo * part,
					label);
}

int plot_print_side(const struct plot *p, int row)
{
	const struct glyphs *g = glyphs_of(p);
	char label[PLOT_LABEL_NBYTES];
	int status = NC3Z_OK;

	if (p->y.dim >= 0)
		status = map_label(p, row, label);
	else
		line_label(p, row, label);
	if (status != NC3Z_OK)
		return status;
	plot_print_right(p->screen, label, p->label_width);
	fputs(label[0] != '\0' ? g->side_tick : g->side, stdout);
	return NC3Z_OK;
}

static int count_bottom_ticks(const struct plot *p)
{
	return count_ticks(&p->x, p->width / (p->x.is_time ? 22 : 12));
}

static void print_bottom_line(const struct plot *p, int nticks)
{
	const struct glyphs *g = glyphs_of(p);

	plot_print_blanks(p->label_width);
	fputs(g->corner, stdout);
	for (int x = 0, k = 0; x < p->width; x++) {
		bool is_tick = false;

		for (; k < nticks &&
		       place_of(&p->x, spread(&p->x, k, nticks), p->width) == x;
		     k++)
			is_tick = true;
		fputs(is_tick ? g->bottom_tick : g->bottom, stdout);
	}
	putchar('\n');
}

/* Centred below their ticks, as far as they have room. */
static int print_bottom_labels(const struct plot *p, int nticks)
{
	int column = 0, free_from = 0;

	plot_print_blanks(p->label_width + 1);
	for (int k = 0; k < nticks; k++) {
		char label[PLOT_LABEL_NBYTES];
		size_t i = spread(&p->x, k, nticks);
		int status = plot_axis_label(&p->x, p, i, label);
		int width = plot_text_width(label), from;

		if (status != NC3Z_OK)
			return status;
		from = place_of(&p->x, i, p->width) - width / 2;
		from = clamp(from, 0, p->width > width ? p->width - width : 0);
		if (from < free_from || width == 0 || width > p->width)
			continue;
		plot_print_blanks(from - column);
		plot_print(p->screen, label, width);
		column = from + width;
		free_from = column + 2;
	}
	putchar('\n');
	return NC3Z_OK;
}

int plot_print_bottom(const struct plot *p)
{
	int nticks = count_bottom_ticks(p);

	print_bottom_line(p, nticks);
	return print_bottom_labels(p, nticks);
}

void plot_print_bar(const struct plot *p)
{
	static const char ramp[] = PLOT_RAMP;
	char lo[PLOT_LABEL_NBYTES], hi[PLOT_LABEL_NBYTES];

	plot_put_number(p->lo, lo);
	plot_put_number(p->hi, hi);
	if (p->y.dim < 0) {
		printf("%s to %s", lo, hi);
	} else if (p->screen->form == SCREEN_TEXT) {
		printf("%s %s %s", lo, ramp, hi);
	} else {
		printf("%s ", lo);
		for (int i = 0; i < PLOT_NCOLOURS; i++) {
			plot_set_colours(-1, plot_colour(i));
			putchar(' ');
		}
		plot_set_colours(-1, -1);
		printf(" %s", hi);
	}
	if (p->nmissing > 0)
		fputs(p->y.dim < 0 ? "; gaps: missing" : "; blank: missing",
		      stdout);
	if (p->x.step > 1 || p->y.step > 1)
		printf("; 1 of %.0f values read",
		       (double)p->x.step * (double)p->y.step);
	putchar('\n');
}
