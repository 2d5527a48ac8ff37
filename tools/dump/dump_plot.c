/* SPDX-License-Identifier: MIT */
/* Pictures of variables, as large as the terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/attribute.h"
#include "dump/plot.h"

/* Columns for labels at the left, at most a third of all. */
#define NUMBER_COLUMNS 10
#define TIME_COLUMNS 19
/* Lines beside the picture: titles, axis, range, and for the next prompt. */
#define OTHER_LINES 8
/* Most values of a line that are read. */
#define LINE_NVALUES_MAX 65536

/* Degrees are as long in both directions, unless that gives a mere strip. */
static void choose_size(struct plot *p)
{
	bool is_time = p->y.dim >= 0 && p->y.is_time;
	int third = p->screen->columns / 3;
	double ratio = (double)p->y.count / (double)p->x.count;

	p->label_width = is_time ? TIME_COLUMNS : NUMBER_COLUMNS;
	p->label_width = p->label_width < third ? p->label_width : third;
	p->width = p->screen->columns - p->label_width - 1;
	p->height = p->screen->lines - OTHER_LINES;
	if (p->y.dim < 0 || ratio < .25 || ratio > 4.)
		return;
	if (p->width * ratio / 2 < p->height)
		p->height = (int)(p->width * ratio / 2 + .5);
	else
		p->width = (int)(p->height / ratio * 2 + .5);
}

static int read_values(struct plot *p)
{
	int across = p->width, down = p->height * 2;

	if (p->y.dim < 0)
		return plot_read(p, LINE_NVALUES_MAX, 1);
	if (p->screen->form == SCREEN_SIXEL)
		plot_sixel_size(p, &across, &down);
	return plot_read(p, (size_t)across, (size_t)down);
}

/* A name that says more, if there is one, and the units. */
static void print_title(const struct plot *p)
{
	char title[PLOT_TITLE_NBYTES];
	const char *name = p->var.name;
	struct attribute a = { 0 };

	if (attribute_find(p->dump->file, p->selection->varid, "long_name", &a,
			   NULL) == NC3Z_OK &&
	    a.att.type == NC3Z_CHAR && a.att.nelems > 0)
		name = a.values;
	plot_put_name(p, p->selection->varid, name, title, sizeof(title));
	plot_print(p->screen, title, p->screen->columns);
	putchar('\n');
	attribute_release(&a);
}

/* Where in a dimension that is not drawn. */
static int add_place(struct plot *p, int dim, char *title)
{
	size_t n = strlen(title);
	char label[PLOT_LABEL_NBYTES];
	struct plot_axis axis;
	int status = plot_axis_init(&axis, p, dim);

	if (status == NC3Z_OK)
		status = plot_axis_label(&axis, p, 0, label);
	if (status != NC3Z_OK)
		return status;
	snprintf(title + n, PLOT_TITLE_NBYTES - n, ", %s %s", axis.name, label);
	n = strlen(title);
	if (axis.count > 1)
		snprintf(title + n, PLOT_TITLE_NBYTES - n, " (first of %zu)",
			 axis.count);
	return NC3Z_OK;
}

static int print_place(struct plot *p)
{
	char title[PLOT_TITLE_NBYTES];
	int status = NC3Z_OK;

	snprintf(title, sizeof(title), "%.255s", p->var.name);
	for (int dim = 0; dim < p->var.ndims && status == NC3Z_OK &&
			  strlen(title) < sizeof(title) - 1;
	     dim++)
		if (dim != p->x.dim && dim != p->y.dim)
			status = add_place(p, dim, title);
	plot_print(p->screen, title, p->screen->columns);
	putchar('\n');
	return status;
}

static void print_axes(const struct plot *p)
{
	char x[PLOT_TITLE_NBYTES / 2], y[PLOT_TITLE_NBYTES / 2];
	char text[PLOT_TITLE_NBYTES + 16];

	plot_put_name(p, p->x.varid, p->x.name, x, sizeof(x));
	if (p->y.dim >= 0) {
		plot_put_name(p, p->y.varid, p->y.name, y, sizeof(y));
		snprintf(text, sizeof(text), "across: %s, down: %s", x, y);
	} else {
		snprintf(text, sizeof(text), "across: %s", x);
	}
	plot_print(p->screen, text, p->screen->columns);
	putchar('\n');
}

static int print_map(const struct plot *p)
{
	int status = NC3Z_OK;

	for (int row = 0; row < p->height && status == NC3Z_OK; row++) {
		status = plot_print_side(p, row);
		if (p->screen->form != SCREEN_SIXEL)
			plot_print_map_row(p, row);
		putchar('\n');
	}
	if (p->screen->form == SCREEN_SIXEL && status == NC3Z_OK)
		plot_print_sixels(p);
	return status;
}

static int print_line(const struct plot *p)
{
	struct plot_dots dots;
	int status = NC3Z_OK;

	if (!plot_draw_line(&dots, p))
		return NC3Z_ENOMEM;
	for (int row = 0; row < p->height && status == NC3Z_OK; row++) {
		status = plot_print_side(p, row);
		plot_print_line_row(&dots, row);
		putchar('\n');
	}
	free(dots.cells);
	return status;
}

static int print_picture(struct plot *p)
{
	int status;

	if (p->nmissing == p->nvalues) {
		puts("all values are missing");
		return NC3Z_OK;
	}
	if (p->x.dim < 0) {
		printf("%.7g\n", p->values[0]);
		return NC3Z_OK;
	}
	status = p->y.dim >= 0 ? print_map(p) : print_line(p);
	if (status == NC3Z_OK)
		status = plot_print_bottom(p);
	if (status != NC3Z_OK)
		return status;
	print_axes(p);
	plot_print_bar(p);
	return NC3Z_OK;
}

/* The file is read before anything is printed. */
static int print_plot(struct plot *p)
{
	int status = plot_choose_axes(p);

	if (status != NC3Z_OK)
		return status;
	choose_size(p);
	status = read_values(p);
	if (status != NC3Z_OK)
		return status;
	print_title(p);
	status = print_place(p);
	return status == NC3Z_OK ? print_picture(p) : status;
}

static enum exit_status plot(struct dump *dump, const struct screen *screen,
			     const struct selection *selection)
{
	struct plot p = { .dump = dump,
			  .screen = screen,
			  .selection = selection };
	int status;

	if (nc3z_inq_var(dump->file, selection->varid, &p.var, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, NULL);
	if (p.var.type == NC3Z_CHAR) {
		message_error(dump->path, "variable %s: text cannot be drawn",
			      p.var.name);
		return EXIT_FAILED;
	}
	if (dump_hyperslab_is_empty(&selection->slab)) {
		message_error(dump->path, "variable %s: it has no values",
			      p.var.name);
		return EXIT_FAILED;
	}
	status = print_plot(&p);
	free(p.values);
	return status == NC3Z_OK ? EXIT_DONE : dump_fail(dump, p.var.name);
}

static bool is_coordinate(const struct dump *dump, const struct nc3z_var *var)
{
	struct nc3z_dim dim;

	return var->ndims == 1 &&
	       nc3z_inq_dim(dump->file, var->dimids[0], &dim, NULL) ==
		       NC3Z_OK &&
	       strcmp(dim.name, var->name) == 0;
}

/* What the file is likely to be about: its largest variable. */
static enum exit_status plot_largest(struct dump *dump,
				     const struct screen *screen)
{
	struct selection largest = { .varid = -1 };
	struct nc3z_var var, found = { 0 };
	enum exit_status status;

	for (int i = 0; i < dump->nvars; i++) {
		if (nc3z_inq_var(dump->file, i, &var, NULL) != NC3Z_OK ||
		    var.type == NC3Z_CHAR || is_coordinate(dump, &var) ||
		    var.nelems <= found.nelems)
			continue;
		found = var;
		largest.varid = i;
	}
	if (largest.varid < 0) {
		message_error(dump->path, "has no variable that could be "
					  "drawn: name one");
		return EXIT_FAILED;
	}
	if (!dump_hyperslab_init(&largest.slab, &found))
		return dump_no_memory(dump);
	status = plot(dump, screen, &largest);
	dump_hyperslab_release(&largest.slab);
	return status;
}

enum exit_status dump_plot(struct dump *dump)
{
	enum exit_status status = EXIT_DONE;
	struct screen screen;

	screen_init(&screen, dump->settings->plot_form);
	if (!dump->selections.is_list)
		return plot_largest(dump, &screen);
	for (size_t i = 0; i < dump->selections.count && status == EXIT_DONE;
	     i++) {
		if (i > 0)
			putchar('\n');
		status = plot(dump, &screen, &dump->selections.list[i]);
	}
	return status;
}
