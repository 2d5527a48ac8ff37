/* SPDX-License-Identifier: MIT */
#include "write/pack_settings.h"

#include <inttypes.h>

#include "base/options.h"
#include "codec/codec.h"
#include "parallel/threads.h"

void nc3z_pack_options_init_sized(struct nc3z_pack_options *options,
				  size_t options_nbytes)
{
	const struct nc3z_pack_options defaults = {
		.level = NC3Z_LEVEL_DEFAULT,
		.codec = NC3Z_CODEC_ZSTD,
		.max_memory_nbytes = NC3Z_MAX_MEMORY_DEFAULT,
	};

	options_init(options, options_nbytes, &defaults, sizeof(defaults));
}

static int check_options(const struct nc3z_pack_options *o,
			 struct nc3z_error *err)
{
	if (o->level < 0 || o->level > NC3Z_LEVEL_MAX)
		return error_set(err, NC3Z_EINVAL,
				 "level %d is not between 0 and %d", o->level,
				 NC3Z_LEVEL_MAX);
	NC3Z_TRY(threads_check(o->nthreads, err));
	NC3Z_NEED(err, o->chunks || o->nchunks == 0);
	for (size_t i = 0; i < o->nchunks; i++)
		NC3Z_NEED(err, o->chunks[i]);
	if (!nc3z_codec_name(o->codec))
		return error_set(err, NC3Z_EINVAL, "unknown codec %d",
				 o->codec);
	if (!codec_has_buffers((uint8_t)o->codec))
		return error_set(err, NC3Z_EINVAL,
				 "codec %s cannot be selected",
				 nc3z_codec_name(o->codec));
	if (o->block_nbytes != 0 && (o->block_nbytes < NC3Z_BLOCK_NBYTES_MIN ||
				     o->block_nbytes > NC3Z_BLOCK_NBYTES_MAX))
		return error_set(err, NC3Z_EINVAL,
				 "block size %" PRIu32
				 " is not between %" PRIu32 " and %" PRIu32,
				 o->block_nbytes, NC3Z_BLOCK_NBYTES_MIN,
				 NC3Z_BLOCK_NBYTES_MAX);
	return NC3Z_OK;
}

int pack_settings_init(struct pack_settings *settings,
		       const struct nc3z_pack_options *options,
		       struct nc3z_error *err)
{
	struct nc3z_pack_options *own = &settings->options;

	*settings = (struct pack_settings){ 0 };
	nc3z_pack_options_init(own);
	NC3Z_TRY(options_copy(own, sizeof(*own), options, err));
	NC3Z_TRY(check_options(own, err));
	settings->effort = own->level;
	settings->block_nbytes = own->block_nbytes;
	if (own->block_nbytes == 0 && own->level == NC3Z_LEVEL_MAX)
		settings->block_nbytes = PACK_LEVEL_MAX_NBYTES;
	return NC3Z_OK;
}
