/* SPDX-License-Identifier: MIT */
/*
 * Losses: where bytes of the original belong, what stands there instead,
 * and the list of it.
 */
#ifndef NC3Z_SALVAGE_LOSSES_H
#define NC3Z_SALVAGE_LOSSES_H

#include "classic/layout.h"
#include "plan/grid.h"

/* Losses that are listed; further ones are only counted. */
#define LOSSES_MAX ((size_t)10000)
/* No more than libnetcdf takes. */
#define LOSS_NDIMS_MAX 1024

/* The values of a variable, or of one of its records; or bytes of none. */
struct loss_place {
	uint32_t variable; /* CLASSIC_NO_VARIABLE */
	uint64_t begin;    /* in the original */
	uint64_t values_end;
	uint64_t end; /* with padding */
	uint64_t first_elem;
	uint8_t width;
};

/* The place that has an offset; offsets from there to its end have it too. */
void salvage_place_at(const struct classic_header *header,
		      const struct layout *layout, uint64_t offset,
		      struct loss_place *place_ret);

/*
 * Fills bytes of a place with the variable's fill value: that of its attribute
 * _FillValue, or netCDF's own; bytes of no variable and padding with zeros.
 */
void salvage_fill(const struct classic_header *header,
		  const struct loss_place *place, uint64_t offset,
		  uint8_t *data, size_t nbytes);

struct salvage_losses {
	struct nc3z_loss *list;
	uint64_t **indices; /* of each: first ones, then last ones */
	size_t count;
	size_t capacity;
	size_t indices_capacity;
	uint64_t nunlisted;
	uint64_t nbytes;
	size_t *last; /* of each variable and of none: its last one, plus 1 */
	char **names; /* of all variables */
};

int salvage_losses_init(struct salvage_losses *losses,
			const struct classic_header *header,
			struct nc3z_error *err);

/*
 * Adds bytes of a place; an element of which a byte is lost is lost.  Runs come
 * in ascending order.
 */
int salvage_losses_add(struct salvage_losses *losses,
		       const struct classic_header *header,
		       const struct loss_place *place, uint64_t offset,
		       uint64_t nbytes, struct nc3z_error *err);

/* Adds a chunk of a variable. */
int salvage_losses_add_chunk(struct salvage_losses *losses, uint32_t variable,
			     const struct plan_grid *grid,
			     const struct plan_chunk *chunk, uint64_t nbytes,
			     struct nc3z_error *err);

void salvage_losses_release(struct salvage_losses *losses, size_t nvars);

#endif
