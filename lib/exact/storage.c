/* SPDX-License-Identifier: MIT */
/*
 * Chunks of at least 4 MiB that lie together in the original: as many whole
 * records as that, or a part of one.  Data centres check that, and that time
 * and its bounds have one chunk.  None is larger than netcdf-c's cache of
 * chunks, 16 MiB, unless it is time.  A variable is shuffled and deflated where
 * that makes samples of it smaller; one that is not, and is not of records, is
 * contiguous.
 */
#include "exact/storage.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/sizes.h"
#include "classic/layout.h"
#include "plan/chunks.h"

#define CHUNK_NBYTES (UINT32_C(4) << 20)

/* Of a coordinate or its bounds; below twice as much they are not cut. */
#define COORDINATE_NBYTES (UINT32_C(16) << 20)

/*
 * Whoever restores the original holds a chunk of each record variable: all of
 * these together should not be much larger, if they need not be smaller than
 * this for it.
 */
#define BAND_NBYTES (UINT64_C(128) << 20)
#define CHUNK_NBYTES_MIN (UINT32_C(1) << 20)

/* Parts of a variable that are tried, and their size, about. */
#define SAMPLES_MAX 3
#define SAMPLE_NBYTES (UINT32_C(1) << 20)

/* Header promises of so many times the file and bytes are kept. */
#define MISSING_SHARE 16
#define MISSING_NBYTES (UINT64_C(64) << 20)

/* Half the children of a node, at most: HDF5's default. */
#define INDEX_K_MAX 32
#define INDEX_DEPTH_MAX 10

/*
 * The codec's own for ours.  The default one makes files about as small as
 * zlib's highest, to which users of netCDF-4 compare it; samples need not be as
 * good.
 */
static const int levels[NC3Z_LEVEL_MAX + 1] = {
	0, 1, 3, 5, 6, 8, 9, 10, 11, 12
};
#define SAMPLE_LEVEL 6

/* What HDF5 is told; others cannot tell how well it was done. */
#define DEFLATE_LEVEL 9

/* Deflating must spare one byte in so many. */
#define WORTH_SHARE 50

/* Lengths of the dimensions, and no more. */
static void describe_variable(const struct nc3z_file *file, size_t variable,
			      struct exact_variable *v)
{
	const struct classic_var *var = &file->header.vars[variable];
	const struct nc3z_var *known = &file->vars[variable];

	*v = (struct exact_variable){
		.begin = var->begin,
		.width = classic_type_nbytes(var->type),
		.flags = known->is_record ? EXACT_RECORDS : 0,
		.rank = (uint8_t)var->ndims,
	};
	for (size_t k = 0; k < var->ndims; k++)
		v->lengths[k] = known->shape[k];
}

/*
 * As many of the last dimensions as take less than 'least' bytes, and as much
 * of one more as takes that: chunks have twice as much at most, and an index
 * more.
 */
static void cut(struct exact_variable *v, uint64_t least)
{
	uint64_t nbytes = v->width;

	for (size_t k = v->rank; k-- > 0;) {
		uint64_t length = size_max(v->lengths[k], 1);
		uint64_t n = size_div_up(least, nbytes);

		v->chunks[k] =
			nbytes >= least ?
				1 :
				size_div_up(length, size_max(length / n, 1));
		nbytes = size_mul_max(nbytes, v->chunks[k], UINT32_MAX);
		if (v->chunks[k] < length)
			nbytes = least;
	}
}

/* What 'v' is cut into need not be its chunks. */
static int sample(const struct storage *s, struct exact_variable v,
		  size_t variable, uint64_t number, uint64_t sums[3],
		  struct nc3z_error *err)
{
	struct chunk_encoder encoder = { .level = s->level < SAMPLE_LEVEL ?
							  s->level :
							  SAMPLE_LEVEL };
	uint8_t *raw = malloc((size_t)v.chunk_nbytes);
	uint8_t *out = malloc((size_t)exact_stored_nbytes_max(&v));
	size_t nbytes = 0;
	int status = raw && out ?
			     storage_read(s, &v, variable, number, raw, err) :
			     error_set_memory(err);

	sums[0] += v.chunk_nbytes;
	for (int i = 1; i <= 2 && status == NC3Z_OK; i++) {
		v.flags = (uint8_t)(EXACT_DEFLATED |
				    (i == 2 ? EXACT_SHUFFLED : 0));
		if (i == 1 || v.width > 1)
			status = chunk_encode(&v, &encoder, raw, out, &nbytes,
					      err);
		sums[i] += nbytes;
	}
	codec_state_release(&encoder.codecs);
	free(raw);
	free(out);
	return status;
}

/*
 * Nodes of HDF5's for so many children that come in their order: of those that
 * are full, nine tenths stay.
 */
static uint64_t count_nodes(uint64_t nchildren, uint64_t most)
{
	uint64_t stay = size_min(most * 9 / 10, most - 1);

	return nchildren <= most ? 1 : 1 + size_div_up(nchildren - most, stay);
}

/*
 * Bytes of the index of so many chunks, in nodes of HDF5's own; as good as none
 * fits if there would be a node above the other for nearly every chunk.
 */
static uint64_t index_nbytes(const struct exact_variable *v, unsigned k)
{
	uint64_t key = 8 + 8 * ((uint64_t)v->rank + 1), nnodes = v->nchunks;
	uint64_t node = 24 + 2 * (uint64_t)k * 8 + (2 * (uint64_t)k + 1) * key;
	uint64_t all = 0;

	for (int depth = 0; nnodes > 0; depth++) {
		if (depth == INDEX_DEPTH_MAX)
			return UINT64_MAX;
		nnodes = count_nodes(nnodes, 2 * (uint64_t)k);
		all += nnodes * node;
		if (nnodes == 1)
			break;
	}
	return all;
}

/* Whether shuffle and deflate make the variable smaller. */
static int choose_filters(const struct storage *s, size_t variable,
			  struct nc3z_error *err)
{
	struct exact_variable *v = &s->variables[variable], tried = *v;
	uint64_t sums[3] = { 0 }, best, nbytes, n;

	if (s->level == 0 || v->nchunks == 0)
		return NC3Z_OK;
	cut(&tried, SAMPLE_NBYTES);
	exact_variable_derive(&tried);
	n = size_min(tried.nchunks, SAMPLES_MAX);
	for (uint64_t i = 0; i < n; i++)
		NC3Z_TRY(sample(s, tried, variable,
				n == 1 ? 0 : i * (tried.nchunks - 1) / (n - 1),
				sums, err));
	best = size_min(sums[1], sums[2]);
	nbytes = size_mul_max(v->chunk_nbytes, v->nchunks, UINT64_MAX / 2);
	if (best + best / WORTH_SHARE >= sums[0] ||
	    (!(v->flags & EXACT_RECORDS) &&
	     size_max(nbytes / sums[0], 1) * best +
			     index_nbytes(v,
					  v->nchunks == 1 ? 1 : INDEX_K_MAX) +
			     64 >=
		     nbytes))
		return NC3Z_OK;
	v->flags |= EXACT_DEFLATED | EXACT_CHUNKED;
	if (v->width > 1 && sums[2] < sums[1])
		v->flags |= EXACT_SHUFFLED;
	return NC3Z_OK;
}

static bool is_named(const struct classic_name *name, const void *bytes,
		     uint64_t nbytes)
{
	return name->nbytes == nbytes &&
	       memcmp(name->bytes, bytes, name->nbytes) == 0;
}

/* The coordinate of records, or of time where that is of a fixed length. */
static bool is_time(const struct classic_header *header,
		    const struct classic_var *var)
{
	const struct classic_dim *dim;

	if (var->ndims == 0)
		return false;
	dim = &header->dims[var->dimids[0]];
	return is_named(&var->name, dim->name.bytes, dim->name.nbytes) &&
	       (dim->length == 0 || is_named(&var->name, "time", 4));
}

/* Cuts the variable that a coordinate names as its bounds. */
static void cut_bounds(const struct storage *s, const struct classic_var *var)
{
	const struct classic_header *header = &s->file->header;

	for (size_t i = 0; i < var->atts.count; i++) {
		const struct classic_att *att = &var->atts.list[i];

		if (att->type != CLASSIC_CHAR ||
		    !is_named(&att->name, "bounds", 6))
			continue;
		for (size_t k = 0; k < header->nvars; k++)
			if (is_named(&header->vars[k].name, att->values,
				     att->nelems))
				cut(&s->variables[k], COORDINATE_NBYTES);
	}
}

/* Cuts all; the bytes that a chunk of each record variable has, together. */
static uint64_t cut_all(const struct storage *s, uint64_t least)
{
	const struct classic_header *header = &s->file->header;
	uint64_t band = 0;

	for (size_t i = 0; i < header->nvars; i++) {
		struct exact_variable *v = &s->variables[i];

		describe_variable(s->file, i, v);
		cut(v, least);
		if (v->flags & EXACT_RECORDS && exact_variable_derive(v))
			band = size_add_max(band, v->chunk_nbytes, UINT64_MAX);
	}
	for (size_t i = 0; i < header->nvars; i++)
		if (is_time(header, &header->vars[i])) {
			cut(&s->variables[i], COORDINATE_NBYTES);
			cut_bounds(s, &header->vars[i]);
		}
	return band;
}

/* Chunks that the user wants. */
static int take_chunks(const struct storage *s,
		       const struct plan_chunks_job *job, size_t variable,
		       struct nc3z_error *err)
{
	struct exact_variable *v = &s->variables[variable];
	uint32_t chunks[PLAN_RANK_MAX];
	bool is_chunked;

	NC3Z_TRY(plan_chunks_of(job, (uint32_t)variable, chunks, &is_chunked,
				err));
	for (size_t k = 0; k < v->rank && is_chunked; k++)
		v->chunks[k] = size_min(chunks[k], size_max(v->lengths[k], 1));
	if (is_chunked)
		v->flags |= EXACT_CHUNKED;
	return NC3Z_OK;
}

static int choose_one(const struct storage *s,
		      const struct plan_chunks_job *job, size_t variable,
		      struct nc3z_error *err)
{
	struct exact_variable *v = &s->variables[variable];

	if (job->spec->nrules > 0 || job->spec->mode != PLAN_CHUNKS_LINEAR)
		NC3Z_TRY(take_chunks(s, job, variable, err));
	if (v->flags & EXACT_RECORDS)
		v->flags |= EXACT_CHUNKED;
	if (!exact_variable_derive(v) || v->nchunks > UINT32_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "variable %s is too large for netCDF-4",
				 s->file->vars[variable].name);
	return choose_filters(s, variable, err);
}

/* Values that are not in the file are zeros, but not without end. */
static int check_size(const struct nc3z_file *file, struct nc3z_error *err)
{
	uint64_t size = nc3z_inq_size(file), all = 0;
	uint64_t most = size_mul_max(size, MISSING_SHARE, UINT64_MAX / 2) +
			MISSING_NBYTES;

	for (size_t i = 0; i < file->header.nvars; i++)
		all = size_add_max(
			all,
			size_mul_max(
				file->vars[i].nelems,
				classic_type_nbytes(file->header.vars[i].type),
				UINT64_MAX),
			UINT64_MAX);
	return all <= most ?
		       NC3Z_OK :
		       error_set(err, NC3Z_EINVAL,
				 "not possible in netCDF-4: the file ends long "
				 "before the values that its header "
				 "promises");
}

/* The children of a node of chunk indexes that take the least, together. */
static void choose_index(struct storage *s, unsigned fixed_k)
{
	unsigned k = fixed_k > 0 ? fixed_k : INDEX_K_MAX;
	unsigned last_k = fixed_k > 0 ? fixed_k : 1;

	s->index_nbytes = UINT64_MAX;
	for (; k >= last_k; k /= 2) {
		uint64_t all = 0;

		for (size_t i = 0; i < s->file->header.nvars; i++)
			if (s->variables[i].flags & EXACT_CHUNKED)
				all = size_add_max(
					all, index_nbytes(&s->variables[i], k),
					UINT64_MAX);
		if (all < s->index_nbytes) {
			s->index_nbytes = all;
			s->index_k = k;
		}
	}
}

/* What HDF5 has to know. */
static void describe_container(const struct storage *s, size_t variable)
{
	const struct exact_variable *v = &s->variables[variable];
	struct container_storage *c = &s->containers[variable];

	c->is_chunked = (v->flags & EXACT_CHUNKED) != 0;
	c->is_shuffled = (v->flags & EXACT_SHUFFLED) != 0;
	c->deflate_level = v->flags & EXACT_DEFLATED ? DEFLATE_LEVEL : 0;
	memcpy(c->chunks, v->chunks, sizeof(c->chunks));
}

static int choose_all(struct storage *s, const struct plan_chunks_job *job,
		      struct nc3z_error *err)
{
	uint64_t least = CHUNK_NBYTES;

	while (cut_all(s, least) > BAND_NBYTES && least > CHUNK_NBYTES_MIN)
		least /= 2;
	NC3Z_TRY(plan_chunks_check(job->spec, job->header, err));
	for (size_t i = 0; i < s->file->header.nvars; i++) {
		NC3Z_TRY(choose_one(s, job, i, err));
		describe_container(s, i);
	}
	return NC3Z_OK;
}

int storage_choose(struct storage *s, struct nc3z_file *file,
		   const struct nc3z_pack_options *options, unsigned fixed_k,
		   struct nc3z_error *err)
{
	const struct classic_header *header = &file->header;
	struct plan_chunks_spec spec = { 0 };
	struct plan_chunks_job job = {
		.spec = &spec,
		.header = header,
		.limits = { CHUNK_NBYTES_MIN, options->max_memory_nbytes },
	};
	int status = check_size(file, err);

	*s = (struct storage){
		.file = file,
		.level = levels[options->level],
		.containers =
			memory_alloc(header->nvars, sizeof(*s->containers)),
		.variables = memory_alloc(header->nvars, sizeof(*s->variables)),
	};
	if (!s->containers || !s->variables)
		return error_set_memory(err);
	layout_record_nbytes(header, &job.record_nbytes);
	for (size_t i = 0; i < options->nchunks && status == NC3Z_OK; i++)
		status = plan_chunks_parse(&spec, options->chunks[i], err);
	if (status == NC3Z_OK)
		status = choose_all(s, &job, err);
	choose_index(s, fixed_k);
	plan_chunks_release(&spec);
	return status;
}

int storage_read(const struct storage *s, const struct exact_variable *v,
		 size_t variable, uint64_t number, uint8_t *raw,
		 struct nc3z_error *err)
{
	size_t start[EXACT_RANK_MAX], count[EXACT_RANK_MAX];
	ptrdiff_t imap[EXACT_RANK_MAX], step = 1;
	const struct nc3z_hyperslab hyperslab = { start, count, NULL, imap };
	struct chunk_box box;
	bool is_whole = true;

	chunk_box_of(v, number, &box);
	for (size_t k = v->rank; k-- > 0;) {
		start[k] = (size_t)box.start[k];
		count[k] = (size_t)box.count[k];
		imap[k] = step;
		step *= (ptrdiff_t)v->chunks[k];
		is_whole = is_whole && box.count[k] == v->chunks[k];
	}
	if (!is_whole)
		memset(raw, 0, (size_t)v->chunk_nbytes);
	NC3Z_TRY(nc3z_get(s->file, (int)variable, &hyperslab, NC3Z_NAT, raw,
			  err));
	/* Back to the order of the file: both ways are the same. */
	byte_order_big(v->width, raw, (size_t)v->chunk_nbytes / v->width, raw);
	return NC3Z_OK;
}

void storage_release(struct storage *s)
{
	free(s->containers);
	free(s->variables);
}
