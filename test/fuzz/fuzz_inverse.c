/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what a filter or a splitting step made: the inverse of a chain,
 * with and without holes, is undone by the chain itself; masks, palettes,
 * decimals and planes of bits are compared with their definition.
 *
 *	kind 1, width 1, then what the kind says below
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "chain_input.h"
#include "filter/decimal.h"
#include "filter/drop.h"
#include "filter/kernels.h"
#include "filter/palette.h"

/* Of all buffers; longer inputs are cut. */
#define WORK_NBYTES_MAX ((size_t)1 << 16)

struct work {
	uint8_t width;
	struct fuzz_bytes in;
};

static void *room_for(size_t nbytes)
{
	void *room = malloc(nbytes ? nbytes : 1);

	FUZZ_CHECK(room);
	memset(room, 0x5a, nbytes);
	return room;
}

/* A chain, then coded bytes. */
static void run_chain(struct work *w)
{
	struct filter_chain chain = chain_take(&w->in, false, w->width);
	size_t nbytes = w->in.nbytes;
	uint8_t *coded = fuzz_copy(w->in.data, nbytes);
	uint8_t *raw = room_for(nbytes), *again = room_for(nbytes);
	uint8_t *scratch = room_for(nbytes);

	filter_invert(&chain, w->width, coded, nbytes, raw, scratch);
	FUZZ_CHECK(nbytes == 0 || memcmp(coded, w->in.data, nbytes) == 0);
	memset(scratch, 0xa5, nbytes);
	filter_apply(&chain, w->width, raw, nbytes, again, scratch);
	FUZZ_CHECK(memcmp(again, coded, nbytes) == 0);
	free(coded);
	free(raw);
	free(again);
	free(scratch);
}

/* The chain on restored elements gives what they were restored from. */
static void check_holes(const struct filter_chain *chain,
			const struct filter_elems *e, const uint8_t *coded)
{
	size_t nbytes = e->n * e->width, left = e->nkept * e->width;
	uint8_t *elems = room_for(nbytes), *scratch = room_for(nbytes);
	uint8_t *out = room_for(nbytes), *kept;

	filter_restore(chain, e, coded, elems, scratch);
	for (size_t i = 0; i < nbytes; i++)
		if (e->holes[i / e->width])
			elems[i] = (uint8_t)(i * 7);
	memset(scratch, 0xa5, nbytes);
	memcpy(filter_place(chain, out, scratch), elems, nbytes);
	kept = filter_predict(chain, e, out, scratch);
	FUZZ_CHECK(kept == out || kept == scratch);
	if (chain->nsteps == 0) {
		memcpy(elems, kept, left);
		filter_store(e->width, elems, e->nkept, out);
	} else {
		filter_lay_out(chain, e->width, e->nkept, out, scratch);
	}
	FUZZ_CHECK(memcmp(out, coded, left) == 0);
	free(elems);
	free(scratch);
	free(out);
}

/* A chain, then for each element a byte (odd: a hole) and a coded element. */
static void run_holes(struct work *w)
{
	struct filter_chain chain = chain_take(&w->in, false, w->width);
	size_t n = w->in.nbytes / (w->width + 1u);
	uint8_t *holes = fuzz_copy(w->in.data, n), *coded;
	struct filter_elems e = { .width = w->width, .n = n, .holes = holes };

	for (size_t i = 0; i < n; i++) {
		holes[i] &= 1;
		e.nkept += !holes[i];
	}
	coded = fuzz_copy(w->in.data + n, e.nkept * w->width);
	if (e.nkept > 0)
		check_holes(&chain, &e, coded);
	free(coded);
	free(holes);
}

/* Bits behind the last whole byte 1, stride 2, then the mask. */
static void run_mask(struct work *w)
{
	size_t left = fuzz_take(&w->in) % 8, n, nholes = 0, found = 0;
	size_t stride = fuzz_take(&w->in) * 256u;
	uint8_t *mask, *again, *holes;
	bool is_valid;

	stride += fuzz_take(&w->in);
	n = w->in.nbytes * 8;
	n -= n > left ? left : 0;
	if (n == 0)
		return;
	mask = fuzz_copy(w->in.data, w->in.nbytes);
	holes = room_for(n);
	again = room_for(w->in.nbytes);
	FUZZ_CHECK(drop_mask_nbytes(n) == w->in.nbytes);
	is_valid = drop_unpack(mask, n, stride, holes, &found);
	FUZZ_CHECK(is_valid ==
		   (left == 0 || mask[w->in.nbytes - 1] >> (8 - left) == 0));
	if (is_valid) {
		for (size_t i = 0; i < n; i++) {
			FUZZ_CHECK(holes[i] <= 1);
			nholes += holes[i];
		}
		FUZZ_CHECK(nholes == found);
		drop_pack(holes, n, stride, again);
		FUZZ_CHECK(memcmp(mask, again, w->in.nbytes) == 0);
	}
	free(mask);
	free(holes);
	free(again);
}

/* Width of a rank 1, values 2, then the table and the ranks. */
static void run_palette(struct work *w)
{
	struct palette p = { .width = 1 + fuzz_take(&w->in) % 2 };
	size_t table_nbytes, n, most = 0;
	uint8_t *table, *ranks, *raw;

	p.nvalues = 1 + fuzz_take(&w->in);
	p.nvalues += p.width == 2 ? fuzz_take(&w->in) * 256u : 0u;
	table_nbytes = p.nvalues * w->width;
	if (table_nbytes >= w->in.nbytes)
		return;
	table = fuzz_copy(w->in.data, table_nbytes);
	n = (w->in.nbytes - table_nbytes) / p.width;
	ranks = fuzz_copy(w->in.data + table_nbytes, n * p.width);
	raw = room_for(n * w->width);
	for (size_t i = 0; i < n; i++) {
		uint16_t rank = ranks[i];

		if (p.width == 2)
			memcpy(&rank, ranks + 2 * i, 2);
		most = rank > most ? rank : most;
	}
	FUZZ_CHECK(palette_join(&p, table, ranks, n, w->width, raw) ==
		   (most < p.nvalues));
	for (size_t i = 0; most < p.nvalues && i < n; i++) {
		uint16_t rank = ranks[i];

		if (p.width == 2)
			memcpy(&rank, ranks + 2 * i, 2);
		FUZZ_CHECK(memcmp(raw + i * w->width,
				  table + (size_t)rank * w->width,
				  w->width) == 0);
	}
	free(table);
	free(ranks);
	free(raw);
}

/* The integer of a width in the machine's byte order. */
static uint64_t integer_at(const uint8_t *from, uint8_t width, size_t i)
{
	uint8_t v8 = from[i];
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (width) {
	case 1:
		return v8;
	case 2:
		memcpy(&v16, from + 2 * i, 2);
		return v16;
	case 4:
		memcpy(&v32, from + 4 * i, 4);
		return v32;
	default:
		memcpy(&v64, from + 8 * i, 8);
		return v64;
	}
}

/* The number that a decimal stands for, by the words of the specification. */
static void decimal_value(const struct decimal *d, uint64_t q, uint8_t width,
			  uint8_t out[8])
{
	uint64_t k = (uint64_t)d->minimum + q * d->factor, bits = 0;
	double value = (double)(int64_t)k / (double)d->divisor;
	uint32_t bits32;
	float rounded;

	if (width == 8) {
		memcpy(&bits, &value, 8);
	} else {
		rounded = (float)value;
		memcpy(&bits32, &rounded, 4);
		bits = bits32;
	}
	for (unsigned i = width; i-- > 0; bits >>= 8)
		out[i] = (uint8_t)bits;
}

static uint64_t take_64(struct work *w)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = fuzz_take(&w->in);
	return load_le64(bytes);
}

/* A divisor and a factor: a power of ten and 1, or any two. */
static void take_divisor(struct work *w, struct decimal *d, uint8_t how)
{
	d->divisor = decimal_power(how % 16 % (DECIMAL_EXPONENT_MAX + 1));
	d->factor = 1;
	if (how & 64) {
		d->divisor = take_64(w) % DECIMAL_DIVISOR_MAX + 1;
		d->factor = take_64(w);
		d->factor += d->factor == 0;
	}
}

/* Width of the integers 1, exponent 1, minimum 8, then integers. */
static void run_decimal(struct work *w)
{
	uint8_t width = w->width < 4 ? 4 : w->width, bytes[8];
	struct decimal d = { .width = (uint8_t)(1u << fuzz_take(&w->in) % 4) };
	uint8_t *integers, *raw;
	uint8_t exponent = fuzz_take(&w->in);
	size_t n;

	if (d.width > width)
		d.width = width;
	take_divisor(w, &d, exponent);
	d.minimum = (int64_t)take_64(w);
	/* Sums of 32 bits are made otherwise. */
	if (exponent >= 128) {
		d.minimum = (int32_t)d.minimum;
		d.factor = d.factor % 65536 + 1;
	}
	n = w->in.nbytes / d.width;
	integers = fuzz_copy(w->in.data, n * d.width);
	raw = room_for(n * width);
	decimal_join(&d, integers, n, width, raw);
	for (size_t i = 0; i < n; i++) {
		decimal_value(&d, integer_at(integers, d.width, i), width,
			      bytes);
		FUZZ_CHECK(memcmp(raw + i * width, bytes, width) == 0);
	}
	free(integers);
	free(raw);
}

/* Planes of a multiple of 8 bytes, one for each byte of the width. */
static void run_planes(struct work *w)
{
	size_t n = w->in.nbytes / w->width / 8 * 8, nbytes = n * w->width;
	uint8_t *planes = fuzz_copy(w->in.data, nbytes);
	uint8_t *joined = room_for(nbytes), *again = room_for(nbytes);

	plane_kernels()->join(planes, w->width, n, joined);
	plane_kernels_plain.join(planes, w->width, n, again);
	FUZZ_CHECK(memcmp(joined, again, nbytes) == 0);
	plane_kernels()->split(joined, w->width, n, again);
	FUZZ_CHECK(memcmp(planes, again, nbytes) == 0);
	plane_kernels_plain.split(joined, w->width, n, again);
	FUZZ_CHECK(memcmp(planes, again, nbytes) == 0);
	free(planes);
	free(joined);
	free(again);
}

static void run(const uint8_t *data, size_t nbytes)
{
	static void (*const runs[])(struct work *) = {
		run_chain,   run_holes,   run_mask,
		run_palette, run_decimal, run_planes,
	};
	struct work w = { .in = { data, nbytes } };
	uint8_t kind = fuzz_take(&w.in) % (sizeof(runs) / sizeof(*runs));

	w.width = (uint8_t)(1u << fuzz_take(&w.in) % 4);
	if (w.in.nbytes > WORK_NBYTES_MAX)
		w.in.nbytes = WORK_NBYTES_MAX;
	runs[kind](&w);
}

/* Any kind, a random head, then the file. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 83 * file_nbytes;
	size_t n = 2;

	if (2 + CHAIN_NBYTES + file_nbytes > room.nbytes)
		return 0;
	room.data[0] = (uint8_t)fuzz_random(&state);
	room.data[1] = (uint8_t)fuzz_random(&state);
	chain_random(room.data + 2, &state);
	if (room.data[0] % 6 < 2)
		n += CHAIN_NBYTES;
	else
		n += 10;
	memcpy(room.data + n, file, file_nbytes);
	return n + file_nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
