/* SPDX-License-Identifier: MIT */
#include "write/pack_header.h"

#include "plan/plan.h"

#define HEADER_FIRST_NBYTES ((size_t)1 << 16)

/* As many as there are in the longest of the magics that are told apart. */
#define BEGINNING_NBYTES 8

/*
 * Whether a stream begins as a classic file is known before damage further on
 * is met.  Damage before that is given offset 0.
 */
static int check_beginning(struct nc3z_source *in,
			   struct classic_header *header,
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
	return classic_header_parse(bytes, got, got < sizeof(bytes), header,
				    &more, err);
}

int pack_header_read(struct nc3z_source *in, struct buffer *head,
		     struct classic_header *header, struct nc3z_error *err)
{
	size_t wanted = HEADER_FIRST_NBYTES, got;
	bool more = true;

	NC3Z_TRY(check_beginning(in, header, err));
	while (more) {
		if (wanted > 2 * PLAN_HEADER_NBYTES_MAX)
			return error_set(err, NC3Z_ELIMIT,
					 "header is longer than 64 MiB");
		if (!buffer_reserve(head, wanted))
			return error_set_memory(err);
		NC3Z_TRY(source_read_at(in, head->nbytes,
					head->data + head->nbytes,
					wanted - head->nbytes, &got, err));
		head->nbytes += got;
		NC3Z_TRY(classic_header_parse(head->data, head->nbytes,
					      head->nbytes < wanted, header,
					      &more, err));
		wanted *= 2;
	}
	if (header->nbytes > PLAN_HEADER_NBYTES_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "header is longer than 64 MiB");
	return NC3Z_OK;
}
