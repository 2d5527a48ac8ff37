/* SPDX-License-Identifier: MIT */
#include "reading.h"

#include <time.h>

#include "check.h"
#include "in_memory.h"
#include "nc3z_tools.h"

/* NULL, with a status, if it cannot be opened. */
static struct nc3z_file *open_bytes(const void *data, size_t nbytes,
				    int *status_ret)
{
	struct nc3z_source *source = memory_source(data, nbytes);
	struct nc3z_open_options options;
	struct nc3z_file *file = NULL;

	nc3z_open_options_init(&options);
	options.nthreads = 1;
	options.ignores_truncation = 1;
	*status_ret = nc3z_open_source(source, &options, &file, NULL);
	if (!file)
		nc3z_source_close(source);
	return file;
}

/* All values of a variable, in its own type. */
static int read_variable(struct nc3z_file *file, int varid, struct blob *out)
{
	struct nc3z_var var;

	CHECK(nc3z_inq_var(file, varid, &var, NULL) == NC3Z_OK);
	out->nbytes = 0;
	blob_extend(out, (size_t)var.nelems * nc3z_type_nbytes(var.type));
	return nc3z_get(file, varid, NULL, NC3Z_NAT, out->data, NULL);
}

static bool truth_init(struct truth *t, const struct blob *original)
{
	struct nc3z_file *file;
	int status;

	t->original = original;
	file = open_bytes(original->data, original->nbytes, &status);
	if (!CHECK(file != NULL))
		return false;
	nc3z_inq(file, NULL, &t->nvars, NULL, NULL);
	t->values = calloc((size_t)t->nvars + 1, sizeof(*t->values));
	if (!t->values)
		abort();
	for (int i = 0; i < t->nvars; i++)
		CHECK(read_variable(file, i, &t->values[i]) == NC3Z_OK);
	nc3z_close(file);
	return true;
}

static void truth_release(struct truth *t)
{
	for (int i = 0; i < t->nvars; i++)
		blob_release(&t->values[i]);
	free(t->values);
}

static uint32_t find_record(const struct subject *s, uint32_t number)
{
	uint32_t i = 0;

	while (i < s->picture.nblocks &&
	       (s->picture.blocks[i].stream != s->map.streams[number] ||
		s->picture.blocks[i].block != s->map.blocks[number]))
		i++;
	return i;
}

static void find_runs(struct reading *r)
{
	const struct block_map *map = &r->subject->map;

	for (uint64_t at = map->original_nbytes; at-- > 0;) {
		uint32_t number = map->numbers[at];

		if (r->run_nbytes[number] > 0 && r->run[number] == at + 1)
			r->run_nbytes[number]++;
		else
			r->run_nbytes[number] = 1;
		r->run[number] = at;
	}
}

/* Which blocks hold something of a variable, or of the header. */
static bool find_needs(struct reading *r)
{
	const struct subject *s = r->subject;
	struct facts facts;

	if (!CHECK(facts_init(&facts, &s->original)))
		return false;
	for (int v = 0; v < r->truth.nvars; v++) {
		size_t width = nc3z_type_nbytes((int)facts.header.vars[v].type);

		for (size_t i = 0; i * width < r->truth.values[v].nbytes; i++)
			for (size_t k = 0; k < width; k++) {
				uint64_t at = facts_offset(&facts, v, i) + k;

				if (at < s->original.nbytes)
					r->needs[(size_t)v * s->map.nblocks +
						 s->map.numbers[at]] = true;
			}
	}
	facts_release(&facts);
	for (uint64_t at = 0; s->picture.header_copy.nbytes == 0 &&
			      at < picture_u64(s->picture.plan.data);
	     at++)
		r->head_needs[s->map.numbers[at]] = true;
	return true;
}

bool reading_init(struct reading *r, const struct subject *s)
{
	size_t n = s->map.nblocks;

	*r = (struct reading){
		.subject = s,
		.archive = copy_exactly(s->archive.data, s->archive.nbytes),
		.record = calloc(n, sizeof(*r->record)),
		.run = calloc(n, sizeof(*r->run)),
		.run_nbytes = calloc(n, sizeof(*r->run_nbytes)),
		.is_hit = calloc(n, sizeof(*r->is_hit)),
		.head_needs = calloc(n, sizeof(*r->head_needs)),
	};
	if (!r->record || !r->run || !r->run_nbytes || !r->is_hit ||
	    !r->head_needs)
		abort();
	if (!truth_init(&r->truth, &s->original) ||
	    !truth_init(&r->sister, &s->sister_original))
		return false;
	r->needs = calloc((size_t)r->truth.nvars * n + 1, sizeof(*r->needs));
	if (!r->needs)
		abort();
	for (uint32_t i = 0; i < n; i++)
		r->record[i] = find_record(s, i);
	find_runs(r);
	return find_needs(r);
}

void reading_release(struct reading *r)
{
	truth_release(&r->truth);
	truth_release(&r->sister);
	free(r->archive);
	free(r->record);
	free(r->run);
	free(r->run_nbytes);
	free(r->is_hit);
	free(r->needs);
	free(r->head_needs);
}

/* What has neither the magic nor a whole end is not an archive at all. */
static bool is_found(const uint8_t *data, size_t nbytes)
{
	struct nc3z_source *source = memory_source(data, nbytes);
	struct nc3z_restore_options options;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	status = nc3z_verify(source, &options, NULL, NULL);
	nc3z_source_close(source);
	return CHECK(
		status == NC3Z_EDAMAGED ||
		(status == NC3Z_ENOTARCHIVE &&
		 (nbytes < 8 || memcmp(data, "\x89NC3Z\r\n\x1a", 8) != 0)));
}

/*
 * Whether exactly the blocks that were hit must fail: nothing else differs.
 * Sets which these are.
 */
static bool find_hits(struct reading *r, const uint8_t *data, size_t nbytes)
{
	const struct picture *p = &r->subject->picture;
	const uint8_t *whole = r->subject->archive.data;
	size_t first = p->blocks[0].offset, end = p->index_offset;

	if (nbytes != p->nbytes || memcmp(data, whole, first) != 0 ||
	    memcmp(data + end, whole + end, nbytes - end) != 0)
		return false;
	for (uint32_t i = 0; i < r->subject->map.nblocks; i++) {
		const struct picture_block *b = &p->blocks[r->record[i]];

		r->is_hit[i] = memcmp(data + b->offset, whole + b->offset,
				      b->header_nbytes + b->payload_nbytes) !=
			       0;
	}
	return true;
}

static bool needs_hit(const struct reading *r, const bool *needs)
{
	for (uint32_t i = 0; i < r->subject->map.nblocks; i++)
		if (needs[i] && r->is_hit[i])
			return true;
	return false;
}

/* A case while it is being read. */
struct one {
	struct reading *r;
	const struct truth *truth;
	struct tally *tally;
	bool is_exact; /* is_hit says what fails */
};

static void count_read(struct one *o, int status, bool is_right, bool is_hit)
{
	o->tally->nright += status == NC3Z_OK && is_right;
	o->tally->nrefused += status == NC3Z_EDAMAGED;
	o->tally->nwrong += status == NC3Z_OK && !is_right;
	CHECK(status == NC3Z_EDAMAGED || (status == NC3Z_OK && is_right));
	if (o->is_exact)
		CHECK((status == NC3Z_OK) == !is_hit);
}

static void read_blocks(struct one *o, struct nc3z_file *file,
			struct blob *memory)
{
	const struct reading *r = o->r;

	for (uint32_t i = 0; i < r->subject->map.nblocks; i++) {
		size_t n = r->run_nbytes[i], got = 0;
		int status;

		memory->nbytes = 0;
		blob_extend(memory, n);
		status = nc3z_pread(file, memory->data, n, r->run[i], &got,
				    NULL);
		count_read(o, status,
			   got == n &&
				   memcmp(memory->data,
					  o->truth->original->data + r->run[i],
					  n) == 0,
			   r->is_hit[i]);
	}
}

static void read_variables(struct one *o, struct nc3z_file *file,
			   struct blob *memory)
{
	const struct reading *r = o->r;
	int nvars;

	nc3z_inq(file, NULL, &nvars, NULL, NULL);
	if (!CHECK_EQ_U64((uint64_t)nvars, (uint64_t)o->truth->nvars))
		return;
	for (int v = 0; v < nvars; v++) {
		const struct blob *right = &o->truth->values[v];
		int status = read_variable(file, v, memory);

		count_read(
			o, status,
			memory->nbytes == right->nbytes &&
				(right->nbytes == 0 ||
				 memcmp(memory->data, right->data,
					right->nbytes) == 0),
			needs_hit(r,
				  r->needs +
					  (size_t)v * r->subject->map.nblocks));
	}
}

static void read_case(struct one *o, const uint8_t *data, size_t nbytes)
{
	struct blob memory = { 0 };
	struct nc3z_file *file;
	int status;

	file = open_bytes(data, nbytes, &status);
	if (o->is_exact)
		CHECK((file != NULL) == !needs_hit(o->r, o->r->head_needs));
	if (!file) {
		o->tally->nrefused++;
		CHECK(status == NC3Z_EDAMAGED || status == NC3Z_ENOTCLASSIC);
		return;
	}
	read_blocks(o, file, &memory);
	read_variables(o, file, &memory);
	blob_release(&memory);
	nc3z_close(file);
}

/* Of the processor. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void reading_case(struct reading *r, const uint8_t *data, size_t nbytes,
		  bool is_sister, struct tally *t)
{
	struct one one = { .r = r,
			   .truth = is_sister ? &r->sister : &r->truth,
			   .tally = t };
	double begin = now();

	t->ncases++;
	t->nfound += is_found(data, nbytes);
	one.is_exact = !is_sister && find_hits(r, data, nbytes);
	read_case(&one, data, nbytes);
	if (now() - begin > t->seconds)
		t->seconds = now() - begin;
}
