/* SPDX-License-Identifier: MIT */
/*
 * Split blocks put together by hand, with stored parts, by sections 6.3 and
 * 7.4 of the specification: its examples, and each rule broken.
 */
#include "blob.h"
#include "block/block.h"
#include "check.h"

static struct block_coder coder;

/* Descriptions and payloads grow side by side. */
struct block {
	struct blob description;
	struct blob payload;
	size_t raw_nbytes;
};

static void begin(struct block *b, unsigned nsplits, unsigned width,
		  size_t raw_nbytes)
{
	*b = (struct block){ .raw_nbytes = raw_nbytes };
	blob_le(&b->description, nsplits, 1);
	blob_le(&b->description, width, 1);
	blob_le(&b->description, 0, 1);
}

static void add_drop(struct block *b, uint32_t value, uint32_t stride)
{
	blob_le(&b->description, BLOCK_DROP, 1);
	blob_be(&b->description, value, 4);
	blob_le(&b->description, stride, 4);
}

static void add_fraction(struct block *b, uint64_t divisor, unsigned x,
			 int64_t minimum)
{
	blob_le(&b->description, BLOCK_FRACTION, 1);
	blob_le(&b->description, divisor, 8);
	blob_le(&b->description, 1, 8);
	blob_le(&b->description, x, 1);
	blob_le(&b->description, (uint64_t)minimum, 8);
}

/* Stored, with a delta of this stride unless it is 0. */
static void add_part(struct block *b, unsigned width, uint32_t stride,
		     const void *bytes, size_t nbytes)
{
	struct blob *d = &b->description;

	blob_le(d, NC3Z_CODEC_STORE, 1);
	blob_le(d, width, 1);
	blob_le(d, stride > 0, 1);
	if (stride > 0) {
		blob_le(d, NC3Z_FILTER_DELTA, 1);
		blob_le(d, stride, 4);
	}
	blob_le(d, nbytes, 4);
	blob_le(d, nbytes, 4);
	blob_put(&b->payload, bytes, nbytes);
}

/* Decodes from memory of just the right size, and releases. */
static int decode(struct block *b, const uint8_t *expected)
{
	size_t dn = b->description.nbytes, pn = b->payload.nbytes;
	uint8_t *d = malloc(dn), *p = malloc(pn + 1);
	uint8_t *out = malloc(b->raw_nbytes);
	const struct block_view view = { d, dn, p, pn };
	int status;

	memcpy(d, b->description.data, dn);
	if (pn > 0)
		memcpy(p, b->payload.data, pn);
	status = block_decode(&coder, &view, out, b->raw_nbytes, NULL);
	if (expected && CHECK(status == NC3Z_OK))
		CHECK_MEM_EQ(out, expected, b->raw_nbytes);
	free(d);
	free(p);
	free(out);
	blob_release(&b->description);
	blob_release(&b->payload);
	return status;
}

/* What to change in the example of the specification. */
struct example {
	uint8_t mask[9];
	size_t mask_nbytes;
	uint32_t places[2];
	size_t nplaces;
	size_t nvalues;
	unsigned main_width;
	size_t main_nbytes;
	uint64_t divisor;
	unsigned x;
};

static const struct example right = {
	.mask = { 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	.mask_nbytes = 8,
	.places = { 3 },
	.nplaces = 1,
	.nvalues = 1,
	.main_width = 1,
	.main_nbytes = 5,
	.divisor = 100,
	.x = 1,
};

static void make_example(struct block *b, const struct example *e)
{
	static const uint8_t values[] = { 0x7f, 0xc0, 0, 0, 0x7f, 0xc0, 0, 1 };
	static const uint8_t main_part[40] = { 0x19, 0xe7, 0x32, 0x00, 0x4b };
	uint8_t places[8];

	for (unsigned i = 0; i < 8; i++)
		places[i] = (uint8_t)(e->places[i / 4] >> 8 * (3 - i % 4));
	begin(b, 2, 4, 256);
	add_drop(b, 0, 0);
	add_fraction(b, e->divisor, e->x, 25);
	add_part(b, 1, 0, e->mask, e->mask_nbytes);
	add_part(b, 4, 0, places, e->nplaces * 4);
	add_part(b, 4, 0, values, e->nvalues * 4);
	add_part(b, e->main_width, 1, main_part, e->main_nbytes);
}

static void test_example(void)
{
	static const uint8_t description[] = {
		0x02, 0x04, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x03, 0x64, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
		0x19, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
		0x00, 0x08, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
		0x04, 0x00, 0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
		0x00, 0x04, 0x00, 0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
		0x00, 0x00, 0x01, 0x01, 0x02, 0x01, 0x00, 0x00, 0x00, 0x05,
		0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00,
	};
	static const uint8_t raw[256] = {
		0x3f, 0, 0,    0,    0x3e, 0x80, 0,    0,    0x3f, 0x40,
		0,    0, 0x7f, 0xc0, 0,    0,    0x3f, 0xc0, 0,    0,
	};
	struct block b;

	make_example(&b, &right);
	CHECK_EQ_U64(b.description.nbytes, sizeof(description));
	CHECK_MEM_EQ(b.description.data, description, sizeof(description));
	CHECK(decode(&b, raw) == NC3Z_OK);
}

/* The example with one thing wrong. */
#define CHECK_WRONG(change) \
	do { \
		struct example e = right; \
		struct block b; \
\
		change; \
		make_example(&b, &e); \
		CHECK(decode(&b, NULL) == NC3Z_EDAMAGED); \
	} while (0)

static void test_wrong_masks(void)
{
	CHECK_WRONG(e.mask_nbytes = 7);
	CHECK_WRONG(e.mask_nbytes = 9);
	CHECK_WRONG(e.mask_nbytes = 0);
	CHECK_WRONG(e.mask[0] = 0xff); /* no hole fewer: none is kept */
	CHECK_WRONG(e.mask[0] = 0xf0);
	CHECK_WRONG(e.mask[7] = 0x7f);
}

static void test_wrong_exceptions(void)
{
	CHECK_WRONG(e.places[0] = 64);
	CHECK_WRONG(e.places[0] = UINT32_MAX);
	CHECK_WRONG(e.nplaces = 2);
	CHECK_WRONG(e.nvalues = 2);
	CHECK_WRONG(e.nvalues = 0);
	CHECK_WRONG(e.nplaces = e.nvalues = 2; e.places[1] = 3);
	CHECK_WRONG(e.nplaces = e.nvalues = 2; e.places[1] = 2);
	CHECK_WRONG(e.x = 0);
	CHECK_WRONG(e.x = 2);
	CHECK_WRONG(e.divisor = 0);
	CHECK_WRONG(e.divisor = (UINT64_C(1) << 53) + 1);
}

static void test_wrong_main_parts(void)
{
	CHECK_WRONG(e.main_nbytes = 4);
	CHECK_WRONG(e.main_nbytes = 6);
	CHECK_WRONG(e.main_nbytes = 0);
	CHECK_WRONG(e.main_width = 2);
	CHECK_WRONG(e.main_width = 8; e.main_nbytes = 40);
	CHECK_WRONG(e.main_width = 3);
}

/* 13 shorts out of three, ranks of one byte. */
static void make_palette(struct block *b, size_t table_nbytes, unsigned rank)
{
	static const uint8_t table[] = { 0, 1, 0xff, 2, 3, 4 };
	uint8_t ranks[13] = { 0, 1, 2, 2, 1, 0, 0, 1, 2, 1, 0, 2, 0 };

	ranks[12] = (uint8_t)rank;
	begin(b, 1, 2, 26);
	blob_le(&b->description, BLOCK_PALETTE, 1);
	add_part(b, 2, 0, table, table_nbytes);
	add_part(b, 1, 0, ranks, 13);
}

static void test_palettes(void)
{
	static const uint8_t raw[] = { 0,    1, 0xff, 2, 3, 4,    3, 4, 0xff,
				       2,    0, 1,    0, 1, 0xff, 2, 3, 4,
				       0xff, 2, 0,    1, 3, 4,    0, 1 };
	struct block b;

	make_palette(&b, 6, 0);
	CHECK(decode(&b, raw) == NC3Z_OK);
	for (unsigned rank = 0; rank < 256; rank++) {
		make_palette(&b, 6, rank);
		CHECK(decode(&b, NULL) == (rank < 3 ? NC3Z_OK : NC3Z_EDAMAGED));
	}
	for (size_t nbytes = 0; nbytes < 6; nbytes++) {
		make_palette(&b, nbytes, 0);
		CHECK(decode(&b, NULL) == NC3Z_EDAMAGED);
	}
	/* One value more than there may be; more ranks than bits. */
	for (size_t n = 65535; n < 65539; n++) {
		uint8_t *bytes = calloc(n, 4);

		begin(&b, 1, 2, 4 * n);
		blob_le(&b.description, BLOCK_PALETTE, 1);
		add_part(&b, 2, 0, bytes, 2 * n);
		add_part(&b, 1, 0, bytes, 2 * n);
		CHECK(decode(&b, NULL) ==
		      (n <= 65536 ? NC3Z_OK : NC3Z_EDAMAGED));
		free(bytes);
	}
}

/* Masks whose rows repeat, in a block that is not a multiple of 8. */
static void test_mask_stride(void)
{
	/* Rows of 4: holes at 1, 3 of each but the last. */
	static const uint8_t mask[] = { 0x0a, 0x00 };
	static const uint8_t main_part[] = {
		0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3,
		0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6
	};
	static const uint8_t expected[] = { 1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6 };
	uint8_t raw[44] = { 0 };
	struct block b;

	for (unsigned i = 0; i < 11; i++)
		raw[4 * i + 3] = expected[i];
	begin(&b, 1, 4, 44);
	add_drop(&b, 9, 4);
	add_part(&b, 1, 0, mask, 2);
	add_part(&b, 4, 0, main_part, 24);
	CHECK(decode(&b, raw) == NC3Z_OK);
}

/* Steps in another order, twice, or together with constant. */
static void test_wrong_steps(void)
{
	/* Of parameters; of 1s, which are legal, where 0s are not. */
	static const size_t sizes[] = { 0, 4, 8, 17, 0, 16, 5, 0 };

	for (unsigned first = 0; first < 8; first++)
		for (unsigned second = 0; second < 8; second++) {
			struct block b;
			bool known = first > 0 && first < 7 && second > 0 &&
				     second < 7;
			bool legal = (first == BLOCK_DROP ||
				      first == BLOCK_REPEAT) &&
				     second > 2 && second < 6;
			int status;

			if (legal)
				continue;
			begin(&b, 2, 4, 256);
			for (unsigned i = 0; i < 2; i++) {
				unsigned id = i ? second : first;

				blob_le(&b.description, id, 1);
				if (id == BLOCK_FRACTION)
					blob_le(&b.description, 1, 8);
				blob_fill(&b.description,
					  id == BLOCK_FRACTION ||
						  id > BLOCK_PALETTE,
					  sizes[id]);
			}
			status = decode(&b, NULL);
			CHECK(status ==
			      (known ? NC3Z_EDAMAGED : NC3Z_EUNSUPPORTED));
		}
}

/*
 * The examples of the specification: 64 thirds from -1 on, of which only even
 * ones occur, and 64 shorts.
 */
struct divided {
	uint64_t divisor, factor;
	unsigned x;
};

static int decode_fraction(const struct divided *f, const uint8_t *expected)
{
	uint8_t main_part[64];
	struct block b;

	for (unsigned i = 0; i < 64; i++)
		main_part[i] = (uint8_t)(i % 4);
	begin(&b, 1, 4, 256);
	blob_le(&b.description, BLOCK_FRACTION, 1);
	blob_le(&b.description, f->divisor, 8);
	blob_le(&b.description, f->factor, 8);
	blob_le(&b.description, f->x, 1);
	blob_le(&b.description, (uint64_t)-1, 8);
	add_part(&b, 1, 0, main_part, 64);
	return decode(&b, expected);
}

static void test_fraction(void)
{
	static const uint32_t bits[] = { 0xbeaaaaab, 0x3eaaaaab, 0x3f800000,
					 0x3fd55555 };
	struct divided f = { .divisor = 3, .factor = 2 };
	struct blob raw = { 0 };

	for (unsigned i = 0; i < 64; i++)
		blob_be(&raw, bits[i % 4], 4);
	CHECK(decode_fraction(&f, raw.data) == NC3Z_OK);
	blob_release(&raw);
	f.divisor = UINT64_C(1) << 53;
	CHECK(decode_fraction(&f, NULL) == NC3Z_OK);
	f.factor = UINT64_MAX;
	CHECK(decode_fraction(&f, NULL) == NC3Z_OK);
	f.divisor++;
	CHECK(decode_fraction(&f, NULL) == NC3Z_EDAMAGED);
	f.divisor = 0;
	CHECK(decode_fraction(&f, NULL) == NC3Z_EDAMAGED);
	f = (struct divided){ .divisor = 3, .factor = 0 };
	CHECK(decode_fraction(&f, NULL) == NC3Z_EDAMAGED);
	f = (struct divided){ .divisor = 3, .factor = 2, .x = 2 };
	CHECK(decode_fraction(&f, NULL) == NC3Z_EDAMAGED);
}

static int decode_multiple(uint64_t factor, unsigned main_width,
			   const uint8_t *expected)
{
	uint8_t main_part[256] = { 0 };
	struct block b;

	for (unsigned i = 0; i < 64; i++)
		main_part[(i + 1) * main_width - 1] = (uint8_t)(i % 3);
	begin(&b, 1, 2, 128);
	blob_le(&b.description, BLOCK_MULTIPLE, 1);
	blob_le(&b.description, factor, 8);
	blob_le(&b.description, (uint64_t)-100, 8);
	add_part(&b, main_width, 0, main_part, 64 * main_width);
	return decode(&b, expected);
}

static void test_multiple(void)
{
	static const uint16_t values[] = { 0xff9c, 0xffce, 0x0000 };
	struct blob raw = { 0 };

	for (unsigned i = 0; i < 64; i++)
		blob_be(&raw, values[i % 3], 2);
	CHECK(decode_multiple(50, 1, raw.data) == NC3Z_OK);
	CHECK(decode_multiple(50, 2, raw.data) == NC3Z_OK);
	/* Modulo 2^16 it is the same. */
	CHECK(decode_multiple(65536 + 50, 1, raw.data) == NC3Z_OK);
	CHECK(decode_multiple(50, 4, NULL) == NC3Z_EDAMAGED);
	CHECK(decode_multiple(0, 1, NULL) == NC3Z_EDAMAGED);
	blob_release(&raw);
}

static void test_release(void)
{
	block_coder_release(&coder);
}

int main(void)
{
	RUN(test_example);
	RUN(test_wrong_masks);
	RUN(test_wrong_exceptions);
	RUN(test_wrong_main_parts);
	RUN(test_palettes);
	RUN(test_mask_stride);
	RUN(test_wrong_steps);
	RUN(test_fraction);
	RUN(test_multiple);
	RUN(test_release);
	return check_report();
}
