/* Packing, as other rooms see it beyond nc3z.h. */
#ifndef NC3Z_WRITE_PACK_H
#define NC3Z_WRITE_PACK_H

#include "nc3z.h"

/* NC3Z_EINVAL for what nc3z_pack() does not take. */
int pack_check_options(const struct nc3z_pack_options *options,
		       struct nc3z_error *err);

#endif
