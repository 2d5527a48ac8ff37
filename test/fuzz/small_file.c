/* SPDX-License-Identifier: MIT */
#include "small_file.h"

#include <string.h>

#include "fuzz.h"

#define NRECORDS 3

static const struct {
	const char *name;
	uint32_t length;
} dims[] = {
	{ "time", 0 }, { "y", 6 },   { "x", 7 },
	{ "a/b", 4 },  { "c,d", 2 }, { "e:f\\g", 5 },
};

static const struct {
	const char *name;
	uint32_t type;
	uint32_t nbytes; /* of a record, padded */
	uint32_t rank;
	uint32_t dimids[3];
} vars[] = {
	{ "T", NC3Z_FLOAT, 168, 3, { 0, 1, 2 } },
	{ "u[0]", NC3Z_SHORT, 84, 2, { 1, 2 } },
	{ "v,w", NC3Z_BYTE, 8, 2, { 3, 4 } },
	{ "n=1", NC3Z_DOUBLE, 40, 1, { 5 } },
	{ "text", NC3Z_CHAR, 8, 1, { 2 } },
	{ "time", NC3Z_DOUBLE, 8, 1, { 0 } },
	{ "s", NC3Z_INT, 4, 0, { 0 } },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put32(struct buffer *out, uint32_t v)
{
	const uint8_t bytes[] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16),
				  (uint8_t)(v >> 8), (uint8_t)v };

	FUZZ_CHECK(buffer_append(out, bytes, sizeof(bytes)));
}

static void put_name(struct buffer *out, const char *name)
{
	size_t n = strlen(name);

	put32(out, (uint32_t)n);
	FUZZ_CHECK(buffer_append(out, name, n) &&
		   buffer_append(out, "\0\0", (4 - n % 4) % 4));
}

static bool is_record(size_t v)
{
	return vars[v].rank > 0 && dims[vars[v].dimids[0]].length == 0;
}

/* The header, if fixed variables begin at 'data'; returns the file's end. */
static uint32_t put_header(struct buffer *out, uint32_t data)
{
	uint32_t at[] = { data, data };

	for (size_t i = 0; i < COUNT(vars); i++)
		if (!is_record(i))
			at[1] += vars[i].nbytes;
	data = at[1];
	FUZZ_CHECK(buffer_append(out, "CDF\1", 4));
	put32(out, NRECORDS);
	put32(out, 10);
	put32(out, COUNT(dims));
	for (size_t i = 0; i < COUNT(dims); i++) {
		put_name(out, dims[i].name);
		put32(out, dims[i].length);
	}
	put32(out, 0);
	put32(out, 0);
	put32(out, 11);
	put32(out, COUNT(vars));
	for (size_t i = 0; i < COUNT(vars); i++) {
		put_name(out, vars[i].name);
		put32(out, vars[i].rank);
		for (size_t k = 0; k < vars[i].rank; k++)
			put32(out, vars[i].dimids[k]);
		put32(out, 0);
		put32(out, 0);
		put32(out, vars[i].type);
		put32(out, vars[i].nbytes);
		put32(out, at[is_record(i)]);
		at[is_record(i)] += vars[i].nbytes;
	}
	return data + NRECORDS * (at[1] - data);
}

void small_file_make(struct buffer *out)
{
	struct buffer header = { 0 };
	uint32_t end;

	/* Its length does not depend on what it says. */
	put_header(&header, 0);
	end = put_header(out, (uint32_t)header.nbytes);
	buffer_release(&header);
	while (out->nbytes < end)
		FUZZ_CHECK(buffer_u8(out, (uint8_t)(out->nbytes % 100)));
}
