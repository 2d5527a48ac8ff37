/* SPDX-License-Identifier: MIT */
/*
 * Any bytes opened for reading: every inquiry, some hyperslabs, some ranges of
 * bytes.  An input that begins with a NUL is a plain file behind it, any other
 * is taken as it is, and most are archives.
 */
#include <stdlib.h>
#include <string.h>

#include "archive_input.h"
#include "fuzz.h"
#include "nc3z_tools.h"

/* Variables, attributes and dimensions that are looked at. */
#define LOOKED_AT_MAX 30

/* Elements of a hyperslab, bytes of a range. */
#define READ_MAX 3000

/* What is read, besides the file itself, follows from this. */
static uint64_t state;

static bool is_expected(int status)
{
	switch (status) {
	case NC3Z_OK:
	case NC3Z_EDAMAGED:
	case NC3Z_EUNSUPPORTED:
	case NC3Z_ELIMIT:
	case NC3Z_ETRUNCATED:
	case NC3Z_ERANGE:
		return true;
	default:
		return false;
	}
}

static void check_error(int status, const struct nc3z_error *err)
{
	FUZZ_CHECK(err->status == status);
	FUZZ_CHECK((status == NC3Z_OK) == (err->text[0] == '\0'));
	FUZZ_CHECK(strlen(err->text) < sizeof(err->text));
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static void look_at_atts(struct nc3z_file *file, int varid, int natts)
{
	for (int i = 0; i < smaller(natts, LOOKED_AT_MAX); i++) {
		struct nc3z_att att, again;
		bool is_text;
		void *values;
		int status;

		FUZZ_CHECK(nc3z_inq_attnum(file, varid, i, &att, NULL) ==
			   NC3Z_OK);
		FUZZ_CHECK(nc3z_inq_att(file, varid, att.name, &again, NULL) ==
			   NC3Z_OK);
		FUZZ_CHECK(again.attnum <= i);
		if (again.nelems > FUZZ_NBYTES_MAX)
			continue;
		is_text = again.type == NC3Z_CHAR;
		values = malloc((size_t)again.nelems * (is_text ? 1 : 2) + 1);
		FUZZ_CHECK(values);
		status = nc3z_get_att(file, varid, att.name,
				      is_text ? NC3Z_CHAR : NC3Z_SHORT, values,
				      NULL);
		FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ERANGE);
		free(values);
	}
}

static void look_at_dims(struct nc3z_file *file, int ndims)
{
	for (int i = 0; i < smaller(ndims, LOOKED_AT_MAX); i++) {
		struct nc3z_dim dim;
		int dimid;

		FUZZ_CHECK(nc3z_inq_dim(file, i, &dim, NULL) == NC3Z_OK);
		FUZZ_CHECK(nc3z_inq_dimid(file, dim.name, &dimid, NULL) ==
			   NC3Z_OK);
		FUZZ_CHECK(dimid >= i);
	}
}

/* A slab of few elements somewhere in a variable. */
static size_t random_slab(const struct nc3z_var *var, size_t *start,
			  size_t *count, ptrdiff_t *stride)
{
	size_t nelems = 1;

	for (int i = 0; i < var->ndims; i++) {
		uint64_t left = var->shape[i];

		if (left == 0)
			return 0;
		start[i] = (size_t)fuzz_random_below(&state, left);
		if (fuzz_random_below(&state, 3) == 0)
			start[i] = 0;
		left -= start[i];
		stride[i] = 1 + (ptrdiff_t)fuzz_random_below(&state, 3);
		left = (left + (uint64_t)stride[i] - 1) / (uint64_t)stride[i];
		if (left > READ_MAX / nelems)
			left = READ_MAX / nelems;
		count[i] = (size_t)(left ? 1 + fuzz_random_below(&state, left) :
					   1);
		nelems *= count[i];
	}
	return nelems;
}

/* What was read twice is the same, and so is its first value alone. */
static void read_slab(struct nc3z_file *file, int varid,
		      const struct nc3z_var *var, struct nc3z_hyperslab slab,
		      size_t nelems)
{
	int memtype = var->type == NC3Z_CHAR ? NC3Z_CHAR : NC3Z_DOUBLE;
	size_t nbytes = nelems * nc3z_type_nbytes(memtype);
	uint8_t *values = calloc(nbytes + 8, 1), *again = calloc(nbytes + 8, 1);
	struct nc3z_error err = { 0 };
	double value = 0;
	int status;

	FUZZ_CHECK(values && again);
	status = nc3z_get(file, varid, &slab, memtype, values, &err);
	FUZZ_CHECK(is_expected(status));
	check_error(status, &err);
	FUZZ_CHECK(nc3z_get(file, varid, &slab, memtype, again, NULL) ==
		   status);
	if (status == NC3Z_OK || status == NC3Z_ETRUNCATED) {
		FUZZ_CHECK(memcmp(values, again, nbytes) == 0);
		status = nc3z_get_var1(file, varid, slab.start, memtype, &value,
				       NULL);
		FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ETRUNCATED);
		FUZZ_CHECK(memcmp(values, &value, nc3z_type_nbytes(memtype)) ==
			   0);
	}
	free(values);
	free(again);
}

static void look_at_storage(struct nc3z_file *file, int varid)
{
	struct nc3z_stream_info info;
	struct nc3z_storage storage;
	struct nc3z_block block;
	char text[8];
	struct nc3z_error err = { 0 };
	int status = nc3z_inq_storage(file, varid, &storage, NULL);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ENOTARCHIVE);
	if (status != NC3Z_OK || storage.stream == NC3Z_NO_NUMBER)
		return;
	status = nc3z_inq_block(file, storage.stream,
				fuzz_random_below(&state, storage.nblocks + 1),
				&block, &err);
	FUZZ_CHECK(is_expected(status) || status == NC3Z_EINVAL);
	check_error(status, &err);
	err = (struct nc3z_error){ 0 };
	status = nc3z_inq_stream(file, storage.stream, &info, &err);
	FUZZ_CHECK(is_expected(status));
	check_error(status, &err);
	if (status != NC3Z_OK)
		return;
	FUZZ_CHECK(info.nblocks == storage.nblocks);
	FUZZ_CHECK(info.ncodings <= info.nblocks);
	FUZZ_CHECK(info.nvars > 0 && info.varid >= 0);
	nc3z_coding_text(&info.coding, text, sizeof(text));
	FUZZ_CHECK(strlen(text) < sizeof(text));
}

static void look_at_var(struct nc3z_file *file, int varid)
{
	struct nc3z_var var;
	size_t *start, *count, nelems;
	ptrdiff_t *stride;
	int found;

	FUZZ_CHECK(nc3z_inq_var(file, varid, &var, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_inq_varid(file, var.name, &found, NULL) == NC3Z_OK);
	FUZZ_CHECK(found >= varid);
	look_at_atts(file, varid, var.natts);
	look_at_storage(file, varid);
	start = calloc((size_t)var.ndims + 1, sizeof(*start));
	count = calloc((size_t)var.ndims + 1, sizeof(*count));
	stride = calloc((size_t)var.ndims + 1, sizeof(*stride));
	FUZZ_CHECK(start && count && stride);
	for (int i = 0; i < 3; i++) {
		struct nc3z_hyperslab slab = { start, count, NULL, NULL };

		nelems = random_slab(&var, start, count, stride);
		if (nelems == 0)
			break;
		/* Counts are for strides: right with and without. */
		if (i > 0)
			slab.stride = stride;
		read_slab(file, varid, &var, slab, nelems);
	}
	free(start);
	free(count);
	free(stride);
}

static void read_bytes(struct nc3z_file *file)
{
	uint8_t *data = malloc(READ_MAX);
	uint64_t size = nc3z_inq_size(file);

	FUZZ_CHECK(data);
	for (int i = 0; i < 8; i++) {
		struct nc3z_error err = { 0 };
		uint64_t offset = fuzz_random_below(&state, size + 2);
		size_t n = (size_t)fuzz_random_below(&state, READ_MAX), got;
		int status;

		if (i == 0)
			offset = 0;
		status = nc3z_pread(file, data, n, offset, &got, &err);
		FUZZ_CHECK(is_expected(status));
		check_error(status, &err);
		FUZZ_CHECK(got <= n);
	}
	free(data);
}

static void look_at_file(struct nc3z_file *file)
{
	struct nc3z_cache_stats stats;
	int ndims, nvars, natts, unlimdimid;

	nc3z_inq(file, &ndims, &nvars, &natts, &unlimdimid);
	FUZZ_CHECK(unlimdimid < ndims);
	(void)nc3z_inq_refusal(file);
	look_at_dims(file, ndims);
	look_at_atts(file, NC3Z_GLOBAL, natts);
	for (int i = 0; i < smaller(nvars, LOOKED_AT_MAX); i++)
		look_at_var(file, i);
	read_bytes(file);
	nc3z_inq_cache(file, &stats);
	FUZZ_CHECK(stats.nblocks_held == 0 || stats.nbytes_held > 0);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct nc3z_open_options options;
	struct nc3z_source *source;
	struct nc3z_file *file;
	struct nc3z_error err = { 0 };
	uint8_t *plain = NULL;
	int status;

	state = nbytes;
	if (nbytes > 0 && data[0] == '\0') {
		plain = fuzz_copy(data + 1, nbytes - 1);
		data = plain;
		nbytes--;
	}
	nc3z_open_options_init(&options);
	options.nthreads = 1;
	/* With less, byte ranges of mixed records decode blocks for each. */
	options.cache_nbytes = UINT64_C(1) << 22;
	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	status = nc3z_open_source(source, &options, &file, &err);
	FUZZ_CHECK(is_expected(status) || status == NC3Z_ENOTCLASSIC ||
		   status == NC3Z_ENOTARCHIVE);
	check_error(status, &err);
	if (status == NC3Z_OK) {
		look_at_file(file);
		nc3z_close(file);
	} else {
		nc3z_source_close(source);
	}
	free(plain);
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	if (seed % 4 != 3)
		return archive_from_classic(file, file_nbytes, seed, room);
	if (file_nbytes + 1 > room.nbytes)
		return 0;
	room.data[0] = '\0';
	memcpy(room.data + 1, file, file_nbytes);
	return file_nbytes + 1;
}

static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	if (room.data[0] != '\0')
		return archive_mutate(room, nbytes, seed);
	return 1 + LLVMFuzzerMutate(room.data + 1, nbytes - 1, room.nbytes - 1);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 30,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
