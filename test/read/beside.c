/* SPDX-License-Identifier: MIT */
#include "beside.h"

#include <math.h>
#include <netcdf.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "packed.h"

#define GUARD_NBYTES 64
#define FILLING 0xa5

/* Originals of which every byte is looked at. */
#define MAP_NBYTES_MAX 300000

static const struct manner manners[BESIDE_VIEWS_MAX] = {
	{ .nthreads = 1, .ignores_truncation = true },
	{ .has_no_cache = true, .nthreads = 4 },
	{ .block_nbytes = 4096, .has_no_cache = true, .nthreads = 1 },
	{ .block_nbytes = 4096, .has_no_cache = true, .nthreads = 4 },
	{ .block_nbytes = 20000, .nthreads = 4, .ignores_truncation = true },
	{ .nthreads = 1 },
};

static const char *const whats[BESIDE_VIEWS_MAX] = {
	"plain, 1 thread",
	"plain, 4 threads, no cache",
	"blocks of 4096, 1 thread, no cache",
	"blocks of 4096, 4 threads, no cache",
	"blocks of 20000, 4 threads",
	"default blocks, 1 thread",
};

static void open_view(struct view *v, size_t i, const struct blob *file)
{
	const struct manner *manner = &manners[i];

	*v = (struct view){
		.what = whats[i],
		.ignores_truncation = manner->ignores_truncation,
		.keeps_nothing = manner->has_no_cache,
	};
	if (i >= 2)
		v->archive = packed_make(file, manner);
	v->file = packed_open(i >= 2 ? &v->archive : file, manner);
	v->has_map = v->archive.nbytes > 0 && file->nbytes < MAP_NBYTES_MAX;
	if (v->has_map)
		block_map_init(&v->map, &v->archive);
}

static void open_in_netcdf(struct beside *b, const struct blob *file)
{
	int fd, status;

	snprintf(b->path, sizeof(b->path), "beside_XXXXXX");
	fd = mkstemp(b->path);
	REQUIRE(fd >= 0);
	for (size_t at = 0; at < file->nbytes;) {
		ssize_t n = write(fd, file->data + at, file->nbytes - at);

		REQUIRE(n > 0);
		at += (size_t)n;
	}
	close(fd);
	status = nc_open(b->path, NC_NOWRITE, &b->ncid);
	if (!CHECK(status == NC_NOERR))
		printf("%s: %s\n", b->name, nc_strerror(status));
	if (status != NC_NOERR)
		b->ncid = -1;
}

/* Lengths with which libnetcdf's arithmetic overflows. */
static bool is_absurd(const struct classic_header *h)
{
	for (size_t i = 0; i < h->ndims; i++)
		if (h->dims[i].length > INT64_MAX)
			return true;
	return h->numrecs > UINT64_C(1) << 40;
}

bool beside_open(struct beside *b, const char *name, const struct blob *file)
{
	*b = (struct beside){ .name = name, .ncid = -1 };
	if (!facts_init(&b->facts, file))
		return false;
	for (; b->nviews < BESIDE_VIEWS_MAX; b->nviews++) {
		open_view(&b->views[b->nviews], b->nviews, file);
		if (!b->views[b->nviews].file) {
			beside_close(b);
			return false;
		}
	}
	/* libnetcdf takes "as many as there are" for a number. */
	if (!nc3z_inq_refusal(b->views[0].file) &&
	    !b->facts.header.is_indeterminate && !is_absurd(&b->facts.header))
		open_in_netcdf(b, file);
	return true;
}

void beside_close(struct beside *b)
{
	if (b->ncid >= 0)
		nc_close(b->ncid);
	if (b->path[0])
		unlink(b->path);
	for (size_t i = 0; i < b->nviews; i++) {
		nc3z_close(b->views[i].file);
		blob_release(&b->views[i].archive);
		block_map_release(&b->views[i].map);
	}
	facts_release(&b->facts);
}

/* The memory of one call, with guards around it. */
struct memory {
	uint8_t *bytes;
	size_t nbytes; /* with the guards */
	size_t nelems;
	ptrdiff_t before; /* elements below the first */
	size_t width;
};

/* Where the elements of a request may go, were it valid. */
static void memory_init(struct memory *m, const struct call *call, size_t width)
{
	const struct hyperslab_request *r = &call->slab.request;
	double low = 0, high = 0, packed = 1; /* no overflow */

	for (size_t i = r->rank; i-- > 0;) {
		bool has_count = r->form != HYPERSLAB_VAR && r->count;
		bool has_imap = r->form == HYPERSLAB_VARM && r->imap;
		double count = (double)(has_count ? r->count[i] : r->shape[i]);
		double step = has_imap ? (double)r->imap[i] : packed;

		if (r->form == HYPERSLAB_VAR1)
			count = 1;
		packed *= count;
		if (count > 1 && step < 0)
			low += (count - 1) * step;
		if (count > 1 && step > 0)
			high += (count - 1) * step;
	}
	/* Where nothing is to be written, nothing has to fit. */
	if (high - low > 5000000)
		low = high = 0;
	*m = (struct memory){ .width = width, .before = (ptrdiff_t)-low };
	m->nelems = (size_t)(high - low + 1);
	m->nbytes = m->nelems * width + 2 * (size_t)GUARD_NBYTES;
	m->bytes = malloc(m->nbytes);
	if (!m->bytes)
		abort();
	memset(m->bytes, FILLING, m->nbytes);
}

static void *memory_start(const struct memory *m)
{
	return m->bytes + GUARD_NBYTES + (size_t)m->before * m->width;
}

static bool is_untouched(const struct memory *m)
{
	for (size_t i = 0; i < m->nbytes; i++)
		if (m->bytes[i] != FILLING)
			return false;
	return true;
}

static void describe(const struct beside *b, const struct call *call)
{
	const struct hyperslab_request *r = &call->slab.request;

	printf("%s, variable %d as %s, form %d", b->name, call->varid,
	       call->type->name, (int)r->form);
	for (size_t i = 0; i < r->rank; i++)
		printf(" [%" PRIu64 ": %zd+%zd/%zd->%zd]", r->shape[i],
		       r->start ? (ptrdiff_t)r->start[i] : -999,
		       r->count ? (ptrdiff_t)r->count[i] : -999,
		       r->stride ? r->stride[i] : -999,
		       r->imap ? r->imap[i] : -999);
	putchar('\n');
}

/* What is known of a valid request beforehand. */
struct expected {
	struct slab_elements elements;
	bool is_truncated;
	bool *is_beyond; /* the end of the file, for each place in memory */
};

static void expect(struct expected *e, const struct beside *b,
		   const struct call *call, const struct memory *m)
{
	enum classic_type type = b->facts.header.vars[call->varid].type;
	uint64_t size = b->facts.file->nbytes;

	slab_list_make(&e->elements, &call->slab);
	e->is_truncated = false;
	e->is_beyond = calloc(m->nelems + 1, sizeof(*e->is_beyond));
	if (!e->is_beyond)
		abort();
	for (uint64_t i = 0; i < e->elements.count; i++) {
		const struct slab_element *element = &e->elements.list[i];
		uint64_t at = facts_offset(&b->facts, call->varid, element->in);

		if ((size_t)(element->out + m->before) >= m->nelems) {
			describe(b, call);
			fflush(stdout);
			abort();
		}
		if (at < size && size - at >= classic_type_nbytes(type))
			continue;
		e->is_truncated = true;
		e->is_beyond[element->out + m->before] = true;
	}
}

static void expected_release(struct expected *e)
{
	slab_list_release(&e->elements);
	free(e->is_beyond);
}

/* In how many blocks the elements lie, and whether all are of one stream. */
static uint64_t count_blocks(const struct beside *b, const struct view *v,
			     const struct call *call, const struct expected *e,
			     bool *one_stream_ret)
{
	uint32_t stream = UINT32_MAX;

	size_t width =
		classic_type_nbytes(b->facts.header.vars[call->varid].type);
	uint8_t *seen = calloc(v->map.nblocks + 1, 1);
	uint64_t count = 0;

	if (!seen)
		abort();
	*one_stream_ret = true;
	for (uint64_t i = 0; i < e->elements.count; i++) {
		uint64_t at = facts_offset(&b->facts, call->varid,
					   e->elements.list[i].in);

		for (size_t k = 0; k < width; k++, at++) {
			uint32_t number;

			if (at >= v->map.original_nbytes)
				break;
			number = v->map.numbers[at];
			count += !seen[number];
			seen[number] = 1;
			if (count == 1)
				stream = v->map.streams[number];
			if (v->map.streams[number] != stream)
				*one_stream_ret = false;
		}
	}
	free(seen);
	return count;
}

static uint64_t count_decoded(const struct view *v)
{
	struct nc3z_cache_stats stats;

	nc3z_inq_cache(v->file, &stats);
	return stats.nblocks_decoded;
}

static bool check_decoded(const struct beside *b, const struct view *v,
			  const struct call *call, const struct expected *e,
			  uint64_t ndecoded)
{
	uint64_t nblocks;
	bool is_one_stream;

	if (v->archive.nbytes == 0 || !e)
		return CHECK_EQ_U64(ndecoded, 0);
	if (!v->has_map)
		return true;
	nblocks = count_blocks(b, v, call, e, &is_one_stream);
	if (!v->keeps_nothing)
		return CHECK(ndecoded <= nblocks);
	/*
	 * A variable that overlaps others is spread over their streams, whose
	 * blocks come again and again.
	 */
	if (!is_one_stream)
		return CHECK(ndecoded + 1 >= nblocks);
	/* A cache without room still has the block that was used last. */
	return ndecoded + 1 == nblocks || CHECK_EQ_U64(ndecoded, nblocks);
}

/* What a view must say where libnetcdf, or the plain file, says 'status'. */
static int status_of(const struct view *v, int status, const struct expected *e)
{
	bool has_values = status == NC3Z_OK || status == NC3Z_ERANGE;

	return has_values && e && e->is_truncated && !v->ignores_truncation ?
		       NC3Z_ETRUNCATED :
		       status;
}

/*
 * Whether one status is as good as another: of several wrong arguments the
 * library may name another one where the array after which a call is called is
 * missing; for nc3z_get() that is then a simpler call.
 */
static bool is_as_good(const struct call *call, const struct expected *e,
		       int status, int must)
{
	const struct hyperslab_request *r = &call->slab.request;
	bool is_simpler = (r->form == HYPERSLAB_VARM && !r->imap) ||
			  (r->form == HYPERSLAB_VARS && !r->stride);

	/* Beyond the end libnetcdf has what was in its buffer before. */
	if (e && e->is_truncated && must != NC3Z_ETRUNCATED)
		return status == NC3Z_OK || status == NC3Z_ERANGE;
	return status == must ||
	       (is_simpler && status >= NC3Z_EINVALCOORDS &&
		status <= NC3Z_ESTRIDE && must >= NC3Z_EINVALCOORDS &&
		must <= NC3Z_ESTRIDE);
}

/* Makes the call in one view; checks all but the values. */
static bool call_view(struct beside *b, struct view *v, const struct call *call,
		      struct memory *m, const struct expected *e, int must)
{
	struct nc3z_error err = { .status = 0 };
	uint64_t before = count_decoded(v);
	int status = call->type->ours(v->file, call->varid, &call->slab.request,
				      memory_start(m), &err);
	bool ok = CHECK(is_as_good(call, e, status, status_of(v, must, e)));

	ok &= CHECK_EQ_U64((uint64_t)err.status, (uint64_t)status);
	ok &= CHECK((status == NC3Z_OK) == (err.text[0] == '\0'));
	if (status >= NC3Z_EINVALCOORDS && status <= NC3Z_ESTRIDE)
		ok &= CHECK(!call->slab.request.start ||
			    strstr(err.text, ": dimension ") != NULL);
	ok &= check_decoded(b, v, call, e, count_decoded(v) - before);
	if (!e)
		ok &= CHECK(is_untouched(m));
	if (!ok) {
		printf("%s: status %d, must be %d: %s: ", v->what, status, must,
		       err.text);
		describe(b, call);
	}
	return ok;
}

/*
 * Whether an element of the call may differ from libnetcdf's, of which it is
 * known that it is not beyond the end: NaN has no value as an integer.
 */
static bool may_differ(struct beside *b, const struct call *call, size_t at)
{
	static const struct both_type *as_double;
	struct memory m;
	double x;
	bool is_nan = false;

	for (size_t i = 0; i < BOTH_NTYPES; i++)
		if (both_types[i].memtype == NC3Z_DOUBLE)
			as_double = &both_types[i];
	if (call->type->memtype == NC3Z_FLOAT ||
	    call->type->memtype == NC3Z_DOUBLE ||
	    call->type->memtype == NC3Z_CHAR)
		return false;
	memory_init(&m, call, sizeof(double));
	as_double->ours(b->views[0].file, call->varid, &call->slab.request,
			memory_start(&m), NULL);
	memcpy(&x, m.bytes + GUARD_NBYTES + at * sizeof(x), sizeof(x));
	is_nan = isnan(x);
	/* Where elements land on each other, any of them may be the one. */
	for (size_t i = 0; call->slab.request.imap && i < m.nelems; i++) {
		memcpy(&x, m.bytes + GUARD_NBYTES + i * sizeof(x), sizeof(x));
		is_nan = is_nan || isnan(x);
	}
	free(m.bytes);
	return is_nan;
}

/*
 * Whether libnetcdf gives the fill value for a number that does not fit, as
 * 4.9.3 does if it was built so.
 */
static bool is_filled(const struct call *call, int status, const void *value)
{
	int type = call->type->memtype;

	return status == NC3Z_ERANGE &&
	       memcmp(value, nc3z_type_fill(type), nc3z_type_nbytes(type)) == 0;
}

static void check_values(struct beside *b, const struct call *call, int status,
			 const struct memory *theirs, const struct memory *ours,
			 const struct expected *e)
{
	size_t i = 0;

	if (memcmp(theirs->bytes, ours->bytes, ours->nbytes) == 0) {
		CHECK(true);
		return;
	}
	CHECK_MEM_EQ(theirs->bytes, ours->bytes, GUARD_NBYTES);
	CHECK_MEM_EQ(theirs->bytes + theirs->nbytes - GUARD_NBYTES,
		     ours->bytes + ours->nbytes - GUARD_NBYTES, GUARD_NBYTES);
	for (; i < ours->nelems; i++) {
		size_t at = GUARD_NBYTES + i * ours->width;

		if (memcmp(theirs->bytes + at, ours->bytes + at, ours->width) ==
			    0 ||
		    e->is_beyond[i] ||
		    is_filled(call, status, theirs->bytes + at) ||
		    may_differ(b, call, i))
			continue;
		CHECK_MEM_EQ(theirs->bytes + at, ours->bytes + at, ours->width);
		printf("element %zu of %zu: ", i, ours->nelems);
		describe(b, call);
		return;
	}
}

/* What libnetcdf says, or where it refuses the file, the plain file. */
static int first_answer(struct beside *b, const struct call *call,
			struct memory *m)
{
	int status, theirs;

	if (b->ncid < 0)
		return call->type->ours(b->views[0].file, call->varid,
					&call->slab.request, memory_start(m),
					NULL);
	theirs = call->type->theirs(b->ncid, call->varid, &call->slab.request,
				    memory_start(m));
	status = both_status(theirs);
	if (!CHECK(status >= 0)) {
		printf("%s: ", nc_strerror(theirs));
		describe(b, call);
	}
	return status;
}

void beside_call(struct beside *b, const struct call *call)
{
	const struct classic_header *h = &b->facts.header;
	struct memory theirs, ours[BESIDE_VIEWS_MAX];
	struct expected expected, *e = NULL;
	size_t width = call->type->nbytes;
	bool ok = true;
	int must;

	if (width == 0)
		width = call->varid < 0 || (size_t)call->varid >= h->nvars ?
				8 :
				classic_type_nbytes(h->vars[call->varid].type);
	memory_init(&theirs, call, width);
	must = first_answer(b, call, &theirs);
	if (must == NC3Z_OK || must == NC3Z_ERANGE) {
		e = &expected;
		expect(e, b, call, &theirs);
	} else if (call->is_valid && must != NC3Z_ECHAR &&
		   must != NC3Z_ELIMIT) {
		CHECK(must == NC3Z_OK);
		describe(b, call);
	}
	for (size_t i = 0; i < b->nviews; i++) {
		memory_init(&ours[i], call, width);
		ok &= call_view(b, &b->views[i], call, &ours[i], e, must);
		if (e && ok && i > 0)
			ok &= CHECK_MEM_EQ(ours[i].bytes, ours[0].bytes,
					   ours[0].nbytes);
		if (!ok && i > 0)
			describe(b, call);
	}
	if (e && ok)
		check_values(b, call, must, &theirs, &ours[0], e);
	if (e)
		expected_release(e);
	for (size_t i = 0; i < b->nviews; i++)
		free(ours[i].bytes);
	free(theirs.bytes);
}
