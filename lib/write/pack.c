/* SPDX-License-Identifier: MIT */
#include "nc3z.h"

#include "write/block_length.h"
#include "write/packer.h"

int nc3z_pack(struct nc3z_source *in, struct nc3z_sink *out,
	      const struct nc3z_pack_options *options,
	      struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, in && out);

	const struct pack_input input = { .source = in };
	struct pack_settings settings;
	struct pack_head head = { 0 };
	int status;

	NC3Z_TRY(pack_settings_init(&settings, options, err));
	if (in->size != SOURCE_SIZE_UNKNOWN)
		settings.original_nbytes = in->size;
	status = pack_head_read(&head, in, err);
	if (status == NC3Z_OK)
		status = block_length_choose(in, &head, &settings, err);
	if (status == NC3Z_OK)
		status = pack_from(&input, &head, out, &settings, summary_ret,
				   err);
	pack_head_release(&head);
	return status;
}
