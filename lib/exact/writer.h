/* SPDX-License-Identifier: MIT */
/* An exact netCDF-4 file that is being made. */
#ifndef NC3Z_EXACT_WRITER_H
#define NC3Z_EXACT_WRITER_H

#include <stdio.h>

#include "exact/hdf5_load.h"
#include "exact/storage.h"
#include "exact/tail.h"
#include "io/sink.h"
#include "write/pack_head.h"

struct exact_writer {
	struct nc3z_source *in;
	struct nc3z_sink *out;
	const struct nc3z_pack_options *options;
	struct nc3z_file *file;
	struct pack_head head; /* its header and layout, no more */
	struct storage storage;
	struct container_plan plan;
	const struct hdf5_room *room;
	struct container *container;
	FILE *temporary;                /* where the sink has no places */
	int fd;                         /* of the HDF5 part */
	struct chunk_encoder *encoders; /* of each thread */
	struct exact_trailer trailer;
	struct exact_description description;
	uint64_t done_nbytes;
	struct nc3z_error *err;
};

/* write_tail.c */

/* Reads the HDF5 part for its SHA-256, and brings it to where it is to go. */
int writer_finish_part(struct exact_writer *w);

/* Appends the rest of the original, the description and the trailer. */
int writer_append_tail(struct exact_writer *w);

#endif
