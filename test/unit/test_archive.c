/* SPDX-License-Identifier: MIT */
/*
 * Archives from the writer to both readers, through memory: the tests of
 * archive_writer.c, archive_scan.c and archive_tail.c.  What the writer makes
 * is looked at with picture_read(), which knows the specification only.
 */
#include "archive/archive.h"
#include "check.h"
#include "in_memory.h"
#include "picture.h"

#define PLAN_NBYTES 90
#define HEADER_NBYTES 100
#define SIGNATURE "\x89HDF\r\n\x1a\n"

/* An archive of so many blocks; what is in them follows from the numbers. */
struct recipe {
	uint32_t nstreams;
	size_t nblocks;
	size_t payload_nbytes;
	uint8_t variant; /* archives that begin alike but differ later */
};

static const struct recipe small = { .nstreams = 3,
				     .nblocks = 7,
				     .payload_nbytes = 40 };

static uint8_t plan[PLAN_NBYTES];
static uint8_t header[HEADER_NBYTES];
static const struct buffer plan_bytes = { .data = plan, .nbytes = PLAN_NBYTES };

static void fill(uint8_t *out, size_t nbytes, uint64_t seed)
{
	for (size_t i = 0; i < nbytes; i++)
		out[i] = (uint8_t)check_random(&seed);
}

static uint32_t stream_of(const struct recipe *r, size_t i)
{
	return (uint32_t)(i * i % 5 % r->nstreams);
}

/* Block number i, with its payload in 'payload'. */
static struct archive_block block_of(const struct recipe *r, size_t i,
				     uint32_t number, uint8_t *payload)
{
	static const uint8_t description[] = "describes a block";

	fill(payload, r->payload_nbytes,
	     i + (i > 2 ? 1000 * (uint64_t)r->variant : 0));
	return (struct archive_block){
		.stream = stream_of(r, i),
		.block = number,
		.raw_nbytes = (uint32_t)(i * 7 + 1 + r->payload_nbytes),
		.raw_crc = (uint32_t)(i * 0x01010101),
		.description = description,
		.description_nbytes = sizeof(description) - i % 4,
		.payload = payload,
		.payload_nbytes = r->payload_nbytes - i % 3,
	};
}

static void put_blocks(const struct recipe *r, struct archive_writer *w,
		       struct archive_catalogue *c)
{
	uint8_t *payload = malloc(r->payload_nbytes);

	for (size_t i = 0; i < r->nblocks; i++) {
		uint32_t *number = &c->stream_nblocks[stream_of(r, i)];
		struct archive_block b = block_of(r, i, *number, payload);
		bool collides = true;

		CHECK(archive_writer_block(w, &b, &collides, NULL) == NC3Z_OK);
		CHECK(!collides);
		++*number;
	}
	free(payload);
}

static void make(const struct recipe *r, struct blob *out)
{
	uint64_t stream_nbytes[8] = { 11, 22, 33 };
	uint32_t stream_nblocks[8] = { 0 };
	struct archive_catalogue c = { .original_nbytes = 987654321,
				       .nstreams = r->nstreams,
				       .stream_nbytes = stream_nbytes,
				       .stream_nblocks = stream_nblocks,
				       .plan = plan,
				       .plan_nbytes = PLAN_NBYTES };
	struct archive_copies copies = {
		.header = { .data = header, .nbytes = HEADER_NBYTES },
	};
	struct archive_writer w;
	struct nc3z_sink *sink;

	*out = (struct blob){ 0 };
	fill(plan, sizeof(plan), 42); /* so that sections are stored */
	fill(header, sizeof(header), 43);
	fill(c.sha256, sizeof(c.sha256), 44);
	REQUIRE(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	CHECK(archive_writer_begin(&w, sink, &plan_bytes, r->nstreams, NULL) ==
	      NC3Z_OK);
	CHECK(archive_identity(plan, PLAN_NBYTES, "raw", 3, w.identity, NULL) ==
	      NC3Z_OK);
	put_blocks(r, &w, &c);
	memcpy(c.identity, w.identity, sizeof(c.identity));
	CHECK(archive_writer_end(&w, &c, &copies, NULL) == NC3Z_OK);
	archive_writer_release(&w);
	memory_sink_take(sink, out);
}

/* The block that was read last against the one that was written. */
static void check_block(const struct recipe *r, size_t i,
			const struct archive_block *found,
			const struct buffer *payload)
{
	uint8_t *bytes = malloc(r->payload_nbytes);
	struct archive_block b = block_of(r, i, found->block, bytes);

	CHECK_EQ_U64(found->stream, b.stream);
	CHECK_EQ_U64(found->raw_nbytes, b.raw_nbytes);
	CHECK_EQ_U64(found->raw_crc, b.raw_crc);
	if (CHECK_EQ_U64(found->description_nbytes, b.description_nbytes))
		CHECK_MEM_EQ(found->description, b.description,
			     b.description_nbytes);
	if (CHECK_EQ_U64(payload->nbytes, b.payload_nbytes))
		CHECK_MEM_EQ(payload->data, b.payload, b.payload_nbytes);
	free(bytes);
}

/* All blocks; 'r' is what they are compared with, if not NULL. */
static int scan_blocks(struct archive_scan *scan, const struct recipe *r,
		       struct nc3z_error *err)
{
	const struct archive_block *block;
	struct buffer payload = { 0 };
	int status = archive_scan_next(scan, &block, err);
	size_t i;

	for (i = 0; status == NC3Z_OK && block; i++) {
		status = archive_scan_payload(scan, &payload, err);
		if (status == NC3Z_OK && r)
			check_block(r, i, block, &payload);
		if (status == NC3Z_OK)
			status = archive_scan_next(scan, &block, err);
	}
	if (status == NC3Z_OK && r)
		CHECK_EQ_U64(i, r->nblocks);
	buffer_release(&payload);
	return status;
}

static void check_catalogue(const struct recipe *r,
			    const struct archive_catalogue *c,
			    const struct archive_trailer *t, size_t nbytes)
{
	uint8_t sha256[SHA256_NBYTES];

	fill(sha256, sizeof(sha256), 44);
	CHECK_EQ_U64(c->original_nbytes, 987654321);
	CHECK_MEM_EQ(c->sha256, sha256, sizeof(sha256));
	CHECK_EQ_U64(c->nstreams, r->nstreams);
	CHECK_EQ_U64(c->stream_nbytes[0], 11);
	if (c->plan_nbytes > 0) {
		CHECK_EQ_U64(c->plan_nbytes, PLAN_NBYTES);
		CHECK_MEM_EQ(c->plan, plan, PLAN_NBYTES);
	}
	CHECK_EQ_U64(t->archive_nbytes, nbytes);
	CHECK_EQ_U64(t->nblocks, r->nblocks);
}

static int scan_source(struct nc3z_source *source, uint32_t nstreams,
		       const struct recipe *r, size_t nbytes,
		       struct nc3z_error *err)
{
	struct archive_catalogue catalogue = { 0 };
	struct archive_trailer trailer;
	struct archive_copies copies = { 0 };
	struct archive_scan scan;
	int status = archive_scan_begin(&scan, source, err);

	if (status == NC3Z_OK && r)
		CHECK(scan.plan.nbytes == PLAN_NBYTES &&
		      memcmp(scan.plan.data, plan, PLAN_NBYTES) == 0);
	if (status == NC3Z_OK)
		status = archive_scan_streams(&scan, nstreams, err);
	if (status == NC3Z_OK)
		status = scan_blocks(&scan, r, err);
	if (status == NC3Z_OK)
		status = archive_scan_end(&scan, &catalogue, &trailer, &copies,
					  err);
	if (status == NC3Z_OK && r) {
		/* Where it is little of it, or the archive is large. */
		CHECK((catalogue.plan_nbytes > 0) ==
		      (trailer.index_offset > 1 << 16 ||
		       copies.header.nbytes > 0));
		check_catalogue(r, &catalogue, &trailer, nbytes);
	}
	catalogue_release(&catalogue);
	archive_copies_release(&copies);
	archive_scan_release(&scan);
	return status;
}

/* Walks through a copy of just that size. */
static int scan_status(const struct blob *b, uint32_t nstreams,
		       const struct recipe *r)
{
	struct exact_read in;

	exact_read_begin(&in, b->data, b->nbytes);
	return exact_read_end(&in, scan_source(in.source, nstreams, r,
					       b->nbytes, &in.err));
}

/* Where the walk through a damaged archive ends. */
static uint64_t damage_offset(const struct blob *b, uint32_t nstreams)
{
	struct nc3z_error err = { 0 };
	struct nc3z_source *source = memory_source(b->data, b->nbytes);

	CHECK(scan_source(source, nstreams, NULL, b->nbytes, &err) ==
	      NC3Z_EDAMAGED);
	nc3z_source_close(source);
	return err.offset;
}

static int tail_status(const struct blob *b, const struct recipe *r)
{
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct buffer contents = { 0 };
	struct exact_read in;
	int status;

	exact_read_begin(&in, b->data, b->nbytes);
	status = archive_tail_read(in.source, &trailer, &catalogue, &contents,
				   &in.err);
	if (status == NC3Z_OK) {
		if (r) {
			CHECK(catalogue.plan_nbytes > 0);
			check_catalogue(r, &catalogue, &trailer, b->nbytes);
		}
		catalogue_release(&catalogue);
	}
	buffer_release(&contents);
	return exact_read_end(&in, status);
}

static void check_round_trip(const struct recipe *r)
{
	struct picture p;
	struct blob b;

	make(r, &b);
	CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL);
	CHECK_EQ_U64(p.nblocks, r->nblocks);
	CHECK_EQ_U64(p.original_nbytes, 987654321);
	/* Section 9: it is left out where it would be more than 1 %. */
	if (p.index_offset > 1 << 20 || r->nblocks >= 4096) {
		CHECK_EQ_U64(p.header_copy.nbytes, HEADER_NBYTES);
		CHECK_MEM_EQ(p.header_copy.data, header, HEADER_NBYTES);
	} else {
		CHECK_EQ_U64(p.header_copy.nbytes, 0);
	}
	CHECK_EQ_U64(p.stream_copies.nbytes, 0);
	CHECK(scan_status(&b, r->nstreams, r) == NC3Z_OK);
	CHECK(tail_status(&b, r) == NC3Z_OK);
	picture_release(&p);
	blob_release(&b);
}

static void test_round_trips(void)
{
	static const struct recipe recipes[] = {
		{ .nstreams = 3, .nblocks = 7, .payload_nbytes = 40 },
		{ .nstreams = 1, .nblocks = 1, .payload_nbytes = 3 },
		{ .nstreams = 3, .nblocks = 20, .payload_nbytes = 80000 },
		{ .nstreams = 2, .nblocks = 4096, .payload_nbytes = 3 },
		{ .nstreams = 3, .nblocks = 9000, .payload_nbytes = 3 },
	};

	for (size_t i = 0; i < sizeof(recipes) / sizeof(*recipes); i++)
		check_round_trip(&recipes[i]);
}

/* Section 6.1: an archive has at least one block. */
static void test_no_blocks(void)
{
	static const struct recipe empty = { .nstreams = 1,
					     .payload_nbytes = 3 };
	struct blob b;

	make(&empty, &b);
	CHECK(scan_status(&b, 1, NULL) == NC3Z_EDAMAGED);
	CHECK(tail_status(&b, NULL) == NC3Z_EDAMAGED);
	blob_release(&b);
}

static void test_appended_bytes(void)
{
	static const size_t lengths[] = { 1, 3, 64, 1000 };

	for (size_t i = 0; i < 4; i++) {
		struct blob b;

		make(&small, &b);
		blob_fill(&b, 0, lengths[i]);
		CHECK(scan_status(&b, 3, NULL) == NC3Z_EDAMAGED);
		CHECK(tail_status(&b, NULL) == NC3Z_EDAMAGED);
		blob_release(&b);
	}
}

/* Two archives in one file; the trailer twice. */
static void test_appended_archive(void)
{
	struct blob b, twice = { 0 };

	make(&small, &b);
	blob_put(&twice, b.data, b.nbytes);
	blob_put(&twice, b.data, b.nbytes);
	CHECK(scan_status(&twice, 3, NULL) == NC3Z_EDAMAGED);
	CHECK(tail_status(&twice, NULL) == NC3Z_EDAMAGED);
	twice.nbytes = b.nbytes;
	blob_put(&twice, b.data + b.nbytes - 64, 64);
	CHECK(scan_status(&twice, 3, NULL) == NC3Z_EDAMAGED);
	CHECK(tail_status(&twice, NULL) == NC3Z_EDAMAGED);
	blob_release(&b);
	blob_release(&twice);
}

/* A file of another kind. */
static void test_other_files(void)
{
	static const char *const files[] = {
		"",
		"C",
		"CDF\1",
		"\x89HDF\r\n\x1a\n",
		"\x1f\x8b\x08",
		"a text that is longer than all the magics there are, and on"
	};

	for (size_t i = 0; i < 6; i++) {
		struct blob b = { 0 };

		blob_put(&b, files[i], strlen(files[i]));
		CHECK(scan_status(&b, 1, NULL) == NC3Z_ENOTARCHIVE);
		CHECK(tail_status(&b, NULL) == NC3Z_ENOTARCHIVE);
		blob_release(&b);
	}
}

/* Appends bytes [begin, end) of one archive to another. */
static void put_range(struct blob *out, const struct blob *b, size_t begin,
		      size_t end)
{
	blob_put(out, b->data + begin, end - begin);
}

/* One block left out, or two exchanged: the chain says so, and where. */
static void test_blocks_moved(void)
{
	struct picture p;
	struct blob b;

	make(&small, &b);
	CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL);
	for (size_t i = 0; i + 1 < p.nblocks; i++) {
		size_t first = p.blocks[i].offset;
		size_t second = p.blocks[i + 1].offset;
		size_t end = i + 2 < p.nblocks ? p.blocks[i + 2].offset :
						 p.index_offset;
		struct blob cut = { 0 }, swapped = { 0 };

		put_range(&cut, &b, 0, first);
		put_range(&cut, &b, second, b.nbytes);
		CHECK_EQ_U64(damage_offset(&cut, 3), first);
		put_range(&swapped, &b, 0, first);
		put_range(&swapped, &b, second, end);
		put_range(&swapped, &b, first, second);
		put_range(&swapped, &b, end, b.nbytes);
		CHECK_EQ_U64(damage_offset(&swapped, 3), first);
		blob_release(&cut);
		blob_release(&swapped);
	}
	picture_release(&p);
	blob_release(&b);
}

/* Everything from some block on is that of an archive that begins alike. */
static void test_sister_archive(void)
{
	struct recipe other = small;
	struct picture p, q;
	struct blob a, b;

	other.variant = 1;
	make(&small, &a);
	make(&other, &b);
	CHECK_STR_EQ(picture_read(&p, a.data, a.nbytes), NULL);
	CHECK_STR_EQ(picture_read(&q, b.data, b.nbytes), NULL);
	REQUIRE(a.nbytes == b.nbytes);
	CHECK_MEM_EQ(p.identity, q.identity, PICTURE_IDENTITY_NBYTES);
	for (size_t i = 4; i <= p.nblocks; i++) {
		size_t at = i < p.nblocks ? p.blocks[i].offset : p.index_offset;
		struct blob spliced = { 0 };

		put_range(&spliced, &a, 0, at);
		put_range(&spliced, &b, at, b.nbytes);
		/* The index is compared segment by segment. */
		CHECK_EQ_U64(damage_offset(&spliced, 3),
			     i < p.nblocks ? at : at + 16);
		blob_release(&spliced);
	}
	picture_release(&p);
	picture_release(&q);
	blob_release(&a);
	blob_release(&b);
}

static void put_u32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Adds to a field of the trailer and makes its CRC right again. */
static void test_trailer_fields(void)
{
	static const struct {
		size_t at;
		int status;
	} fields[] = {
		{ 4, NC3Z_EDAMAGED },  { 6, NC3Z_EDAMAGED },
		{ 8, NC3Z_EDAMAGED },  { 16, NC3Z_EDAMAGED },
		{ 24, NC3Z_EDAMAGED }, { 32, NC3Z_EDAMAGED },
		{ 40, NC3Z_EDAMAGED }, { 48, NC3Z_EDAMAGED },
		{ 56, NC3Z_EDAMAGED },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		struct blob b;
		uint8_t *t;

		make(&small, &b);
		t = b.data + b.nbytes - 64;
		t[fields[i].at]++;
		put_u32(t + 60, picture_crc32(t, 60));
		CHECK(scan_status(&b, 3, NULL) == fields[i].status);
		blob_release(&b);
	}
}

/* The archive again with other contents of the catalogue. */
static void replace_catalogue(const struct picture *p,
			      const struct blob *contents, struct blob *out)
{
	size_t begin = p->catalogue_offset, t;

	*out = (struct blob){ 0 };
	blob_put(out, p->data, begin);
	blob_put(out, "N3CT\0\0\0\0", 8);
	blob_le(out, contents->nbytes, 4);
	blob_le(out, contents->nbytes, 4);
	blob_le(out, picture_crc32(contents->data, contents->nbytes), 4);
	blob_le(out, picture_crc32(out->data + begin, 20), 4);
	blob_put(out, contents->data, contents->nbytes);
	t = out->nbytes;
	blob_put(out, p->data + p->trailer_offset, 64);
	put_u32(out->data + t + 32, (uint32_t)t + 64);
	put_u32(out->data + t + 60, picture_crc32(out->data + t, 60));
}

static void check_catalogue_fields(const struct recipe *r, size_t nplaces)
{
	/* identity, number of streams, blocks of stream 1, the plan */
	static const size_t places[] = { 0, 7, 48, 72, 88, 100 };
	struct blob b, changed;
	struct picture p;

	make(r, &b);
	CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL);
	replace_catalogue(&p, &p.catalogue, &changed);
	CHECK(scan_status(&changed, 3, r) == NC3Z_OK);
	CHECK(tail_status(&changed, r) == NC3Z_OK);
	for (size_t i = 0; i < nplaces; i++) {
		blob_release(&changed);
		p.catalogue.data[places[i]]++;
		replace_catalogue(&p, &p.catalogue, &changed);
		CHECK(scan_status(&changed, 3, NULL) == NC3Z_EDAMAGED);
		p.catalogue.data[places[i]]--;
	}
	/* A byte more or less. */
	for (int more = 0; more < 2; more++) {
		blob_release(&changed);
		if (more)
			blob_put(&p.catalogue, "12", 2);
		else
			p.catalogue.nbytes--;
		replace_catalogue(&p, &p.catalogue, &changed);
		CHECK(scan_status(&changed, 3, NULL) == NC3Z_EDAMAGED);
	}
	blob_release(&changed);
	picture_release(&p);
	blob_release(&b);
}

static void test_catalogue_fields(void)
{
	static const struct recipe large = { .nstreams = 3,
					     .nblocks = 7,
					     .payload_nbytes = 10000 };

	check_catalogue_fields(&small, 4);
	check_catalogue_fields(&large, 6);
}

/* More streams in the archive than its plan has. */
static void test_fewer_streams(void)
{
	struct blob b;

	make(&small, &b);
	for (uint32_t n = 0; n < 6; n++)
		CHECK(scan_status(&b, n, NULL) ==
		      (n == 3 ? NC3Z_OK : NC3Z_EDAMAGED));
	blob_release(&b);
}

/* A writer that stands at an offset, for a block to be tried there. */
static void begin_at(struct archive_writer *w, struct nc3z_sink **sink,
		     uint64_t position)
{
	REQUIRE(nc3z_sink_open_memory(1 << 26, sink, NULL) == NC3Z_OK);
	REQUIRE(archive_writer_begin(w, *sink, &plan_bytes, 1, NULL) ==
		NC3Z_OK);
	while ((*sink)->position < position)
		CHECK(sink_append(*sink, "x", 1, NULL) == NC3Z_OK);
}

static bool collides_at(uint64_t position, const struct archive_block *block)
{
	struct archive_writer w;
	struct nc3z_sink *sink;
	bool collides = false;

	begin_at(&w, &sink, position);
	CHECK(archive_writer_block(&w, block, &collides, NULL) == NC3Z_OK);
	if (collides) {
		CHECK_EQ_U64(sink->position, position);
		CHECK_EQ_U64(w.index.nblocks, 0);
	} else {
		CHECK(sink->position > position);
		CHECK_EQ_U64(w.index.nblocks, 1);
	}
	archive_writer_release(&w);
	nc3z_sink_close(sink);
	return collides;
}

static bool is_foreign_offset(uint64_t offset)
{
	while (offset > 512 && offset % 2 == 0)
		offset /= 2;
	return offset == 512;
}

/* The signature at every place around the offsets where it counts. */
static void test_foreign_signature(void)
{
	uint8_t payload[5000];
	struct archive_block block = { .raw_nbytes = 1,
				       .payload = payload,
				       .payload_nbytes = sizeof(payload) };
	const uint64_t position = 300, payload_offset = position + 46;

	for (uint64_t at = payload_offset; at < payload_offset + 4992; at++) {
		if (at % 512 > 2 && at % 512 < 510 && at % 97 != 0)
			continue;
		memset(payload, 'x', sizeof(payload));
		memcpy(payload + (at - payload_offset), SIGNATURE, 8);
		CHECK(collides_at(position, &block) == is_foreign_offset(at));
	}
}

/* In the description, and at the very end of the payload. */
static void test_foreign_signature_elsewhere(void)
{
	uint8_t description[100];
	struct archive_block block = {
		.raw_nbytes = 1,
		.description = description,
		.description_nbytes = sizeof(description),
		.payload = (const uint8_t *)SIGNATURE,
		.payload_nbytes = 8,
	};

	memset(description, 'x', sizeof(description));
	CHECK(collides_at(1024 - 146, &block));
	CHECK(!collides_at(1025 - 146, &block));
	block.payload_nbytes = 7;
	CHECK(!collides_at(1024 - 146, &block));
	memcpy(description + 50, SIGNATURE, 8);
	CHECK(collides_at(512 - 42 - 50, &block));
	CHECK(!collides_at(513 - 42 - 50, &block));
}

/* The CRC that a record header gets, behind that of the plan. */
static uint32_t header_crc(const struct archive_block *block)
{
	struct archive_writer w;
	struct nc3z_sink *sink;
	struct buffer record = { 0 };
	uint32_t crc;

	begin_at(&w, &sink, 0);
	CHECK(block_record_write(block, w.identity, w.previous_crc, &record,
				 NULL) == NC3Z_OK);
	crc = picture_u32(record.data + record.nbytes - 4);
	buffer_release(&record);
	archive_writer_release(&w);
	nc3z_sink_close(sink);
	return crc;
}

/*
 * Which of 32 numbers have an exclusive or of 'wanted': elimination, from the
 * highest bit to the lowest.
 */
static uint32_t combine(const uint32_t numbers[32], uint32_t wanted)
{
	uint32_t rest[32], picked[32], result = 0;
	unsigned used = 0;

	for (unsigned i = 0; i < 32; i++) {
		rest[i] = numbers[i];
		picked[i] = UINT32_C(1) << i;
	}
	for (unsigned bit = 32; bit-- > 0; used++) {
		unsigned p = used;
		uint32_t r, k;

		while (p < 31 && !(rest[p] >> bit & 1))
			p++;
		r = rest[p];
		k = picked[p];
		rest[p] = rest[used];
		picked[p] = picked[used];
		for (unsigned i = used + 1; i < 32; i++)
			if (rest[i] >> bit & 1) {
				rest[i] ^= r;
				picked[i] ^= k;
			}
		if (wanted >> bit & 1) {
			wanted ^= r;
			result ^= k;
		}
	}
	return result;
}

/* Chooses the raw CRC so that the header's CRC becomes 'wanted'. */
static void force_header_crc(struct archive_block *block, uint32_t wanted)
{
	uint32_t effects[32], plain;

	block->raw_crc = 0;
	plain = header_crc(block);
	for (unsigned i = 0; i < 32; i++) {
		block->raw_crc = UINT32_C(1) << i;
		effects[i] = header_crc(block) ^ plain;
	}
	block->raw_crc = combine(effects, wanted ^ plain);
	CHECK_EQ_U64(header_crc(block), wanted);
}

/* The signature where header and payload meet, 'n' bytes in the header. */
static void check_seam(size_t n)
{
	uint8_t end[] = "xxxxxxxxxxxx", description[20] = { 0 };
	struct archive_block block = {
		.raw_nbytes = 1,
		.description = description,
		.description_nbytes = sizeof(description),
		.payload = (const uint8_t *)SIGNATURE + n,
		.payload_nbytes = 8 - n,
	};
	const uint64_t position = 1024 + n - 46 - sizeof(description);

	/* The last 12 bytes of the header: of the description, the CRC. */
	memcpy(end + 12 - n, SIGNATURE, n);
	memcpy(description + 12, end, 8);
	force_header_crc(&block, picture_u32(end + 8));
	CHECK(collides_at(position, &block));
	CHECK(!collides_at(position + 1, &block));
	block.payload_nbytes--;
	CHECK(!collides_at(position, &block));
}

static void test_foreign_signature_at_seams(void)
{
	for (size_t n = 1; n < 8; n++)
		check_seam(n);
}

int main(void)
{
	RUN(test_round_trips);
	RUN(test_no_blocks);
	RUN(test_appended_bytes);
	RUN(test_appended_archive);
	RUN(test_other_files);
	RUN(test_blocks_moved);
	RUN(test_sister_archive);
	RUN(test_trailer_fields);
	RUN(test_catalogue_fields);
	RUN(test_fewer_streams);
	RUN(test_foreign_signature);
	RUN(test_foreign_signature_elsewhere);
	RUN(test_foreign_signature_at_seams);
	return check_report();
}
