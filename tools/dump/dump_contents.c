/* SPDX-License-Identifier: MIT */
/* The one place that knows which function prints which form of output. */
#include "dump/dump.h"

enum exit_status dump_contents(struct dump *dump)
{
	switch (dump->settings->output) {
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
