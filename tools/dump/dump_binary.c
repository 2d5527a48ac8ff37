/* SPDX-License-Identifier: MIT */
/* Values as bytes: row-major, one selection after the other. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dump/dump.h"
#include "dump/boxes.h"

static bool is_big_endian(void)
{
	const unsigned short one = 1;

	return *(const unsigned char *)&one == 0;
}

static void swap(unsigned char *bytes, size_t nelems, size_t value_nbytes)
{
	for (size_t i = 0; i < nelems; i++, bytes += value_nbytes)
		for (size_t j = 0; j < value_nbytes / 2; j++) {
			unsigned char c = bytes[j];

			bytes[j] = bytes[value_nbytes - 1 - j];
			bytes[value_nbytes - 1 - j] = c;
		}
}

static enum exit_status write_selection(struct dump *dump,
					const struct selection *selection)
{
	enum byte_order order = dump->settings->order;
	bool swaps = order != ORDER_NATIVE &&
		     (order == ORDER_BIG) != is_big_endian();
	size_t value_nbytes, nelems;
	struct boxes boxes;
	struct nc3z_var var;
	int status;

	if (nc3z_inq_var(dump->file, selection->varid, &var, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, NULL);
	value_nbytes = nc3z_type_nbytes(var.type);
	if (!boxes_begin(&boxes, dump->file, selection->varid,
			 &selection->slab))
		return dump_no_memory(dump);
	do {
		status = boxes_next(&boxes, &nelems, &dump->err);
		if (status != NC3Z_OK)
			break;
		if (swaps)
			swap(boxes.values, nelems, value_nbytes);
		fwrite(boxes.values, value_nbytes, nelems, stdout);
	} while (nelems > 0 && !ferror(stdout));
	boxes_release(&boxes);
	return status == NC3Z_OK ? EXIT_DONE : dump_fail(dump, var.name);
}

enum exit_status dump_binary(struct dump *dump)
{
	enum exit_status status = EXIT_DONE;

	if (isatty(STDOUT_FILENO)) {
		message_error(NULL, "refusing to write bytes to a terminal");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < dump->selections.count && status == EXIT_DONE;
	     i++)
		status = write_selection(dump, &dump->selections.list[i]);
	return status;
}
