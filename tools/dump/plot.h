/*
 * A part of a variable as a picture of characters: a map of its last two
 * dimensions with more than one index, or a line along its only one.
 */
#ifndef NC3Z_TOOLS_DUMP_PLOT_H
#define NC3Z_TOOLS_DUMP_PLOT_H

#include "dump/cdl_time.h"
#include "dump/dump.h"
#include "dump/screen.h"

/* Room for the text of a tick, with its NUL. */
#define PLOT_LABEL_NBYTES (TIME_NBYTES_MAX + 1)
/* Room for a title, with its NUL. */
#define PLOT_TITLE_NBYTES 1024

struct plot_axis {
	int dim; /* of the variable; -1: there is no such axis */
	const char *name;
	size_t start, count; /* the part that is drawn */
	size_t stride;
	size_t step, nread; /* every step-th of it is read, so many */
	int varid;          /* of its coordinates; -1: it has none */
	bool is_time;
	struct time_axis time;
	char time_separator;
	bool is_downward; /* as a y axis: the first index is at the top */
};

struct plot {
	struct dump *dump;
	const struct screen *screen;
	const struct selection *selection;
	struct nc3z_var var;
	struct plot_axis x, y; /* a line has no y */
	double *values;        /* y.nread rows of x.nread; NaN: missing */
	size_t nvalues, nmissing;
	double lo, hi;     /* of the finite ones; lo > hi: there are none */
	int label_width;   /* of the ticks at the left */
	int width, height; /* of the picture, in characters */
};

/* plot_axis.c; statuses of the library, the error in dump->err. */

/* Finds the coordinate variable of a dimension, and what it says. */
int plot_axis_init(struct plot_axis *axis, struct plot *plot, int dim);

/* Where index 'i' of 'count' is; as an index if there are no coordinates. */
int plot_axis_label(const struct plot_axis *axis, const struct plot *plot,
		    size_t i, char label[PLOT_LABEL_NBYTES]);

/* The index in the middle of place 'at' of 'n', counted from 0. */
size_t plot_axis_index(const struct plot_axis *axis, int at, int n);

/* "NAME (UNITS)" of a variable, or of a dimension without one. */
void plot_put_name(const struct plot *plot, int varid, const char *name,
		   char *to, size_t to_nbytes);

/* plot_values.c */

/* Which dimensions are drawn. */
int plot_choose_axes(struct plot *plot);

/*
 * Reads values for that many places across and down, with strides that leave
 * out what no place could show; sets their range.  Values are for free().
 */
int plot_read(struct plot *plot, size_t across, size_t down);

/* The value in the middle of a place of 'across' times 'down'. */
double plot_value(const struct plot *plot, int x, int y, int across, int down);

/* A value as a level from 0 to n - 1, -1 for what is no number. */
int plot_level(const struct plot *plot, double value, int n);

/* plot_text.c */

/* A number with four digits. */
void plot_put_number(double value, char label[PLOT_LABEL_NBYTES]);

/*
 * Prints at most 'columns' characters; those that could command a terminal, or
 * that it cannot show, as "?".  Returns how many.
 */
int plot_print(const struct screen *screen, const char *text, int columns);

/* The same after blanks, so that it ends at the column. */
void plot_print_right(const struct screen *screen, const char *text,
		      int columns);

/* Characters of a text. */
int plot_text_width(const char *text);

void plot_print_blanks(int n);

/* plot_colour.c: from low to high. */

/* Number of colours, of characters in text. */
#define PLOT_NCOLOURS 14
#define PLOT_RAMP ".:-=+*#%@"

/* A colour of a terminal with 256, by its level. */
int plot_colour(int level);

/* Red, green and blue, 0 to 100, at a place from 0 to 1 between the levels. */
void plot_rgb(double at, int rgb[3]);

/* Prints text in these colours; -1 is the terminal's own. */
void plot_set_colours(int front, int back);

/* plot_frame.c: what is around the picture. */

/* The label of a row and the line beside it. */
int plot_print_side(const struct plot *plot, int row);

/* The axis below, and its labels. */
int plot_print_bottom(const struct plot *plot);

/* The range, with the colours for it, and what is to be known of it. */
void plot_print_bar(const struct plot *plot);

/* plot_map.c, plot_sixel.c, plot_line.c: the picture. */

void plot_print_map_row(const struct plot *plot, int row);

/* Over rows that are blank, below of which the cursor is. */
void plot_print_sixels(const struct plot *plot);

/* Most pixels of a picture, in each direction. */
#define PLOT_PIXELS_MAX 1000
void plot_sixel_size(const struct plot *plot, int *width_ret, int *height_ret);

/* A line is drawn into dots first; false if memory runs out. */
struct plot_dots {
	int across, down; /* dots of a character */
	int width, height;
	unsigned char *cells; /* a bit for each dot of a character */
};
bool plot_draw_line(struct plot_dots *dots, const struct plot *plot);
void plot_print_line_row(const struct plot_dots *dots, int row);

#endif
