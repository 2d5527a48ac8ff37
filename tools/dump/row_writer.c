/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a row are separated by ", "; one that would pass the end of the
 * line begins a new one, four columns in.  Rows end with "," or " ;".  Text has
 * no line breaks but those that are in it.  With comments for each value, each
 * has a line of its own.
 */
#include "dump/row_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/cdl_text.h"
#include "dump/number.h"

#define BUFFER_NBYTES ((size_t)1 << 16)

bool row_writer_init(struct row_writer *w, const struct dump_settings *settings,
		     const struct value_style *style,
		     const struct dump_hyperslab *slab,
		     const struct nc3z_var *var)
{
	size_t rank = slab->ndims > 0 ? (size_t)slab->ndims : 1;

	*w = (struct row_writer){
		.settings = settings,
		.style = style,
		.slab = slab,
		.var = var,
		.name = cdl_escape_name(var->name),
		.row = calloc(rank, sizeof(*w->row)),
		.ncolumns = slab->count[rank - 1],
		.limit = (size_t)settings->line_length - 2,
		.buffer = malloc(BUFFER_NBYTES),
	};
	if (w->name && w->row && w->buffer)
		return true;
	row_writer_release(w);
	return false;
}

void row_writer_release(struct row_writer *w)
{
	free(w->name);
	free(w->row);
	free(w->buffer);
	*w = (struct row_writer){ 0 };
}

void row_writer_flush(struct row_writer *w)
{
	fwrite(w->buffer, 1, w->nbuffered, stdout);
	w->nbuffered = 0;
}

static void put_bytes(struct row_writer *w, const char *text, size_t nbytes)
{
	if (nbytes > BUFFER_NBYTES - w->nbuffered)
		row_writer_flush(w);
	if (nbytes > BUFFER_NBYTES) {
		fwrite(text, 1, nbytes, stdout);
		return;
	}
	memcpy(w->buffer + w->nbuffered, text, nbytes);
	w->nbuffered += nbytes;
}

static void put_string(struct row_writer *w, const char *text)
{
	put_bytes(w, text, strlen(text));
}

static void put_index(struct row_writer *w, uint64_t index)
{
	char text[NUMBER_NBYTES_MAX];

	put_bytes(w, text, number_put_uint(text, index));
}

/* A box of text that stays in one line, if it has more than two bytes. */
static void put_unbroken(struct row_writer *w, const char *text, size_t nbytes)
{
	if (nbytes + w->position > w->limit && nbytes > 2) {
		put_bytes(w, "\n    ", 5);
		w->position = 4;
	}
	put_bytes(w, text, nbytes);
	w->position += nbytes;
	if (nbytes > 0 && text[nbytes - 1] == '\n')
		w->position = 0;
}

/* In dimension 'i' of the variable, the index of a count of the slab. */
static uint64_t index_of(const struct row_writer *w, int i, size_t count)
{
	return w->slab->start[i] + count * (uint64_t)w->slab->stride[i];
}

/* The indices of the row, but for the last one, each with a comma. */
static void put_row_c(struct row_writer *w)
{
	for (int i = 0; i < w->slab->ndims - 1; i++) {
		put_index(w, index_of(w, i, w->row[i]));
		put_bytes(w, ",", 1);
	}
}

static void put_row_fortran(struct row_writer *w)
{
	for (int i = w->slab->ndims - 2; i >= 0; i--) {
		put_bytes(w, ",", 1);
		put_index(w, 1 + index_of(w, i, w->row[i]));
	}
}

static void put_comment_begin(struct row_writer *w)
{
	put_string(w, "// ");
	put_string(w, w->name);
	put_bytes(w, "(", 1);
}

/* The comment before a row: the indices of all of it. */
static void put_row_comment(struct row_writer *w)
{
	bool fortran = w->settings->fortran_indices;
	int last = w->slab->ndims - 1;
	ptrdiff_t stride = w->slab->stride[last];

	put_comment_begin(w);
	if (!fortran) {
		put_row_c(w);
		if (w->ncolumns > 1)
			put_bytes(w, " ", 1);
	}
	put_index(w, fortran + index_of(w, last, 0));
	if (w->ncolumns > 1) {
		put_bytes(w, "-", 1);
		put_index(w, fortran + index_of(w, last, w->ncolumns - 1));
		if (stride > 1) {
			put_bytes(w, ":", 1);
			put_index(w, (uint64_t)stride);
		}
	}
	if (fortran) {
		if (w->ncolumns > 1)
			put_bytes(w, " ", 1);
		put_row_fortran(w);
	}
	put_string(w, ")\n    ");
	w->position = 4;
}

/* The comment after a value: its indices. */
static void put_value_comment(struct row_writer *w, size_t column)
{
	int last = w->slab->ndims - 1;
	uint64_t index = last >= 0 ? index_of(w, last, column) : 0;

	put_string(w, "  ");
	put_comment_begin(w);
	if (w->settings->fortran_indices) {
		put_index(w, 1 + index);
		put_row_fortran(w);
	} else {
		put_row_c(w);
		put_index(w, index);
	}
	put_string(w, ")\n    ");
}

static bool is_last_row(const struct row_writer *w)
{
	for (int i = 0; i < w->slab->ndims - 1; i++)
		if (w->row[i] != w->slab->count[i] - 1)
			return false;
	return true;
}

static void next_row(struct row_writer *w)
{
	w->column = 0;
	for (int i = w->slab->ndims - 2; i >= 0; i--) {
		if (++w->row[i] < w->slab->count[i])
			return;
		w->row[i] = 0;
	}
}

static void begin_row(struct row_writer *w)
{
	if (w->settings->brief_comments && w->slab->ndims > 1)
		put_row_comment(w);
}

/* Ends a row with the text of its last value. */
static void end_row(struct row_writer *w, const char *text, size_t nbytes)
{
	bool is_last = is_last_row(w);

	if (w->settings->full_comments) {
		put_bytes(w, text, nbytes);
		put_string(w, is_last ? ";" : ",");
		put_value_comment(w, w->ncolumns - 1);
	} else {
		put_unbroken(w, text, nbytes);
		put_unbroken(w, is_last ? " ;" : ",\n", 2);
		put_unbroken(w, is_last ? "\n" : "  ", is_last ? 1 : 2);
	}
	next_row(w);
}

void row_writer_begin(struct row_writer *w)
{
	put_string(w, "\n ");
	put_string(w, w->name);
	if (w->slab->ndims <= 1) {
		put_string(w, " = ");
		w->position = strlen(w->var->name) + 4;
	} else {
		put_string(w, " =\n  ");
		w->position = 2;
	}
}

/* NULs at the end of a row are not shown. */
static void put_char(struct row_writer *w, unsigned char c)
{
	char text[CDL_BYTE_NBYTES_MAX];

	if (c == '\0') {
		w->npending++;
		return;
	}
	for (; w->npending > 0; w->npending--)
		put_bytes(w, "\\000", 4);
	put_bytes(w, text, cdl_put_char(text, c));
}

static void put_text(struct row_writer *w, const unsigned char *text,
		     size_t nelems)
{
	for (size_t i = 0; i < nelems; i++) {
		if (w->column == 0) {
			begin_row(w);
			put_bytes(w, "\"", 1);
		}
		put_char(w, text[i]);
		w->column++;
		if (w->column == w->ncolumns) {
			w->npending = 0;
			put_bytes(w, "\"", 1);
			end_row(w, "", 0);
		}
	}
}

/* Values of a row before its last. */
static void put_numbers(struct row_writer *w, const char *values,
			size_t value_nbytes, size_t nelems)
{
	char text[VALUE_NBYTES_MAX + 2];

	for (size_t i = 0; i < nelems; i++, values += value_nbytes) {
		size_t n = value_put(w->style, values, text);

		text[n++] = ',';
		text[n++] = ' ';
		if (w->settings->full_comments) {
			put_bytes(w, text, n);
			put_value_comment(w, w->column);
		} else {
			put_unbroken(w, text, n);
		}
		w->column++;
	}
}

void row_writer_put(struct row_writer *w, const void *values, size_t nelems)
{
	size_t value_nbytes = nc3z_type_nbytes(w->style->type);
	const char *at = values;
	char text[VALUE_NBYTES_MAX];

	if (w->style->kind == VALUE_TEXT) {
		put_text(w, values, nelems);
		return;
	}
	while (nelems > 0) {
		size_t run = w->ncolumns - 1 - w->column;

		run = run < nelems ? run : nelems;
		if (w->column == 0)
			begin_row(w);
		put_numbers(w, at, value_nbytes, run);
		at += run * value_nbytes;
		nelems -= run;
		if (nelems == 0)
			break;
		end_row(w, text, value_put(w->style, at, text));
		at += value_nbytes;
		nelems--;
	}
}
