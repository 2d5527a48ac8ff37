/* SPDX-License-Identifier: MIT */
/*
 * Blocks in any order: whole archives, damaged ones, and such whose checksums
 * are right but whose index says what is not so.
 */
#include <errno.h>
#include <pthread.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "check.h"
#include "in_memory.h"
#include "picture.h"

#define NSTREAMS 4
#define NTHREADS 4

/* Blocks of each stream; what is in them follows from their numbers. */
struct kind {
	uint32_t nblocks[NSTREAMS];
	size_t payload_nbytes;
	uint8_t variant;   /* another identity, otherwise alike */
	uint32_t nclaimed; /* blocks that only the catalogue has */
};

static const struct kind small = { .nblocks = { 3, 0, 4, 1 },
				   .payload_nbytes = 40 };

static const uint8_t description[] = "any description";
static uint8_t header[100];

static uint32_t count_blocks(const struct kind *k)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < NSTREAMS; s++)
		n += k->nblocks[s];
	return n;
}

static void fill(uint8_t *out, size_t nbytes, uint64_t seed)
{
	for (size_t i = 0; i < nbytes; i++)
		out[i] = (uint8_t)check_random(&seed);
}

static struct archive_block block_of(const struct kind *k, uint32_t stream,
				     uint32_t block, uint8_t *payload)
{
	uint64_t seed = (uint64_t)stream << 32 | block;

	fill(payload, k->payload_nbytes, seed);
	return (struct archive_block){
		.stream = stream,
		.block = block,
		.raw_nbytes = (uint32_t)k->payload_nbytes + 1 + block % 1000,
		.raw_crc = (uint32_t)check_random(&seed),
		.description = description,
		.description_nbytes = sizeof(description) - stream,
		.payload = payload,
		.payload_nbytes = k->payload_nbytes - block % 3,
	};
}

/* The streams take turns. */
static void put_blocks(const struct kind *k, struct archive_writer *w)
{
	uint8_t *payload = malloc(k->payload_nbytes);
	uint32_t nput = 0;

	for (uint32_t i = 0; nput < count_blocks(k); i++) {
		uint32_t stream = i % NSTREAMS, number = i / NSTREAMS;
		struct archive_block b;
		bool collides;

		if (number >= k->nblocks[stream])
			continue;
		b = block_of(k, stream, number, payload);
		CHECK(archive_writer_block(w, &b, &collides, NULL) == NC3Z_OK);
		CHECK(!collides);
		nput++;
	}
	free(payload);
}

static void make(const struct kind *k, struct blob *out)
{
	uint8_t plan_bytes[] = "a plan";
	uint64_t stream_nbytes[NSTREAMS] = { 11, 22, 33, 44 };
	uint32_t stream_nblocks[NSTREAMS];
	struct archive_catalogue c = { .original_nbytes = 123456,
				       .nstreams = NSTREAMS,
				       .stream_nbytes = stream_nbytes,
				       .stream_nblocks = stream_nblocks,
				       .plan = plan_bytes,
				       .plan_nbytes = 6 };
	const struct archive_copies copies = {
		.header = { .data = header, .nbytes = sizeof(header) },
	};
	const struct buffer plan = { .data = plan_bytes, .nbytes = 6 };
	struct archive_writer w;
	struct nc3z_sink *sink;

	*out = (struct blob){ 0 };
	fill(header, sizeof(header), 7);
	fill(c.sha256, sizeof(c.sha256), 8);
	memcpy(stream_nblocks, k->nblocks, sizeof(stream_nblocks));
	stream_nblocks[0] += k->nclaimed;
	REQUIRE(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	CHECK(archive_writer_begin(&w, sink, &plan, NSTREAMS, NULL) == NC3Z_OK);
	fill(w.identity, sizeof(w.identity), k->variant);
	put_blocks(k, &w);
	memcpy(c.identity, w.identity, sizeof(c.identity));
	CHECK(archive_writer_end(&w, &c, &copies, NULL) == NC3Z_OK);
	archive_writer_release(&w);
	memory_sink_take(sink, out);
}

/* Bytes that can be counted and can fail. */
struct disk {
	uint8_t *copy;
	size_t nbytes;
	size_t nreads;
	size_t fails_at; /* the number of a read, from 1; 0: none */
	/* Zeros that are read here, but are not in 'copy'. */
	size_t hole_offset;
	size_t hole_nbytes;
};

static int disk_read_at(void *context, uint64_t offset, void *data,
			size_t nbytes, size_t *nbytes_ret)
{
	struct disk *d = context;
	size_t end = d->nbytes + d->hole_nbytes;
	uint8_t *out = data;

	if (++d->nreads == d->fails_at)
		return EIO;
	for (*nbytes_ret = 0; nbytes-- > 0 && offset < end; offset++) {
		if (offset < d->hole_offset)
			*out++ = d->copy[offset];
		else if (offset >= d->hole_offset + d->hole_nbytes)
			*out++ = d->copy[offset - d->hole_nbytes];
		else
			*out++ = 0;
		++*nbytes_ret;
	}
	return 0;
}

static struct nc3z_source *disk_open(struct disk *d, const struct blob *b)
{
	const struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = d,
		.size = b->nbytes,
		.read_at = disk_read_at,
	};
	struct nc3z_source *source = NULL;

	*d = (struct disk){ .copy = copy_exactly(b->data, b->nbytes),
			    .nbytes = b->nbytes };
	CHECK(nc3z_source_open_callbacks(&callbacks, &source, NULL) == NC3Z_OK);
	return source;
}

/* An archive that is being read. */
struct opened {
	struct disk disk;
	struct nc3z_source *source;
	struct archive_reader reader;
	struct archive_fetched fetched;
	struct nc3z_error err;
	int status; /* of opening it */
};

static void open_reader(struct opened *o, const struct blob *b)
{
	*o = (struct opened){ .err = { .status = -1 } };
	o->source = disk_open(&o->disk, b);
	o->status = archive_reader_open(&o->reader, o->source, &o->err);
	CHECK(o->err.status == (o->status == NC3Z_OK ? -1 : o->status));
	/* What could not be opened has nothing that is left to release. */
	CHECK((o->status == NC3Z_OK) == (o->reader.entries_before != NULL));
}

static void close_reader(struct opened *o)
{
	archive_reader_release(&o->reader);
	archive_reader_release(&o->reader);
	buffer_release(&o->fetched.record);
	nc3z_source_close(o->source);
	free(o->disk.copy);
}

static int fetch(struct opened *o, uint32_t stream, uint32_t block)
{
	int status;

	o->err = (struct nc3z_error){ .status = -1 };
	status = archive_reader_block(&o->reader, stream, block, &o->fetched,
				      &o->err);
	CHECK(o->err.status == (status == NC3Z_OK ? -1 : status));
	return status;
}

/* What was read is the block that was written. */
static bool is_right(const struct kind *k, uint32_t stream, uint32_t block,
		     const struct archive_block *found)
{
	uint8_t *payload = malloc(k->payload_nbytes);
	struct archive_block b = block_of(k, stream, block, payload);
	bool same = found->stream == stream && found->block == block &&
		    found->raw_nbytes == b.raw_nbytes &&
		    found->raw_crc == b.raw_crc &&
		    found->description_nbytes == b.description_nbytes &&
		    found->payload_nbytes == b.payload_nbytes &&
		    memcmp(found->description, b.description,
			   b.description_nbytes) == 0 &&
		    memcmp(found->payload, payload, b.payload_nbytes) == 0;

	free(payload);
	return same;
}

/* Reads all blocks, the last one first; the number of those that failed. */
static uint32_t fetch_all(struct opened *o, const struct kind *k)
{
	uint32_t nfailed = 0;

	for (uint32_t s = NSTREAMS; s-- > 0;)
		for (uint32_t b = k->nblocks[s]; b-- > 0;)
			if (fetch(o, s, b) == NC3Z_OK)
				CHECK(is_right(k, s, b, &o->fetched.block));
			else
				nfailed++;
	return nfailed;
}

static void test_whole_archives(void)
{
	static const struct kind kinds[] = {
		{ .nblocks = { 3, 0, 4, 1 }, .payload_nbytes = 40 },
		{ .nblocks = { 0, 0, 0, 1 }, .payload_nbytes = 3 },
		{ .nblocks = { 0, 4096, 0, 0 }, .payload_nbytes = 3 },
		{ .nblocks = { 4000, 0, 97, 5000 }, .payload_nbytes = 9 },
		{ .nblocks = { 9, 1, 2, 3 }, .payload_nbytes = 100000 },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct archive_copies copies = { 0 };
		struct buffer *copy = &copies.header;
		struct opened o;
		struct blob b;

		make(&kinds[i], &b);
		open_reader(&o, &b);
		CHECK(o.status == NC3Z_OK);
		CHECK_EQ_U64(o.reader.trailer.nblocks, count_blocks(&kinds[i]));
		CHECK_EQ_U64(fetch_all(&o, &kinds[i]), 0);
		CHECK_EQ_U64(fetch_all(&o, &kinds[i]), 0);
		CHECK(archive_reader_copies(&o.reader, &copies, NULL) ==
		      NC3Z_OK);
		/* Section 9: small archives go without a copy. */
		if (b.nbytes < 100 * sizeof(header))
			CHECK_EQ_U64(copy->nbytes, 0);
		else if (CHECK_EQ_U64(copy->nbytes, sizeof(header)))
			CHECK_MEM_EQ(copy->data, header, sizeof(header));
		archive_copies_release(&copies);
		close_reader(&o);
		blob_release(&b);
	}
}

/* Opening does not read the index; a segment is read once, if it is needed. */
static void test_segments_when_needed(void)
{
	static const struct kind k = { .nblocks = { 4096, 4096, 4096, 5 },
				       .payload_nbytes = 5 };
	struct archive_entry entry;
	struct opened o;
	struct blob b;
	size_t before;

	make(&k, &b);
	open_reader(&o, &b);
	before = o.disk.nreads;
	CHECK(before < 10);
	for (uint32_t s = NSTREAMS; s-- > 0; before++) {
		CHECK(archive_reader_entry(&o.reader, s, k.nblocks[s] - 1,
					   &entry, NULL) == NC3Z_OK);
		CHECK_EQ_U64(o.disk.nreads, before + 1);
		CHECK(archive_reader_entry(&o.reader, s, 0, &entry, NULL) ==
		      NC3Z_OK);
		CHECK_EQ_U64(o.disk.nreads, before + 1);
	}
	/* Then a block is one read. */
	CHECK(fetch(&o, 2, 77) == NC3Z_OK);
	CHECK_EQ_U64(o.disk.nreads, before + 1);
	CHECK(is_right(&k, 2, 77, &o.fetched.block));
	close_reader(&o);
	blob_release(&b);
}

/* Each read fails once: then it is the system's fault, and the next works. */
static void test_failing_reads(void)
{
	struct opened o;
	struct blob b;
	size_t nreads, n;

	make(&small, &b);
	open_reader(&o, &b);
	nreads = o.disk.nreads;
	close_reader(&o);
	for (n = 1; n <= nreads; n++) {
		memset(&o, 0, sizeof(o));
		o.source = disk_open(&o.disk, &b);
		o.disk.fails_at = n;
		CHECK(archive_reader_open(&o.reader, o.source, NULL) ==
		      NC3Z_EIO);
		CHECK(archive_reader_open(&o.reader, o.source, NULL) ==
		      NC3Z_OK);
		close_reader(&o);
	}
	/* A segment of the index, then a record. */
	for (n = 1; n <= 2; n++) {
		open_reader(&o, &b);
		o.disk.fails_at = o.disk.nreads + n;
		CHECK(fetch(&o, 2, 1) == NC3Z_EIO);
		CHECK(o.err.sys_errno == EIO);
		CHECK_EQ_U64(fetch_all(&o, &small), 0);
		close_reader(&o);
	}
	blob_release(&b);
}

/* Bytes of the entry of a block in an index of one segment. */
static uint8_t *entry_at(const struct blob *b, const struct picture *p,
			 uint32_t number)
{
	return b->data + p->index_offset + 16 + (size_t)number * 20;
}

static void mend_segment(const struct blob *b, const struct picture *p)
{
	uint8_t *begin = entry_at(b, p, 0);
	size_t nbytes = p->nblocks * 20;

	/* The CRC of the last record is covered from its place. */
	memcpy(begin + nbytes, b->data + p->trailer_offset + 56, 4);
	store_le32(begin + nbytes, picture_crc32(begin, nbytes + 4));
}

/* Entry number 1 is that of block 1 of stream 0. */
static void check_entry(const uint8_t *entry, const char *reason)
{
	struct picture p;
	struct opened o;
	struct blob b;

	make(&small, &b);
	REQUIRE(CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL));
	memcpy(entry_at(&b, &p, 1), entry, 20);
	mend_segment(&b, &p);
	open_reader(&o, &b);
	CHECK(o.status == NC3Z_OK);
	CHECK(fetch(&o, 0, 1) == NC3Z_EDAMAGED);
	CHECK(strstr(o.err.text, reason) != NULL);
	CHECK_EQ_U64(fetch_all(&o, &small), 1);
	close_reader(&o);
	picture_release(&p);
	blob_release(&b);
}

/* What an entry can say that is not so. */
static void test_wrong_entries(void)
{
	static const char out[] = "index points out of the archive";
	static const char none[] = "a block record is missing here";
	static const char other[] =
		"block record differs from its entry in the index";
	uint64_t offset, index_offset, first;
	uint8_t entry[20], right[20];
	uint32_t nbytes;
	struct picture p;
	struct blob b;

	make(&small, &b);
	REQUIRE(CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL));
	memcpy(right, entry_at(&b, &p, 1), 20);
	offset = load_le64(right);
	nbytes = load_le32(right + 8);
	index_offset = p.index_offset;
	first = p.blocks[0].offset;
	picture_release(&p);

	const struct {
		uint64_t offset;
		uint32_t nbytes;
		const char *reason;
	} cases[] = {
		{ 0, nbytes, out },
		{ first - 1, nbytes, out },
		{ index_offset, nbytes, out },
		{ index_offset - nbytes + 1, nbytes, out },
		{ UINT64_MAX, nbytes, out },
		{ UINT64_MAX - nbytes + 1, nbytes, out },
		{ offset, 0, out },
		{ offset, 45, out },
		{ offset, UINT32_MAX, out },
		{ offset + 1, nbytes, none },
		{ offset - 1, nbytes, none },
		/* Less than the header of the record. */
		{ offset, 46, none },
		{ offset, nbytes - 1, other },
		{ offset, nbytes + 1, other },
		{ first, nbytes, other },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memcpy(entry, right, sizeof(entry));
		store_le64(entry, cases[i].offset);
		store_le32(entry + 8, cases[i].nbytes);
		check_entry(entry, cases[i].reason);
	}
	for (size_t at = 12; at < 20; at++) {
		memcpy(entry, right, sizeof(entry));
		entry[at] ^= 1;
		check_entry(entry, other);
	}
	blob_release(&b);
}

/* Each of two entries points to the other's block. */
static void exchange_entries(uint32_t i, uint32_t k)
{
	uint8_t first[20], second[20];
	struct picture p;
	struct opened o;
	struct blob b;

	make(&small, &b);
	REQUIRE(CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL));
	memcpy(first, entry_at(&b, &p, i), 20);
	memcpy(second, entry_at(&b, &p, k), 20);
	memcpy(entry_at(&b, &p, i), second, 20);
	memcpy(entry_at(&b, &p, k), first, 20);
	mend_segment(&b, &p);
	open_reader(&o, &b);
	CHECK_EQ_U64(fetch_all(&o, &small), 2);
	CHECK(fetch(&o, 0, 0) == NC3Z_EDAMAGED);
	close_reader(&o);
	picture_release(&p);
	blob_release(&b);
}

/* Blocks of one stream, and those with one number. */
static void test_exchanged_entries(void)
{
	exchange_entries(0, 1);
	exchange_entries(0, 3);
}

/* Blocks and index are a sister's, which the trailer tells by the last one. */
static void test_index_of_another(void)
{
	struct kind sister = small;
	struct picture p;
	struct opened o;
	struct blob b, c;

	sister.variant = 1;
	make(&small, &b);
	make(&sister, &c);
	REQUIRE(CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL));
	memcpy(b.data, c.data, p.header_copy_offset);
	open_reader(&o, &b);
	CHECK(o.status == NC3Z_OK);
	CHECK(fetch(&o, 0, 0) == NC3Z_EDAMAGED);
	CHECK(strstr(o.err.text, "belongs to another archive") != NULL);
	CHECK_EQ_U64(fetch_all(&o, &small), 8);
	close_reader(&o);
	picture_release(&p);
	blob_release(&b);
	blob_release(&c);
}

/* The catalogue and the trailer count the blocks. */
static void test_counts_disagree(void)
{
	struct kind more = small;
	struct opened o;
	struct blob b;

	more.nclaimed = 1;
	make(&more, &b);
	open_reader(&o, &b);
	CHECK(o.status == NC3Z_EDAMAGED);
	CHECK(strstr(o.err.text, "catalogue and trailer disagree") != NULL);
	close_reader(&o);
	blob_release(&b);
}

/*
 * The head of the index says nothing more: it is for those who read in one
 * pass.
 */
static void test_index_head(void)
{
	struct picture p;
	struct opened o;
	struct blob b;

	make(&small, &b);
	REQUIRE(CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL));
	memset(b.data + p.index_offset, 'x', 16);
	open_reader(&o, &b);
	CHECK(o.status == NC3Z_OK);
	CHECK_EQ_U64(fetch_all(&o, &small), 0);
	close_reader(&o);
	picture_release(&p);
	blob_release(&b);
}

/* Moves the end of an archive behind a hole that is in no blob. */
static void move_end(const struct blob *b, const struct picture *p,
		     uint64_t nbytes)
{
	uint8_t *trailer = b->data + p->trailer_offset;

	for (size_t at = 8; at <= 32; at += 8)
		store_le64(trailer + at, load_le64(trailer + at) + nbytes);
	store_le32(trailer + 60, picture_crc32(trailer, 60));
}

/*
 * There is room for it in the archive, but no record is as long: no memory is
 * taken for it, and it is not read.
 */
static void test_long_record(void)
{
	static const struct kind k = { .nblocks = { 9, 0, 9, 0 },
				       .payload_nbytes = 100000 };
	const uint64_t hole = UINT64_C(100) << 20;
	struct opened o = { .err = { .status = -1 } };
	struct picture p;
	struct blob b;
	size_t before;

	make(&k, &b);
	REQUIRE(CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL));
	move_end(&b, &p, hole);
	/* The longest record is 72 MiB and some kilobytes. */
	store_le32(entry_at(&b, &p, 1) + 8, UINT32_C(73) << 20);
	mend_segment(&b, &p);
	o.source = disk_open(&o.disk, &b);
	o.source->size += hole;
	o.disk.hole_offset = p.index_offset;
	o.disk.hole_nbytes = hole;
	CHECK(archive_reader_open(&o.reader, o.source, NULL) == NC3Z_OK);
	CHECK_EQ_U64(fetch_all(&o, &k), 1);
	before = o.disk.nreads;
	CHECK(fetch(&o, 0, 1) == NC3Z_EDAMAGED);
	CHECK_EQ_U64(o.disk.nreads, before);
	close_reader(&o);
	picture_release(&p);
	blob_release(&b);
}

/* A source that has no end that could be read. */
static void test_lengths(void)
{
	struct nc3z_source *source;
	struct archive_reader r;
	struct blob b;

	make(&small, &b);
	source = memory_source(b.data, b.nbytes);
	source->can_seek = false;
	CHECK(archive_reader_open(&r, source, NULL) == NC3Z_EINVAL);
	nc3z_source_close(source);
	blob_release(&b);
}

/* What a thread reads. */
struct walker {
	struct archive_reader *reader;
	const struct kind *kind;
	uint32_t nright;
	pthread_t thread;
};

static void *walk(void *argument)
{
	struct archive_fetched fetched = { 0 };
	struct walker *w = argument;

	for (uint32_t i = 0; i < w->kind->nblocks[1]; i++) {
		/* All blocks once, and a new segment at each of the first. */
		uint32_t block = i * 4096 % w->kind->nblocks[1];

		if (archive_reader_block(w->reader, 1, block, &fetched, NULL) ==
			    NC3Z_OK &&
		    is_right(w->kind, 1, block, &fetched.block))
			w->nright++;
	}
	buffer_release(&fetched.record);
	return NULL;
}

static void test_threads(void)
{
	static const struct kind k = { .nblocks = { 0, 9001, 0, 0 },
				       .payload_nbytes = 5 };
	struct walker walkers[NTHREADS];
	struct nc3z_source *source;
	struct archive_reader r;
	struct blob b;

	make(&k, &b);
	source = memory_source(b.data, b.nbytes);
	REQUIRE(archive_reader_open(&r, source, NULL) == NC3Z_OK);
	for (unsigned i = 0; i < NTHREADS; i++) {
		walkers[i] = (struct walker){ .reader = &r, .kind = &k };
		CHECK(pthread_create(&walkers[i].thread, NULL, walk,
				     &walkers[i]) == 0);
	}
	for (unsigned i = 0; i < NTHREADS; i++) {
		pthread_join(walkers[i].thread, NULL);
		CHECK_EQ_U64(walkers[i].nright, 9001);
	}
	archive_reader_release(&r);
	nc3z_source_close(source);
	blob_release(&b);
}

int main(void)
{
	RUN(test_whole_archives);
	RUN(test_segments_when_needed);
	RUN(test_failing_reads);
	RUN(test_wrong_entries);
	RUN(test_exchanged_entries);
	RUN(test_index_of_another);
	RUN(test_counts_disagree);
	RUN(test_index_head);
	RUN(test_long_record);
	RUN(test_lengths);
	RUN(test_threads);
	return check_report();
}
