/* SPDX-License-Identifier: MIT */
/*
 * Rows of values as text: along the last dimension, broken into lines, with
 * comments where they are wanted.
 */
#ifndef NC3Z_TOOLS_DUMP_ROW_WRITER_H
#define NC3Z_TOOLS_DUMP_ROW_WRITER_H

#include "dump/hyperslab.h"
#include "dump/value_style.h"

struct row_writer {
	const struct dump_settings *settings;
	const struct value_style *style;
	const struct dump_hyperslab *slab;
	const struct nc3z_var *var;
	char *name;      /* escaped */
	size_t *row;     /* in counts; of the last dimension always 0 */
	size_t ncolumns; /* values in a row */
	size_t column;   /* of the next value */
	size_t npending; /* NULs of text, shown only if something follows */
	size_t position; /* in the line, in bytes */
	size_t limit;    /* of the position */
	size_t nbuffered;
	char *buffer;
};

/* False if memory runs out. */
bool row_writer_init(struct row_writer *w, const struct dump_settings *settings,
		     const struct value_style *style,
		     const struct dump_hyperslab *slab,
		     const struct nc3z_var *var);

/* The text before the values: the name. */
void row_writer_begin(struct row_writer *w);

/* The next values, in row-major order, any number of them. */
void row_writer_put(struct row_writer *w, const void *values, size_t nelems);

/* Gives all text to standard output. */
void row_writer_flush(struct row_writer *w);

void row_writer_release(struct row_writer *w);

#endif
