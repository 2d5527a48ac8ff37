/* SPDX-License-Identifier: MIT */
#include "compress/conversions.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/json.h"

static unsigned nlisted;

void conversions_begin(const struct settings *settings)
{
	if (settings->json)
		printf("{\"conversions\": [");
}

static void print_json(const struct nc3z_conversion *c, const char *name)
{
	printf("%s\n    {", nlisted > 0 ? "," : "");
	json_print_field("name", name);
	printf(",\n     \"original_bytes\": %" PRIu64 ", \"blocks\": %" PRIu64
	       ", \"decodings\": %" PRIu64 ", \"most_decodings\": %" PRIu64
	       ",\n     \"blocks_written\": %" PRIu64
	       ", \"memory_bytes\": %" PRIu64
	       ", \"once_memory_bytes\": %" PRIu64 "}",
	       c->original_nbytes, c->nblocks, c->ndecodings, c->most_decodings,
	       c->nblocks_written, c->memory_nbytes, c->once_nbytes);
}

static void print_line(const struct nc3z_conversion *c, const char *name)
{
	if (nlisted == 0)
		printf("%10s %10s %7s %10s %15s %15s  name\n", "blocks",
		       "decoded", "at most", "written", "memory",
		       "for once each");
	printf("%10" PRIu64 " %10" PRIu64 " %7" PRIu64 " %10" PRIu64
	       " %15" PRIu64 " %15" PRIu64 "  %s\n",
	       c->nblocks, c->ndecodings, c->most_decodings, c->nblocks_written,
	       c->memory_nbytes, c->once_nbytes, name);
}

void conversions_add(const struct settings *settings,
		     const struct nc3z_conversion *conversion, const char *name)
{
	if (settings->json)
		print_json(conversion, name);
	else
		print_line(conversion, name);
	nlisted++;
}

void conversions_end(const struct settings *settings)
{
	if (settings->json)
		printf("%s]}\n", nlisted > 0 ? "\n" : "");
}
