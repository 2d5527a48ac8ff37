#include "write/pack_head.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define HEADER_FIRST_NBYTES ((size_t)1 << 16)

/* As many as there are in the longest of the magics that are told apart. */
#define BEGINNING_NBYTES 8

void pack_warn(const struct nc3z_pack_options *options, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!options->warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	options->warn(options->context, text);
}

/*
 * Whether a stream begins as a classic file is known before damage further on
 * is met.  Damage before that is given offset 0.
 */
static int check_beginning(struct pack_head *h, struct nc3z_source *in,
			   struct nc3z_error *err)
{
	uint8_t bytes[BEGINNING_NBYTES];
	bool more;
	size_t got;
	int status;

	if (in->size != SOURCE_SIZE_UNKNOWN)
		return NC3Z_OK;
	status = source_read_at(in, 0, bytes, sizeof(bytes), &got, err);
	if (status == NC3Z_EDAMAGED && err)
		err->offset = 0;
	NC3Z_TRY(status);
	return classic_header_parse(bytes, got, got < sizeof(bytes), &h->header,
				    &more, err);
}

/* Reads until the header is whole; memory grows with what is there. */
static int read_header(struct pack_head *h, struct nc3z_source *in,
		       struct nc3z_error *err)
{
	size_t wanted = HEADER_FIRST_NBYTES, got;
	bool more = true;

	NC3Z_TRY(check_beginning(h, in, err));
	while (more) {
		if (wanted > 2 * PLAN_HEADER_NBYTES_MAX)
			return error_set(err, NC3Z_ELIMIT,
					 "header is longer than 64 MiB");
		if (!buffer_reserve(&h->bytes, wanted))
			return error_set_memory(err);
		NC3Z_TRY(source_read_at(in, h->bytes.nbytes,
					h->bytes.data + h->bytes.nbytes,
					wanted - h->bytes.nbytes, &got, err));
		h->bytes.nbytes += got;
		NC3Z_TRY(classic_header_parse(h->bytes.data, h->bytes.nbytes,
					      h->bytes.nbytes < wanted,
					      &h->header, &more, err));
		wanted *= 2;
	}
	if (h->header.nbytes > PLAN_HEADER_NBYTES_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "header is longer than 64 MiB");
	return NC3Z_OK;
}

static void warn_of_header(const struct pack_head *h,
			   const struct nc3z_pack_options *options)
{
	const struct layout *layout = &h->shape.layout;
	const char *refusal = classic_refusal(&h->header);

	if (layout->nmisplaced == 1)
		pack_warn(options,
			  "variable number %" PRIu32
			  " does not have its bytes to itself: they are kept "
			  "without its filters",
			  layout->first_misplaced);
	else if (layout->nmisplaced > 1)
		pack_warn(options,
			  "%" PRIu32 " variables, the first of them number "
			  "%" PRIu32
			  ", do not have their bytes to themselves: these are "
			  "kept without filters",
			  layout->nmisplaced, layout->first_misplaced);
	if (refusal)
		pack_warn(options, "libnetcdf refuses this file: %s", refusal);
}

int pack_head_read(struct pack_head *head, struct nc3z_source *in,
		   const struct nc3z_pack_options *options,
		   struct nc3z_error *err)
{
	NC3Z_TRY(read_header(head, in, err));
	NC3Z_TRY(pack_shape_init(&head->shape, &head->header, options, err));
	warn_of_header(head, options);
	if (!plan_write(&head->shape.plan, &head->plan))
		return error_set_memory(err);
	return NC3Z_OK;
}

uint32_t pack_head_largest_block(const struct pack_head *head)
{
	const struct plan *plan = &head->shape.plan;
	uint32_t nbytes = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		if (plan->streams[i].block_nbytes > nbytes)
			nbytes = plan->streams[i].block_nbytes;
	return nbytes;
}

void pack_head_release(struct pack_head *head)
{
	buffer_release(&head->plan);
	pack_shape_release(&head->shape);
	classic_header_release(&head->header);
	buffer_release(&head->bytes);
}
