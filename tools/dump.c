#include "dump.h"

bool dump_is_coordinate(const struct dump *dump, const struct nc3z_var *var)
{
	int dimid;

	return var->ndims == 1 &&
	       nc3z_inq_dimid(dump->file, var->name, &dimid, NULL) == NC3Z_OK;
}

enum exit_status dump_contents(struct dump *dump)
{
	switch (dump->settings->output) {
	case DUMP_NCML:
		return dump_ncml(dump);
	case DUMP_JSON:
		return dump_json(dump);
	case DUMP_BLOCKS:
		return dump_blocks(dump);
	case DUMP_BINARY:
		return dump_binary(dump);
	default:
		return dump_cdl(dump);
	}
}
