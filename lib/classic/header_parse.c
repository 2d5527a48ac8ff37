/* SPDX-License-Identifier: MIT */
/*
 * The one parser of classic headers:
 *
 *   header = magic numrecs dim_list att_list var_list
 *
 * Each list is a tag, a count and the elements.  Counts and lengths are 32 bits
 * wide in CDF-1 and CDF-2, 64 in CDF-5; 'begin' is 32 bits in CDF-1 only.
 *
 * A count from the file allocates nothing: arrays grow as elements are found,
 * so that a header takes memory in proportion to the bytes that are there.
 * Names and values are not copied: they point into the caller's bytes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/magic.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "classic/header.h"

#define TAG_DIMENSION 10
#define TAG_VARIABLE 11
#define TAG_ATTRIBUTE 12

struct parser {
	struct cursor cursor;
	struct classic_header *header;
	struct nc3z_error *err;
};

static uint64_t position(const struct parser *p)
{
	return p->cursor.position;
}

/* The bytes ended: classic_header_parse() decides what that means. */
#define NEEDS_MORE (-1)

static int check_header(const struct parser *p)
{
	return cursor_ok(&p->cursor) ? NC3Z_OK : NEEDS_MORE;
}

/* A count or length: 32 bits, 64 in CDF-5. */
static uint64_t read_size(struct parser *p)
{
	return p->header->version == 5 ? cursor_be64(&p->cursor) :
					 cursor_be32(&p->cursor);
}

/* Counts are signed in the format; a negative one is refused at once. */
static int read_non_negative(struct parser *p, const char *what,
			     uint64_t *size_ret)
{
	uint64_t at = position(p);
	uint64_t limit = p->header->version == 5 ? INT64_MAX : INT32_MAX;

	*size_ret = read_size(p);
	if (*size_ret > limit)
		return error_set_at(p->err, NC3Z_ENOTCLASSIC, at,
				    "%s is negative", what);
	return check_header(p);
}

/* Bytes, followed by padding (of any value) up to a multiple of 4. */
static const uint8_t *take_padded(struct parser *p, uint64_t nbytes)
{
	const uint8_t *bytes = cursor_take(&p->cursor, nbytes);

	cursor_take(&p->cursor, (4 - nbytes % 4) % 4);
	return bytes;
}

static int read_name(struct parser *p, struct classic_name *name_ret)
{
	uint64_t nbytes;

	NC3Z_TRY(read_non_negative(p, "length of a name", &nbytes));
	name_ret->bytes = (const char *)take_padded(p, nbytes);
	name_ret->nbytes = (size_t)nbytes;
	return check_header(p);
}

/*
 * Tag and count of a list.  As in libnetcdf the tag matters only if the count
 * is not 0.
 */
static int read_list_head(struct parser *p, uint32_t tag, const char *what,
			  uint64_t *count_ret)
{
	uint64_t at = position(p);
	uint32_t found = cursor_be32(&p->cursor);

	NC3Z_TRY(read_non_negative(p, "length of a list", count_ret));
	if (*count_ret != 0 && found != tag)
		return error_set_at(p->err, NC3Z_ENOTCLASSIC, at,
				    "tag 0x%" PRIx32 " where the list of %s "
				    "has tag 0x%" PRIx32,
				    found, what, tag);
	return NC3Z_OK;
}

static int read_dims(struct parser *p)
{
	struct classic_header *h = p->header;
	size_t capacity = 0;
	uint64_t count;

	NC3Z_TRY(read_list_head(p, TAG_DIMENSION, "dimensions", &count));
	while (h->ndims < count) {
		struct classic_dim dim = { 0 };

		NC3Z_TRY(read_name(p, &dim.name));
		/* Unsigned: libnetcdf writes lengths up to 2^32 - 4. */
		dim.length = read_size(p);
		NC3Z_TRY(check_header(p));
		if (!memory_room(&h->dims, h->ndims, &capacity, sizeof(dim)))
			return error_set_memory(p->err);
		h->dims[h->ndims++] = dim;
	}
	return NC3Z_OK;
}

static int read_type(struct parser *p, enum classic_type *type_ret)
{
	uint64_t at = position(p);
	uint32_t type = cursor_be32(&p->cursor);

	NC3Z_TRY(check_header(p));
	if (classic_type_nbytes(type) == 0)
		return error_set_at(p->err, NC3Z_ENOTCLASSIC, at,
				    "unknown type %" PRIu32, type);
	*type_ret = (enum classic_type)type;
	return NC3Z_OK;
}

static int read_att(struct parser *p, struct classic_att *att_ret)
{
	uint64_t at, nbytes;

	NC3Z_TRY(read_name(p, &att_ret->name));
	NC3Z_TRY(read_type(p, &att_ret->type));
	at = position(p);
	NC3Z_TRY(read_non_negative(p, "length of an attribute",
				   &att_ret->nelems));
	if (!size_mul(att_ret->nelems, classic_type_nbytes(att_ret->type),
		      &nbytes) ||
	    nbytes > INT64_MAX)
		return error_set_at(p->err, NC3Z_ENOTCLASSIC, at,
				    "attribute is too large");
	att_ret->values = take_padded(p, nbytes);
	return check_header(p);
}

static int read_atts(struct parser *p, struct classic_atts *atts)
{
	size_t capacity = 0;
	uint64_t count;

	NC3Z_TRY(read_list_head(p, TAG_ATTRIBUTE, "attributes", &count));
	while (atts->count < count) {
		struct classic_att att = { 0 };

		NC3Z_TRY(read_att(p, &att));
		if (!memory_room(&atts->list, atts->count, &capacity,
				 sizeof(att)))
			return error_set_memory(p->err);
		atts->list[atts->count++] = att;
	}
	return NC3Z_OK;
}

static int read_dimids(struct parser *p, struct classic_var *var)
{
	size_t capacity = 0;
	uint64_t ndims;

	NC3Z_TRY(read_non_negative(p, "number of dimensions", &ndims));
	while (var->ndims < ndims) {
		uint64_t at = position(p), dimid = read_size(p);

		NC3Z_TRY(check_header(p));
		if (dimid >= p->header->ndims)
			return error_set_at(p->err, NC3Z_ENOTCLASSIC, at,
					    "dimension number %" PRIu64
					    ", but there are %zu dimensions",
					    dimid, p->header->ndims);
		if (!memory_room(&var->dimids, var->ndims, &capacity,
				 sizeof(dimid)))
			return error_set_memory(p->err);
		var->dimids[var->ndims++] = dimid;
	}
	return NC3Z_OK;
}

static int read_var(struct parser *p, struct classic_var *var)
{
	NC3Z_TRY(read_name(p, &var->name));
	NC3Z_TRY(read_dimids(p, var));
	NC3Z_TRY(read_atts(p, &var->atts));
	NC3Z_TRY(read_type(p, &var->type));
	var->vsize = read_size(p);
	var->begin = p->header->version == 1 ? cursor_be32(&p->cursor) :
					       cursor_be64(&p->cursor);
	return check_header(p);
}

static int read_vars(struct parser *p)
{
	struct classic_header *h = p->header;
	size_t capacity = 0;
	uint64_t count;

	NC3Z_TRY(read_list_head(p, TAG_VARIABLE, "variables", &count));
	while (h->nvars < count) {
		if (!memory_room(&h->vars, h->nvars, &capacity,
				 sizeof(*h->vars)))
			return error_set_memory(p->err);
		h->vars[h->nvars] = (struct classic_var){ 0 };
		h->nvars++; /* so that what it allocates is freed */
		NC3Z_TRY(read_var(p, &h->vars[h->nvars - 1]));
	}
	return NC3Z_OK;
}

static int refuse_magic(const struct parser *p)
{
	size_t nbytes = (size_t)size_min(p->cursor.nbytes, MAGIC_KIND_NBYTES);

	if (magic_refuse(p->cursor.data, nbytes, MAGIC_CLASSIC, p->err) ==
	    NC3Z_OK)
		return error_set_at(p->err, NC3Z_ENOTCLASSIC, 0,
				    "not " MAGIC_CLASSIC);
	if (p->err) {
		p->err->status = NC3Z_ENOTCLASSIC;
		p->err->offset = 0;
	}
	return NC3Z_ENOTCLASSIC;
}

static int read_magic(struct parser *p)
{
	const uint8_t *magic = cursor_take(&p->cursor, 4);

	/* Even one byte can be wrong; without any, data may be NULL. */
	if (p->cursor.nbytes > 0 &&
	    memcmp(p->cursor.data, "CDF",
		   (size_t)size_min(p->cursor.nbytes, 3)) != 0)
		return refuse_magic(p);
	NC3Z_TRY(check_header(p));
	if (magic[3] != 1 && magic[3] != 2 && magic[3] != 5)
		return error_set_at(p->err, NC3Z_ENOTCLASSIC, 3,
				    "unknown classic format version %u",
				    magic[3]);
	p->header->version = magic[3];
	return NC3Z_OK;
}

static int read_header(struct parser *p)
{
	struct classic_header *h = p->header;

	NC3Z_TRY(read_magic(p));
	h->numrecs = read_size(p);
	h->is_indeterminate = h->numrecs ==
			      (h->version == 5 ? UINT64_MAX : UINT32_MAX);
	NC3Z_TRY(check_header(p));
	NC3Z_TRY(read_dims(p));
	NC3Z_TRY(read_atts(p, &h->atts));
	NC3Z_TRY(read_vars(p));
	h->nbytes = position(p);
	return NC3Z_OK;
}

int classic_header_parse(const uint8_t *data, size_t data_nbytes, bool is_whole,
			 struct classic_header *header_ret, bool *more_ret,
			 struct nc3z_error *err)
{
	struct parser p = { .header = header_ret, .err = err };
	int status;

	*header_ret = (struct classic_header){ 0 };
	cursor_init(&p.cursor, data, data_nbytes);
	status = read_header(&p);
	*more_ret = status == NEEDS_MORE && !is_whole;
	if (status == NEEDS_MORE)
		status = is_whole ? error_set_at(err, NC3Z_ENOTCLASSIC,
						 data_nbytes,
						 data_nbytes == 0 ?
							 "the file is empty" :
							 "file ends inside the "
							 "header") :
				    NC3Z_OK;
	/* The tag of the first list is a line feed. */
	if (status == NC3Z_ENOTCLASSIC && data_nbytes > 3 &&
	    memcmp(data, "CDF", 3) == 0 &&
	    magic_is_text_mode(data, data_nbytes))
		status = error_set_at(err, NC3Z_ENOTCLASSIC, 4,
				      "damaged: " MAGIC_TEXT_MODE_ADVICE);
	if (status != NC3Z_OK || *more_ret)
		classic_header_release(header_ret);
	return status;
}
