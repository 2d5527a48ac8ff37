/* SPDX-License-Identifier: MIT */
/* Working memory. */
#include "context/context.h"

void context_coder_release(struct context_coder *coder)
{
	buffer_release(&coder->grid);
	buffer_release(&coder->rows);
	buffer_release(&coder->model);
	buffer_release(&coder->streams);
	buffer_release(&coder->tables);
}

size_t context_coder_nbytes(const struct context_coder *coder)
{
	return coder->grid.capacity + coder->rows.capacity +
	       coder->model.capacity + coder->streams.capacity +
	       coder->tables.capacity;
}
