/* SPDX-License-Identifier: MIT */
/*
 * Files in which blocks equal each other, packed at once and in parts, read in
 * order and at random, damaged and salvaged.
 */
#include "check.h"
#include "in_memory.h"
#include "nc3z_tools.h"
#include "picture.h"
#include "pipes.h"
#include "shape.h"

#define REACH (UINT32_C(1) << 25)
#define NRECORDS 6

/* What is the same in each record, and what is not: 16 KiB of a record each. */
static void make_static(struct blob *file)
{
	struct shape shape = {
		.version = 1,
		.numrecs = NRECORDS,
		.ndims = 2,
		.dims = { 0, 4096 },
		.nvars = 2,
		.vars = { { .type = 5, .rank = 2, .dimids = { 0, 1 } },
			  { .type = 5, .rank = 2, .dimids = { 0, 1 } } },
	};
	uint64_t seed = 36;

	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, file);
	for (size_t r = 1; r < NRECORDS; r++)
		memcpy(file->data + shape.vars[0].begin + r * 32768,
		       file->data + shape.vars[0].begin, 16384);
}

/* Two variables of 'nbytes' with 'between' bytes of another between them. */
static void make_far(struct blob *file, uint32_t nbytes, uint32_t between,
		     const uint8_t *change)
{
	struct shape shape = {
		.version = 2,
		.ndims = 2,
		.dims = { nbytes, between },
		.nvars = 3,
		.vars = { { .type = 1, .rank = 1, .dimids = { 0 } },
			  { .type = 1, .rank = 1, .dimids = { 1 } },
			  { .type = 1, .rank = 1, .dimids = { 0 } } },
	};
	uint64_t seed = 37;
	uint8_t *last;

	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, file);
	last = file->data + shape.vars[2].begin;
	memcpy(last, file->data + shape.vars[0].begin, nbytes);
	for (unsigned i = 0; change && i < 5; i++)
		last[i] ^= change[i];
}

static struct nc3z_pack_options pack_options(int level, uint32_t block_nbytes)
{
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.level = level;
	options.block_nbytes = block_nbytes;
	return options;
}

static size_t count_duplicates(const struct picture *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nblocks; i++)
		n += p->blocks[i].is_duplicate;
	return n;
}

static int restore(struct nc3z_source *source, uint64_t max_memory_nbytes,
		   struct blob *out)
{
	struct nc3z_restore_options options;
	struct nc3z_sink *sink = memory_sink();
	int status;

	nc3z_restore_options_init(&options);
	if (max_memory_nbytes > 0)
		options.max_memory_nbytes = max_memory_nbytes;
	status = nc3z_restore(source, sink, &options, NULL, NULL);
	memory_sink_take(sink, out);
	return status;
}

static void check_same(const struct blob *a, struct blob *b)
{
	CHECK_EQ_U64(a->nbytes, b->nbytes);
	if (a->nbytes == b->nbytes)
		CHECK_MEM_EQ(a->data, b->data, a->nbytes);
	blob_release(b);
}

/* In order from memory and from a pipe, at random, and verified quickly. */
static void check_readers(const struct blob *file, const struct blob *archive)
{
	struct nc3z_source *source =
		memory_source(archive->data, archive->nbytes);
	struct nc3z_restore_options quick;
	struct nc3z_file *opened = NULL;
	struct blob out = { 0 };
	struct feeder feeder;
	size_t got;

	CHECK(restore(source, 0, &out) == NC3Z_OK);
	check_same(file, &out);
	CHECK(restore(source, 1, &out) == NC3Z_OK);
	check_same(file, &out);
	nc3z_restore_options_init(&quick);
	CHECK(nc3z_verify_quick(source, &quick, NULL, NULL) == NC3Z_OK);
	nc3z_source_close(source);

	feeder_start(&feeder, archive->data, archive->nbytes, 70001);
	CHECK(nc3z_source_open_fd(feeder.read_fd, &source, NULL) == NC3Z_OK);
	CHECK(restore(source, 0, &out) == NC3Z_OK);
	check_same(file, &out);
	nc3z_source_close(source);
	feeder_stop(&feeder);

	source = memory_source(archive->data, archive->nbytes);
	CHECK(nc3z_open_source(source, NULL, &opened, NULL) == NC3Z_OK);
	CHECK(nc3z_pread(opened, blob_extend(&out, file->nbytes), file->nbytes,
			 0, &got, NULL) == NC3Z_OK);
	check_same(file, &out);
	nc3z_close(opened);
}

static void test_static(void)
{
	struct nc3z_pack_options options = pack_options(5, 16384);
	struct blob file = { 0 }, archive = { 0 };
	struct picture p;

	make_static(&file);
	memory_pack(&file, &options, &archive);
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	CHECK_EQ_U64(count_duplicates(&p), NRECORDS - 1);
	check_readers(&file, &archive);
	picture_release(&p);
	blob_release(&archive);
	blob_release(&file);
}

/* With too little memory for chunks, blocks are decoded once for each slice. */
static void test_chunked(void)
{
	static const char *const chunks[] = { "d0/2,d1/1024" };
	struct nc3z_pack_options options = pack_options(5, 16384);
	struct blob file = { 0 }, archive = { 0 };
	struct picture p;

	options.chunks = chunks;
	options.nchunks = 1;
	make_static(&file);
	memory_pack(&file, &options, &archive);
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	CHECK_EQ_U64(count_duplicates(&p), 4 * (NRECORDS / 2 - 1));
	check_readers(&file, &archive);
	picture_release(&p);
	blob_release(&archive);
	blob_release(&file);
}

/* Packs the two variables so far apart; the picture is to be released. */
static void pack_far(uint32_t between, struct blob *file, struct blob *archive,
		     struct picture *p)
{
	/* As it is: lengths in the archive follow from those in the file. */
	struct nc3z_pack_options options = pack_options(0, 1 << 20);

	make_far(file, 65536, between, NULL);
	memory_pack(file, &options, archive);
	CHECK_STR_EQ(picture_read(p, archive->data, archive->nbytes), NULL);
}

/* The last duplicate that may be, and the first block too far away. */
static void test_reach(void)
{
	struct blob file = { 0 }, archive = { 0 };
	struct picture p;
	const struct picture_block *last;
	/* Half of a block is free. */
	uint32_t between = REACH - (1 << 19) - 1000;

	pack_far(between, &file, &archive, &p);
	last = &p.blocks[p.nblocks - 1];
	REQUIRE(last->is_duplicate);
	/* Its record has 44 bytes, and the index is behind it. */
	between += (REACH - (uint32_t)(p.index_offset - 44 - last->offset)) /
		   4 * 4;
	/* Variables are padded to four bytes. */
	for (uint32_t more = 0; more <= 4; more += 4) {
		picture_release(&p);
		blob_release(&archive);
		blob_release(&file);
		pack_far(between + more, &file, &archive, &p);
		last = &p.blocks[p.nblocks - 1];
		CHECK(last->is_duplicate == (more == 0));
		if (last->is_duplicate)
			CHECK(p.index_offset - 44 - last->offset > REACH - 4);
		check_readers(&file, &archive);
	}
	picture_release(&p);
	blob_release(&archive);
	blob_release(&file);
}

/* Other bytes with the same CRC: they differ by its polynomial. */
static void test_same_crc(void)
{
	static const uint8_t polynomial[5] = { 0x41, 0x06, 0x71, 0xdb, 0x01 };
	struct nc3z_pack_options options = pack_options(5, 1 << 20);
	struct blob file = { 0 }, archive = { 0 };
	struct picture p;

	make_far(&file, 5000, 100000, polynomial);
	memory_pack(&file, &options, &archive);
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	CHECK_EQ_U64(p.blocks[1].raw_crc, p.blocks[p.nblocks - 1].raw_crc);
	CHECK_EQ_U64(count_duplicates(&p), 0);
	check_readers(&file, &archive);
	picture_release(&p);
	blob_release(&archive);
	blob_release(&file);
}

/* Duplicates of a block in another part are found when parts are joined. */
static void test_parts(void)
{
	struct nc3z_pack_options options = pack_options(5, 16384);
	struct blob file = { 0 }, whole = { 0 }, joined = { 0 };
	struct blob parts[4] = { { 0 } };
	struct nc3z_source *sources[4], *source;
	struct nc3z_sink *sink;

	make_static(&file);
	memory_pack(&file, &options, &whole);
	for (uint32_t i = 0; i < 4; i++) {
		const struct nc3z_part part = { .number = i,
						.count = i ? 3 : 0 };

		source = memory_source(file.data, file.nbytes);
		sink = memory_sink();
		CHECK(nc3z_pack_part(source, sink, &options, &part, NULL,
				     NULL) == NC3Z_OK);
		memory_sink_take(sink, &parts[i]);
		nc3z_source_close(source);
		sources[i] = memory_source(parts[i].data, parts[i].nbytes);
	}
	sink = memory_sink();
	CHECK(nc3z_join(sources, 4, sink, NULL, NULL, NULL) == NC3Z_OK);
	memory_sink_take(sink, &joined);
	check_same(&whole, &joined);
	for (size_t i = 0; i < 4; i++) {
		nc3z_source_close(sources[i]);
		blob_release(&parts[i]);
	}
	blob_release(&whole);
	blob_release(&file);
}

static uint64_t salvage(const struct blob *archive, struct blob *out)
{
	struct nc3z_source *source =
		memory_source(archive->data, archive->nbytes);
	struct nc3z_salvage_report *report = NULL;
	struct nc3z_sink *sink = memory_sink();
	uint64_t nbytes_lost = UINT64_MAX;

	if (CHECK(nc3z_salvage(&source, 1, sink, NULL, &report, NULL) ==
		  NC3Z_OK))
		nbytes_lost = report->nbytes_lost;
	nc3z_salvage_report_free(report);
	memory_sink_take(sink, out);
	nc3z_source_close(source);
	return nbytes_lost;
}

/* A block that is lost takes its duplicates with it, and a duplicate none. */
static void test_salvage(void)
{
	struct nc3z_pack_options options = pack_options(5, 16384);
	struct blob file = { 0 }, archive = { 0 }, out = { 0 };
	struct picture p;
	uint8_t *payload = NULL;

	make_static(&file);
	memory_pack(&file, &options, &archive);
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	CHECK_EQ_U64(salvage(&archive, &out), 0);
	check_same(&archive, &out);
	for (size_t i = 0; i < p.nblocks; i++)
		if (p.blocks[i].is_duplicate)
			payload = archive.data +
				  (p.blocks[i].payload - archive.data);
	REQUIRE(payload);
	payload[0] ^= 1;
	CHECK_EQ_U64(salvage(&archive, &out), NRECORDS * 16384);
	payload[0] ^= 1;
	blob_release(&out);
	for (size_t i = 0; i + 4 < archive.nbytes; i++)
		if (memcmp(archive.data + i, "N3DU", 4) == 0) {
			archive.data[i] ^= 1;
			CHECK_EQ_U64(salvage(&archive, &out), 16384);
			archive.data[i] ^= 1;
			blob_release(&out);
			break;
		}
	picture_release(&p);
	blob_release(&archive);
	blob_release(&file);
}

int main(void)
{
	RUN(test_static);
	RUN(test_chunked);
	RUN(test_reach);
	RUN(test_same_crc);
	RUN(test_parts);
	RUN(test_salvage);
	return check_report();
}
