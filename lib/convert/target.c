/* SPDX-License-Identifier: MIT */
#include "convert/target.h"

#include <stdlib.h>
#include <string.h>

#include "write/pack_shape.h"

static int is_plan_of(const struct nc3z_file *file,
		      const struct pack_settings *settings, bool *is_kept_ret,
		      struct nc3z_error *err)
{
	const struct archive_catalogue *c = &file->archive.catalogue;
	struct pack_shape s;
	struct buffer bytes = { 0 };
	int status = pack_shape_init(&s, &file->header, settings, err);

	if (status == NC3Z_OK && !plan_write(&s.plan, &bytes))
		status = error_set_memory(err);
	*is_kept_ret = status == NC3Z_OK && bytes.nbytes == c->plan_nbytes &&
		       memcmp(bytes.data, c->plan, bytes.nbytes) == 0;
	buffer_release(&bytes);
	pack_shape_release(&s);
	return status;
}

/* Whether packing with some settings gives or gave the archive's layout. */
static int is_kept(const struct nc3z_file *file,
		   const struct pack_settings *settings, bool *is_kept_ret,
		   struct nc3z_error *err)
{
	struct pack_settings as_1_0_0 = *settings;

	as_1_0_0.header_waits = true;
	NC3Z_TRY(is_plan_of(file, settings, is_kept_ret, err));
	return *is_kept_ret ? NC3Z_OK :
			      is_plan_of(file, &as_1_0_0, is_kept_ret, err);
}

/*
 * The block size is not written down, only what came of it: the default of the
 * highest level if that is wanted, the other one, those of joined variables and
 * powers of two are tried, and where none gives this plan it is the default.
 */
static int find_block_size(struct convert_target *t,
			   const struct nc3z_file *file, struct nc3z_error *err)
{
	struct pack_settings *o = &t->settings;
	const uint32_t unknown = o->block_nbytes;
	uint32_t nbytes = NC3Z_BLOCK_NBYTES_MIN;
	bool found;

	NC3Z_TRY(is_kept(file, o, &found, err));
	for (int i = PLAN_JOIN_SMALL; !found && i < PLAN_NJOININGS; i++) {
		o->joining = (enum plan_joining)i;
		o->block_nbytes = i == PLAN_JOIN_SMALL ? 0 : PLAN_JOINED_NBYTES;
		NC3Z_TRY(is_kept(file, o, &found, err));
	}
	if (!found)
		o->joining = PLAN_JOIN_SMALL;
	for (; !found && nbytes <= NC3Z_BLOCK_NBYTES_MAX; nbytes *= 2) {
		o->block_nbytes = nbytes;
		NC3Z_TRY(is_kept(file, o, &found, err));
	}
	if (!found)
		o->block_nbytes = unknown;
	return NC3Z_OK;
}

static int settle_options(struct convert_target *t,
			  const struct nc3z_file *file, struct nc3z_error *err)
{
	struct nc3z_pack_options *o = &t->settings.options;

	if (o->nchunks > 0)
		return NC3Z_OK;
	NC3Z_TRY(kept_layout_init(&t->kept, file, err));
	o->chunks = (const char *const *)t->kept.chunks;
	o->nchunks = t->kept.nchunks;
	return o->block_nbytes == 0 ? find_block_size(t, file, err) : NC3Z_OK;
}

static int measure_map(struct convert_target *t, uint64_t original_nbytes,
		       struct nc3z_error *err)
{
	struct plan_map map;

	NC3Z_TRY(plan_map_init(&map, &t->plan, PLAN_OFFSET_END, err));
	t->chunks = chunks_measure(&map);
	plan_map_release(&map);
	NC3Z_TRY(plan_map_init(&map, &t->plan, original_nbytes, err));
	for (uint32_t i = 0; i < t->plan.nstreams; i++)
		t->nblocks += map.extents[i].nblocks;
	plan_map_release(&map);
	return NC3Z_OK;
}

static int measure(struct convert_target *t, const struct nc3z_file *file,
		   struct nc3z_error *err)
{
	struct pack_shape s;
	int status = pack_shape_init(&s, &file->header, &t->settings, err);

	t->plan = s.plan;
	s.plan = (struct plan){ 0 };
	pack_shape_release(&s);
	NC3Z_TRY(status);
	return measure_map(t, file->map.original_nbytes, err);
}

int target_init(struct convert_target *target, const struct nc3z_file *file,
		const struct nc3z_pack_options *options, struct nc3z_error *err)
{
	int status;

	*target = (struct convert_target){ 0 };
	NC3Z_TRY(pack_settings_init(&target->settings, options, err));
	target->settings.original_nbytes = file->map.original_nbytes;
	status = settle_options(target, file, err);
	if (status == NC3Z_OK)
		status = measure(target, file, err);
	if (status != NC3Z_OK)
		target_release(target);
	return status;
}

void target_release(struct convert_target *target)
{
	plan_release(&target->plan);
	kept_layout_release(&target->kept);
	*target = (struct convert_target){ 0 };
}
