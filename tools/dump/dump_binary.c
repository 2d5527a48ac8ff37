/* SPDX-License-Identifier: MIT */
/* Values as bytes: row-major, one selection after the other. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dump/values.h"

static bool is_big_endian(void)
{
	const unsigned short one = 1;

	return *(const unsigned char *)&one == 0;
}

/* How values are written. */
struct binary_form {
	size_t value_nbytes;
	bool swaps;
};

static void swap(unsigned char *bytes, size_t nelems, size_t value_nbytes)
{
	for (size_t i = 0; i < nelems; i++, bytes += value_nbytes)
		for (size_t j = 0; j < value_nbytes / 2; j++) {
			unsigned char c = bytes[j];

			bytes[j] = bytes[value_nbytes - 1 - j];
			bytes[value_nbytes - 1 - j] = c;
		}
}

static void write_box(void *context, void *values, size_t nelems)
{
	const struct binary_form *form = context;

	if (form->swaps)
		swap(values, nelems, form->value_nbytes);
	fwrite(values, form->value_nbytes, nelems, stdout);
}

static enum exit_status write_selection(struct dump *dump,
					const struct selection *selection)
{
	enum byte_order order = dump->settings->order;
	struct binary_form form;
	struct nc3z_var var;

	if (nc3z_inq_var(dump->file, selection->varid, &var, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, NULL);
	form = (struct binary_form){
		.value_nbytes = nc3z_type_nbytes(var.type),
		.swaps = order != ORDER_NATIVE &&
			 (order == ORDER_BIG) != is_big_endian(),
	};
	if (dump_hyperslab_is_empty(&selection->slab))
		return EXIT_DONE;
	return dump_values(dump, selection->varid, &var, &selection->slab,
			   write_box, &form);
}

enum exit_status dump_binary(struct dump *dump)
{
	enum exit_status status = EXIT_DONE;

	if (isatty(STDOUT_FILENO)) {
		message_error(NULL, "refusing to write bytes to a terminal: "
				    "send them to a file or a pipe");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < dump->selections.count && status == EXIT_DONE;
	     i++)
		status = write_selection(dump, &dump->selections.list[i]);
	return status;
}
