/* SPDX-License-Identifier: MIT */
/*
 * Archives of other makers: any plan that the specification allows, blocks in
 * any order that keeps each stream's, encoded in any way.  Restored in all the
 * ways that restorer.h lists, whatever nc3z_restore() would choose: so these
 * are the tests of restore_*.c as well.
 */
#include <openssl/sha.h>

#include "archive/archive.h"
#include "block/block.h"
#include "check.h"
#include "in_memory.h"
#include "oracle.h"
#include "picture.h"
#include "pipes.h"
#include "restore/options.h"
#include "restore/restorer.h"
#include "nc3z_tools.h"
#include "codecs.h"

static struct block_coder coder;

/* A block in the order of the archive. */
struct place {
	uint32_t stream;
	uint32_t block;
	uint64_t key; /* ascending */
};

/* What is wrong with an archive whose checksums are all right. */
enum flaw {
	NO_FLAW,
	WRONG_IDENTITY,
	WRONG_RAW_CRC,
	UNKNOWN_CODEC,
	UNKNOWN_FILTER,
	WRONG_WIDTH,
	LONG_BLOCK,
	SHORT_BLOCK,
	MISSING_BLOCK,
	EXTRA_BLOCK,
	HUGE_ORIGINAL,
	LONG_STREAM,
	WRONG_SHA256,
	LONG_HEADER,
	NFLAWS,
};

/* What an archive is made of. */
struct maker {
	enum flaw flaw; /* where a block has it: the last one */
	struct plan plan;
	struct buffer plan_bytes;
	struct oracle oracle;
	struct blob original;
	struct place *places;
	size_t nplaces;
	uint64_t seed;
};

static int by_key(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

/*
 * By the last byte of each block, as a writer does that has a block when its
 * last byte comes; or stream after stream; or mixed.
 */
static void order_blocks(struct maker *m)
{
	unsigned how = (unsigned)check_random_below(&m->seed, 3);

	for (uint32_t s = 0; s < m->oracle.nstreams; s++) {
		const struct oracle_stream *o = &m->oracle.streams[s];
		uint64_t key = 0;

		m->places = realloc(m->places, (m->nplaces + o->nblocks + 1) *
						       sizeof(*m->places));
		for (uint32_t b = 0; b < o->nblocks; b++) {
			uint64_t last = o->blocks[b].stream_offset +
					o->blocks[b].nbytes - 1;

			key += how == 2 ? check_random_below(&m->seed, 50) : 0;
			/* Chunks that are cut off may end before others. */
			if (how == 0 && o->offsets[last] > key)
				key = o->offsets[last];
			m->places[m->nplaces++] = (struct place){
				.stream = s,
				.block = b,
				.key = key,
			};
		}
	}
	qsort(m->places, m->nplaces, sizeof(*m->places), by_key);
}

static void make(struct maker *m, uint64_t seed, enum flaw flaw)
{
	uint64_t size;

	*m = (struct maker){ .seed = seed, .flaw = flaw };
	if (seed % 2 == 0)
		oracle_random_plan(&m->plan, &m->seed);
	else
		oracle_random_chunked_plan(&m->plan, &m->seed);
	size = 1 + check_random_below(&m->seed, 600);
	if (m->plan.header_nbytes > size || flaw == LONG_HEADER)
		m->plan.header_nbytes = size + (flaw == LONG_HEADER);
	CHECK(plan_write(&m->plan, &m->plan_bytes));
	for (uint64_t i = 0; i < size; i++)
		blob_le(&m->original, i / 9 + check_random_below(&m->seed, 2),
			1);
	oracle_make(&m->oracle, &m->plan, size);
	order_blocks(m);
}

static void release(struct maker *m)
{
	oracle_release(&m->oracle);
	plan_release(&m->plan);
	buffer_release(&m->plan_bytes);
	blob_release(&m->original);
	free(m->places);
}

static void random_recipe(struct block_recipe *r, uint64_t *seed)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };

	*r = (struct block_recipe){
		.width = widths[check_random_below(seed, 4)],
		.codec = nth_codec(check_random(seed)),
	};
	/* bzip2 clears a lot of memory for each block. */
	if (r->codec == NC3Z_CODEC_BZIP2 && check_random_below(seed, 10) != 0)
		r->codec = NC3Z_CODEC_ZSTD;
	r->level = r->codec ? codec_level(r->codec, 1) : 0;
	if (check_random(seed) & 1)
		filter_chain_add(&r->chain, NC3Z_FILTER_DELTA,
				 1 + (uint32_t)check_random_below(seed, 5));
	if (check_random(seed) & 1)
		filter_chain_add(&r->chain, NC3Z_FILTER_ZIGZAG, 0);
	if (check_random(seed) & 1)
		filter_chain_add(&r->chain, NC3Z_FILTER_SHUFFLE, 0);
}

/*
 * The raw bytes of a block; one too many or too few if that is the flaw (one
 * byte cannot get less).
 */
static uint8_t *make_raw(const struct maker *m, const struct place *place,
			 bool is_flawed, size_t *nbytes_ret)
{
	const struct oracle_stream *s = &m->oracle.streams[place->stream];
	const struct oracle_block *o = &s->blocks[place->block];
	uint8_t *raw = calloc((size_t)o->nbytes + 1, 1);

	for (uint64_t k = 0; k < o->nbytes; k++)
		raw[k] = m->original.data[s->offsets[o->stream_offset + k]];
	*nbytes_ret = (size_t)o->nbytes;
	if (is_flawed && m->flaw == LONG_BLOCK)
		++*nbytes_ret;
	if (is_flawed && m->flaw == SHORT_BLOCK)
		*nbytes_ret = (size_t)(o->nbytes > 1 ? o->nbytes - 1 : 2);
	return raw;
}

/* The first part's codec, width and filters stand at 1, 2 and from 3 on. */
static void spoil(const struct maker *m, struct archive_block *block,
		  struct buffer *description)
{
	switch (m->flaw) {
	case WRONG_RAW_CRC:
		block->raw_crc ^= 1;
		break;
	case UNKNOWN_CODEC:
		description->data[1] = CODEC_COUNT;
		break;
	case UNKNOWN_FILTER:
		description->data[3] = 1;
		description->data[4] = 77;
		break;
	case WRONG_WIDTH:
		description->data[2] = 3;
		break;
	default:
		break;
	}
}

static void put_raw(struct maker *m, struct archive_writer *w,
		    const struct place *place, const uint8_t *raw,
		    size_t nbytes)
{
	struct block_stored stored = { 0 };
	struct block_recipe recipe;
	struct archive_block block = { .stream = place->stream,
				       .block = place->block,
				       .raw_nbytes = (uint32_t)nbytes,
				       .raw_crc = picture_crc32(raw, nbytes) };
	bool collides;

	random_recipe(&recipe, &m->seed);
	/* A description with a part, however few bytes there are. */
	if (m->flaw != NO_FLAW)
		recipe.codec = NC3Z_CODEC_STORE;
	CHECK(block_encode(&coder, &recipe, raw, nbytes, &stored, NULL) ==
	      NC3Z_OK);
	if (place == &m->places[m->nplaces - 1])
		spoil(m, &block, &stored.description);
	block.description = stored.description.data;
	block.description_nbytes = stored.description.nbytes;
	block.payload = stored.payload.data;
	block.payload_nbytes = stored.payload.nbytes;
	CHECK(archive_writer_block(w, &block, &collides, NULL) == NC3Z_OK);
	block_stored_release(&stored);
}

static void put_block(struct maker *m, struct archive_writer *w,
		      const struct place *place)
{
	bool is_flawed = place == &m->places[m->nplaces - 1];
	size_t nbytes;
	uint8_t *raw = make_raw(m, place, is_flawed, &nbytes);

	if (place == m->places)
		CHECK(archive_identity(m->plan_bytes.data, m->plan_bytes.nbytes,
				       raw, nbytes, w->identity,
				       NULL) == NC3Z_OK);
	if (place == m->places && m->flaw == WRONG_IDENTITY)
		w->identity[0] ^= 1;
	if (!is_flawed || m->flaw != MISSING_BLOCK)
		put_raw(m, w, place, raw, nbytes);
	free(raw);
}

/* A block behind the last one of a stream. */
static void put_extra_block(struct maker *m, struct archive_writer *w)
{
	uint32_t stream = m->places[m->nplaces - 1].stream;
	const struct place place = {
		.stream = stream,
		.block = (uint32_t)m->oracle.streams[stream].nblocks,
	};

	put_raw(m, w, &place, (const uint8_t *)"x", 1);
}

static void spoil_catalogue(const struct maker *m, struct archive_catalogue *c)
{
	uint32_t stream = m->places[m->nplaces - 1].stream;

	c->stream_nblocks[stream] += m->flaw == EXTRA_BLOCK;
	c->stream_nblocks[stream] -= m->flaw == MISSING_BLOCK;
	c->stream_nbytes[0] += m->flaw == LONG_STREAM;
	c->sha256[5] ^= m->flaw == WRONG_SHA256;
	if (m->flaw == HUGE_ORIGINAL)
		c->original_nbytes = PLAN_OFFSET_END;
}

static void write_archive(struct maker *m, struct blob *out)
{
	uint32_t n = m->plan.nstreams;
	struct archive_catalogue c = {
		.original_nbytes = m->original.nbytes,
		.nstreams = n,
		.stream_nbytes = calloc(n, sizeof(*c.stream_nbytes)),
		.stream_nblocks = calloc(n, sizeof(*c.stream_nblocks)),
		.plan = m->plan_bytes.data,
		.plan_nbytes = m->plan_bytes.nbytes,
	};
	const struct archive_copies none = { 0 };
	struct archive_writer w;
	struct nc3z_sink *sink = memory_sink();

	CHECK(archive_writer_begin(&w, sink, &m->plan_bytes, n, NULL) ==
	      NC3Z_OK);
	for (size_t i = 0; i < m->nplaces; i++)
		put_block(m, &w, &m->places[i]);
	if (m->flaw == EXTRA_BLOCK)
		put_extra_block(m, &w);
	for (uint32_t i = 0; i < n; i++) {
		c.stream_nbytes[i] = m->oracle.streams[i].nbytes;
		c.stream_nblocks[i] = (uint32_t)m->oracle.streams[i].nblocks;
	}
	memcpy(c.identity, w.identity, sizeof(c.identity));
	SHA256(m->original.data, m->original.nbytes, c.sha256);
	spoil_catalogue(m, &c);
	CHECK(archive_writer_end(&w, &c, &none, NULL) == NC3Z_OK);
	archive_writer_release(&w);
	*out = (struct blob){ 0 };
	memory_sink_take(sink, out);
	catalogue_release(&c);
}

/* A way of restoring. */
struct way {
	int (*run)(struct restorer *r);
	bool to_file;
	bool is_sparse;
	bool from_pipe;
	uint64_t max_nbytes;
};

static const struct way ways[] = {
	{ .run = restore_stream, .max_nbytes = 1 << 20 },
	{ .run = restore_stream, .from_pipe = true },
	{ .run = restore_stripes, .max_nbytes = 0 },
	{ .run = restore_stripes, .max_nbytes = 150 },
	{ .run = restore_stripes, .max_nbytes = 1 << 20 },
	{ .run = restore_place, .to_file = true, .max_nbytes = 0 },
	{ .run = restore_place, .to_file = true, .max_nbytes = 5000 },
	{ .run = restore_place,
	  .to_file = true,
	  .is_sparse = true,
	  .max_nbytes = 9000 },
	{ .run = restore_place,
	  .to_file = true,
	  .from_pipe = true,
	  .max_nbytes = 1 << 20 },
};
#define NWAYS (sizeof(ways) / sizeof(*ways))

static uint64_t nrepeats; /* in all */

static int run_way(const struct way *way, struct nc3z_source *source,
		   struct nc3z_sink *sink, unsigned nthreads)
{
	struct nc3z_error err = { .status = -1 };
	struct nc3z_restore_options options;
	struct restorer r = {
		.in = source,
		.out = sink,
		.options = &options,
		.nthreads = nthreads,
		.err = &err,
	};
	int status;

	nc3z_restore_options_init(&options);
	options.max_memory_nbytes = way->max_nbytes;
	status = restorer_begin(&r);
	if (status == NC3Z_OK)
		status = way->run(&r);
	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	nrepeats += r.nrepeats;
	restorer_release(&r);
	return status;
}

/* What came out; of a file nothing if it failed. */
static void take_output(struct nc3z_sink *sink, bool has_failed,
			struct blob *out)
{
	size_t nbytes = (size_t)sink->position;
	struct nc3z_source *written;
	const void *data;

	*out = (struct blob){ 0 };
	if (sink->has_places && !has_failed &&
	    CHECK(nc3z_source_open_sink(sink, &written, NULL) == NC3Z_OK)) {
		CHECK(source_read_exactly(written, 0, blob_extend(out, nbytes),
					  nbytes, NULL) == NC3Z_OK);
		nc3z_source_close(written);
	}
	data = nc3z_sink_memory(sink, &nbytes);
	blob_put(out, data, nbytes);
	nc3z_sink_close(sink);
}

static int restore(const struct blob *archive, const struct way *way,
		   unsigned nthreads, struct blob *out)
{
	struct nc3z_source *source;
	struct nc3z_sink *sink;
	struct feeder feeder;
	int status;

	if (way->from_pipe) {
		feeder_start(&feeder, archive->data, archive->nbytes, 700);
		CHECK(nc3z_source_open_fd(feeder.read_fd, &source, NULL) ==
		      NC3Z_OK);
	} else {
		source = memory_source(archive->data, archive->nbytes);
	}
	if (way->to_file)
		CHECK(nc3z_sink_open_path("restored",
					  way->is_sparse ? NC3Z_SINK_SPARSE : 0,
					  0600, &sink, NULL) == NC3Z_OK);
	else
		CHECK(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	status = run_way(way, source, sink, nthreads);
	nc3z_source_close(source);
	if (way->from_pipe)
		feeder_stop(&feeder);
	take_output(sink, status != NC3Z_OK, out);
	return status;
}

/* The archive is one by the specification, and can be restored. */
static void check_archive(const struct maker *m, const struct blob *archive)
{
	struct blob restored;
	struct picture p;

	CHECK_STR_EQ(picture_read(&p, archive->data, archive->nbytes), NULL);
	for (unsigned i = 0; i < 2 * NWAYS; i++) {
		CHECK(restore(archive, &ways[i / 2], 1 + i % 2, &restored) ==
		      NC3Z_OK);
		if (CHECK_EQ_U64(restored.nbytes, m->original.nbytes))
			CHECK_MEM_EQ(restored.data, m->original.data,
				     restored.nbytes);
		blob_release(&restored);
	}
	picture_release(&p);
}

static void test_random_archives(void)
{
	for (uint64_t i = 0; i < 120; i++) {
		struct blob archive;
		struct maker m;

		make(&m, 5000 + i, NO_FLAW);
		write_archive(&m, &archive);
		check_archive(&m, &archive);
		blob_release(&archive);
		release(&m);
	}
	CHECK(nrepeats > 1000);
}

/*
 * All checksums are right, but not what they say: refused, and what was
 * written before that is right.
 */
static void check_flaw(enum flaw flaw, uint64_t seed)
{
	struct blob archive, restored;
	struct maker m;

	make(&m, seed, flaw);
	write_archive(&m, &archive);
	for (unsigned i = 0; i < 2 * NWAYS; i++) {
		int status =
			restore(&archive, &ways[i / 2], 1 + i % 2, &restored);

		if (flaw == UNKNOWN_CODEC || flaw == UNKNOWN_FILTER)
			CHECK(status == NC3Z_EUNSUPPORTED);
		else
			CHECK(status == NC3Z_EDAMAGED);
		/* What is too long by one may have been written. */
		if (CHECK(restored.nbytes <= m.original.nbytes + 1) &&
		    restored.nbytes <= m.original.nbytes)
			CHECK_MEM_EQ(restored.data, m.original.data,
				     restored.nbytes);
		blob_release(&restored);
	}
	blob_release(&archive);
	release(&m);
}

static void test_flaws(void)
{
	for (enum flaw flaw = NO_FLAW + 1; flaw < NFLAWS; flaw++)
		for (uint64_t i = 0; i < 8; i++)
			check_flaw(flaw, 8000 + i);
}

static void count_note(void *context, const char *text)
{
	CHECK(strstr(text, "decoded") != NULL);
	++*(unsigned *)context;
}

/* Chunks that may take no memory: repeats, announced and counted. */
static void check_chunks(const struct blob *archive, struct nc3z_source *pipe)
{
	struct nc3z_restore_options o;
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	struct nc3z_summary s;
	unsigned nnotes = 0;

	nc3z_restore_options_init(&o);
	source = memory_source(archive->data, archive->nbytes);
	CHECK(nc3z_verify(source, &o, &s, NULL) == NC3Z_OK);
	CHECK_EQ_U64(s.nrepeats, 0);
	o.max_memory_nbytes = 0;
	o.context = &nnotes;
	o.note = count_note;
	CHECK(nc3z_verify(source, &o, &s, NULL) == NC3Z_OK);
	CHECK(s.nrepeats > 0 && nnotes == 1);
	nc3z_source_close(source);
	CHECK(nc3z_verify(pipe, &o, &s, &err) == NC3Z_ELIMIT);
	CHECK(err.status == NC3Z_ELIMIT && nnotes == 1);
}

static void test_max_memory(void)
{
	struct nc3z_source *pipe;
	struct feeder feeder;
	struct blob archive;
	struct maker m;
	uint64_t seed = 9001;

	/* Until there are chunks, and more than a stripe. */
	for (;; seed += 2) {
		make(&m, seed, NO_FLAW);
		write_archive(&m, &archive);
		if (m.plan.streams[0].grid && m.original.nbytes > 300 &&
		    m.oracle.streams[0].nbytes > 100)
			break;
		blob_release(&archive);
		release(&m);
	}
	feeder_start(&feeder, archive.data, archive.nbytes, 100);
	CHECK(nc3z_source_open_fd(feeder.read_fd, &pipe, NULL) == NC3Z_OK);
	check_chunks(&archive, pipe);
	nc3z_source_close(pipe);
	feeder_stop(&feeder);
	blob_release(&archive);
	release(&m);
}

static void test_options(void)
{
	struct nc3z_restore_options o;
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;

	CHECK(nc3z_source_open_memory("", 0, &source, NULL) == NC3Z_OK);
	CHECK(nc3z_verify(source, NULL, NULL, &err) == NC3Z_ENOTARCHIVE);
	nc3z_restore_options_init(&o);
	o.nthreads = NC3Z_THREADS_MAX + 1;
	CHECK(nc3z_verify(source, &o, NULL, &err) == NC3Z_EINVAL);
	nc3z_restore_options_init(&o);
	o.options_nbytes++;
	CHECK(nc3z_verify(source, &o, NULL, &err) == NC3Z_EINVAL);
	nc3z_source_close(source);
}

int main(void)
{
	RUN(test_random_archives);
	RUN(test_flaws);
	RUN(test_max_memory);
	RUN(test_options);
	block_coder_release(&coder);
	return check_report();
}
