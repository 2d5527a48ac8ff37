/* SPDX-License-Identifier: MIT */
#include "dump/cdl_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/cdl_text.h"
#include "dump/row_writer.h"
#include "dump/values.h"

/* The shape of the whole variable that a part is of, as a comment. */
static void print_part(const struct selection *selection,
		       const struct nc3z_var *var)
{
	const struct dump_hyperslab *s = &selection->slab;

	fputs("\n // ", stdout);
	cdl_print_name(stdout, var->name);
	putchar('[');
	for (int i = 0; i < s->ndims; i++) {
		size_t first = s->start[i];
		size_t last = first + (s->count[i] - 1) * (size_t)s->stride[i];

		printf("%s%zu", i > 0 ? ", " : "", first);
		if (s->count[i] != 1)
			printf(":%zu", last + 1);
		if (s->count[i] != 1 && s->stride[i] != 1)
			printf(":%td", s->stride[i]);
	}
	printf("] of [");
	for (int i = 0; i < s->ndims; i++)
		printf("%s%" PRIu64, i > 0 ? ", " : "", var->shape[i]);
	putchar(']');
}

static void put_box(void *context, void *values, size_t nelems)
{
	row_writer_put(context, values, nelems);
	row_writer_flush(context);
}

static enum exit_status print_slab(struct dump *dump, int varid,
				   const struct nc3z_var *var,
				   const struct dump_hyperslab *slab,
				   const struct value_style *style)
{
	struct row_writer writer;
	enum exit_status status;

	if (!row_writer_init(&writer, dump->settings, style, slab, var))
		return dump_no_memory(dump);
	row_writer_begin(&writer);
	row_writer_flush(&writer);
	status = dump_values(dump, varid, var, slab, put_box, &writer);
	row_writer_release(&writer);
	return status;
}

enum exit_status cdl_print_values(struct dump *dump, int varid,
				  const struct selection *selection)
{
	struct value_style style;
	enum exit_status status;
	struct nc3z_var var;
	struct dump_hyperslab whole;

	if (nc3z_inq_var(dump->file, varid, &var, &dump->err) != NC3Z_OK)
		return dump_fail(dump, NULL);
	if (!dump_hyperslab_init(&whole, &var)) {
		message_error(dump->path, "%s: %s", var.name, strerror(errno));
		return EXIT_FAILED;
	}
	status = value_style_init(&style, dump, varid, &var);
	if (status == EXIT_DONE &&
	    !dump_hyperslab_is_empty(selection ? &selection->slab : &whole)) {
		if (selection && selection->is_part)
			print_part(selection, &var);
		status = print_slab(dump, varid, &var,
				    selection ? &selection->slab : &whole,
				    &style);
	}
	dump_hyperslab_release(&whole);
	return status;
}
