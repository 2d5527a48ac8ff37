/* SPDX-License-Identifier: MIT */
#include "tar/tar_header.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/sizes.h"

/* Fields of a header: where they begin and how long they are. */
#define NAME_AT 0
#define NAME_NBYTES 100
#define MODE_AT 100
#define MODE_NBYTES 8
#define SIZE_AT 124
#define SIZE_NBYTES 12
#define MTIME_AT 136
#define CHECKSUM_AT 148
#define CHECKSUM_NBYTES 8
#define TYPE_AT 156
#define LINK_AT 157
#define MAGIC_AT 257
#define PREFIX_AT 345
#define PREFIX_NBYTES 155
#define SPARSE_MORE_AT 482 /* of the header of a file with holes */
#define SPARSE_NEXT_AT 504 /* of the blocks that follow it */

/* No file is younger: in the year 36812. */
#define TAR_TIME_MAX (UINT64_C(1) << 40)

static const char posix_magic[6] = "ustar"; /* with its NUL */

/* Octal digits between spaces or NULs. */
static bool parse_octal(const uint8_t *field, size_t nbytes, uint64_t *ret)
{
	size_t i = 0;

	*ret = 0;
	while (i < nbytes && field[i] == ' ')
		i++;
	for (; i < nbytes && field[i] >= '0' && field[i] <= '7'; i++) {
		if (*ret >> 61)
			return false;
		*ret = *ret << 3 | (uint64_t)(field[i] - '0');
	}
	for (; i < nbytes; i++)
		if (field[i] != ' ' && field[i] != '\0')
			return false;
	return true;
}

/* A number from 8 G on may be in base 256, the first bit being set. */
static bool parse_number(const uint8_t *field, uint64_t *ret)
{
	if (field[0] != 0x80)
		return parse_octal(field, SIZE_NBYTES, ret);
	*ret = 0;
	for (size_t i = 1; i < SIZE_NBYTES; i++) {
		if (*ret >> 56)
			return false;
		*ret = *ret << 8 | field[i];
	}
	return true;
}

/* Old programs summed up signed bytes. */
static bool has_checksum(const uint8_t *block)
{
	uint64_t wanted;
	uint32_t sum = 0, nhigh = 0;

	if (!parse_octal(block + CHECKSUM_AT, CHECKSUM_NBYTES, &wanted))
		return false;
	for (size_t i = 0; i < TAR_BLOCK_NBYTES; i++) {
		bool is_sum = i >= CHECKSUM_AT &&
			      i < CHECKSUM_AT + CHECKSUM_NBYTES;
		uint8_t byte = is_sum ? ' ' : block[i];

		sum += byte;
		nhigh += byte >> 7;
	}
	return wanted == sum || (int64_t)wanted == (int64_t)sum - 256 * nhigh;
}

static bool is_zero(const uint8_t *block)
{
	for (size_t i = 0; i < TAR_BLOCK_NBYTES; i++)
		if (block[i] != 0)
			return false;
	return true;
}

static enum tar_kind kind_of(uint8_t type)
{
	switch (type) {
	case '\0':
	case '0':
	case '7':
		return TAR_FILE;
	case '1':
		return TAR_HARD_LINK;
	case '2':
		return TAR_SYMBOLIC_LINK;
	case '5':
	case 'D':
	case 'V':
		return TAR_DIRECTORY;
	case 'S':
		return TAR_SPARSE;
	case 'L':
		return TAR_LONG_NAME;
	case 'K':
		return TAR_LONG_LINK;
	case 'x':
		return TAR_RECORDS;
	case 'g':
		return TAR_GLOBAL_RECORDS;
	default:
		return TAR_OTHER;
	}
}

/* Links, devices, directories and pipes have none, whatever their size is. */
static bool has_contents(uint8_t type)
{
	return type < '1' || type > '6';
}

/* Appends a field that ends with a NUL or where it ends. */
static void append_field(char *name, const uint8_t *field, size_t nbytes)
{
	size_t n = strlen(name), m = strnlen((const char *)field, nbytes);

	memcpy(name + n, field, m);
	name[n + m] = '\0';
}

static void take_name(const uint8_t *block, char *name)
{
	const uint8_t *prefix = block + PREFIX_AT;

	name[0] = '\0';
	/* GNU tar has other things there. */
	if (memcmp(block + MAGIC_AT, posix_magic, sizeof(posix_magic)) == 0 &&
	    prefix[0] != '\0') {
		append_field(name, prefix, PREFIX_NBYTES);
		append_field(name, (const uint8_t *)"/", 1);
	}
	append_field(name, block + NAME_AT, NAME_NBYTES);
}

/* What is no mode or no time is not known. */
static struct source_member parse_member(const uint8_t *block)
{
	struct source_member m = { .is_member = true };
	uint64_t mode, mtime;
	bool has_mode = parse_octal(block + MODE_AT, MODE_NBYTES, &mode);

	m.mode = has_mode ? (unsigned)(mode & 0777) : 0666;
	m.has_time = parse_number(block + MTIME_AT, &mtime) &&
		     mtime <= TAR_TIME_MAX;
	m.mtime_s = m.has_time ? (int64_t)mtime : 0;
	return m;
}

int tar_header_parse(const uint8_t block[TAR_BLOCK_NBYTES],
		     struct tar_header *header_ret, struct nc3z_error *err)
{
	struct tar_header *h = header_ret;
	uint8_t type = block[TYPE_AT];
	size_t n;

	*h = (struct tar_header){ .kind = TAR_END };
	if (is_zero(block))
		return NC3Z_OK;
	if (!has_checksum(block))
		return error_set(err, NC3Z_EDAMAGED,
				 "not a header of a tar, or damaged");
	if (!parse_number(block + SIZE_AT, &h->nbytes))
		return error_set(err, NC3Z_EDAMAGED,
				 "a size in a header of the tar is invalid");
	h->kind = kind_of(type);
	h->file = parse_member(block);
	if (!has_contents(type))
		h->nbytes = 0;
	h->has_more = h->kind == TAR_SPARSE && block[SPARSE_MORE_AT] != 0;
	take_name(block, h->name);
	append_field(h->link, block + LINK_AT, TAR_LINK_NBYTES_MAX);
	n = strlen(h->name);
	/* So a directory was called before there was a type for it. */
	if (h->kind == TAR_FILE && (n == 0 || h->name[n - 1] == '/'))
		h->kind = TAR_DIRECTORY;
	return NC3Z_OK;
}

bool tar_sparse_has_more(const uint8_t block[TAR_BLOCK_NBYTES])
{
	return block[SPARSE_NEXT_AT] != 0;
}

void tar_extension_release(struct tar_extension *extension)
{
	free(extension->name);
	free(extension->link);
	free(extension->sparse_name);
	*extension = (struct tar_extension){ 0 };
}

static int set_name(char **name_ret, const uint8_t *name, size_t name_nbytes,
		    struct nc3z_error *err)
{
	if (name_nbytes == 0 || memchr(name, '\0', name_nbytes))
		return error_set(err, NC3Z_EDAMAGED,
				 "a name in the tar is invalid");
	free(*name_ret);
	*name_ret = strndup((const char *)name, name_nbytes);
	return *name_ret ? NC3Z_OK : error_set_memory(err);
}

int tar_long_name_parse(const uint8_t *data, size_t data_nbytes,
			char **name_ret, struct nc3z_error *err)
{
	/* A NUL at the end counts. */
	return set_name(name_ret, data,
			strnlen((const char *)data, data_nbytes), err);
}

static bool is_key(const uint8_t *key, size_t nbytes, const char *name)
{
	return nbytes == strlen(name) && memcmp(key, name, nbytes) == 0;
}

static bool begins(const uint8_t *key, size_t nbytes, const char *name)
{
	return nbytes >= strlen(name) && memcmp(key, name, strlen(name)) == 0;
}

/* "-1234.5" and a line end; any other is not known. */
static void take_mtime(struct source_member *m, struct cursor *value)
{
	uint64_t seconds = 0;
	uint32_t ns = 0, unit = 100000000;
	uint8_t byte = cursor_u8(value);
	bool is_negative = byte == '-';

	if (is_negative)
		byte = cursor_u8(value);
	for (; byte >= '0' && byte <= '9'; byte = cursor_u8(value))
		seconds = size_min(10 * seconds + (uint64_t)(byte - '0'),
				   TAR_TIME_MAX + 1);
	if (byte == '.')
		while ((byte = cursor_u8(value)) >= '0' && byte <= '9') {
			ns += unit * (uint32_t)(byte - '0');
			unit /= 10;
		}
	m->has_time = byte == '\n' && seconds <= TAR_TIME_MAX;
	/* Nanoseconds count forward even before 1970. */
	m->mtime_s = is_negative ? -(int64_t)seconds - (ns > 0) :
				   (int64_t)seconds;
	m->mtime_ns = is_negative && ns > 0 ? 1000000000 - ns : ns;
}

/* One record: KEY=VALUE. */
static int take_record(struct tar_extension *e, const uint8_t *record,
		       size_t nbytes, struct nc3z_error *err)
{
	const uint8_t *value = memchr(record, '=', nbytes);
	size_t n = value ? (size_t)(value - record) : 0;
	struct cursor number; /* with the line end after it */

	if (n == 0)
		return error_set(err, NC3Z_EDAMAGED,
				 "a record in the tar has no key");
	value++;
	if (is_key(record, n, "path"))
		return set_name(&e->name, value, nbytes - n - 1, err);
	if (is_key(record, n, "linkpath"))
		return set_name(&e->link, value, nbytes - n - 1, err);
	if (begins(record, n, "GNU.sparse.") ||
	    is_key(record, n, "SCHILY.realsize"))
		e->is_sparse = true;
	if (is_key(record, n, "GNU.sparse.name"))
		return set_name(&e->sparse_name, value, nbytes - n - 1, err);
	cursor_init(&number, value, nbytes - n);
	if (is_key(record, n, "mtime"))
		take_mtime(&e->file, &number);
	if (!is_key(record, n, "size"))
		return NC3Z_OK;
	e->has_nbytes = cursor_decimal(&number, '\n', &e->nbytes) &&
			cursor_left(&number) == 0;
	return e->has_nbytes ? NC3Z_OK :
			       error_set(err, NC3Z_EDAMAGED,
					 "a size in the tar is invalid");
}

int tar_records_parse(const uint8_t *data, size_t data_nbytes,
		      struct tar_extension *extension, struct nc3z_error *err)
{
	struct cursor c;

	cursor_init(&c, data, data_nbytes);
	while (cursor_left(&c) > 0) {
		size_t begin = c.position;
		const uint8_t *record = NULL;
		uint64_t length, rest = 0;

		if (cursor_decimal(&c, ' ', &length) &&
		    length > c.position - begin) {
			rest = length - (c.position - begin);
			record = cursor_take(&c, rest);
		}
		if (!record || record[rest - 1] != '\n')
			return error_set(err, NC3Z_EDAMAGED,
					 "a record in the tar is invalid");
		NC3Z_TRY(take_record(extension, record, (size_t)rest - 1, err));
	}
	return NC3Z_OK;
}

const char *tar_plain_name(const char *name)
{
	while (name[0] == '.' && name[1] == '/') {
		name += 2;
		name += strspn(name, "/");
	}
	return name;
}
