/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what nc3dump makes of attributes and values: formats that a file
 * asks for, units of time, numbers as text.
 *
 *	kind 1, type 1, value 8, then text
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "dump/c_format.h"
#include "dump/cdl_time.h"
#include "dump/number.h"
#include "text_input.h"

#define HEAD_NBYTES 10

struct value {
	uint8_t type; /* and more */
	uint64_t bits;
	double number; /* of these bits */
};

/* As nc3dump does it, with the argument that the format says. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int print(const struct c_format *f, const struct value *v, char *to,
		 size_t to_nbytes)
{
	switch (f->argument) {
	case C_ARGUMENT_DOUBLE:
		return snprintf(to, to_nbytes, f->text, v->number);
	case C_ARGUMENT_LONG:
		return snprintf(to, to_nbytes, f->text, (long long)v->bits);
	case C_ARGUMENT_INT:
		return snprintf(to, to_nbytes, f->text, (int)v->bits);
	default:
		return snprintf(to, to_nbytes, f->text, 0);
	}
}
#pragma GCC diagnostic pop

/* What is accepted has at most one conversion, and none that is not safe. */
static void run_format(const struct value *v, const char *text)
{
	struct c_format *f = calloc(1, sizeof(*f));
	int type = NC3Z_BYTE + v->type % 11;
	char out[C_FORMAT_NBYTES_MAX];
	unsigned nconversions = 0;

	FUZZ_CHECK(f);
	if (c_format_parse(f, text, type)) {
		FUZZ_CHECK(strlen(f->text) < sizeof(f->text));
		for (const char *at = f->text; (at = strchr(at, '%')); at += 2)
			nconversions += at[1] != '%';
		FUZZ_CHECK(nconversions == (f->argument != C_ARGUMENT_NONE));
		FUZZ_CHECK(!strchr(f->text, '*') || !strchr(f->text, '%') ||
			   strchr(text, '*'));
		FUZZ_CHECK(print(f, v, out, sizeof(out)) >= 0);
	}
	free(f);
}

/* No time is longer than there is room for. */
static void run_time(const struct value *v, const char *text)
{
	enum calendar calendar = (enum calendar)(v->type % 7), found;
	char separator = v->type & 128 ? 'T' : ' ';
	char *to = malloc(TIME_NBYTES_MAX);
	struct time_axis axis;
	size_t n;

	FUZZ_CHECK(to);
	calendar_find(text, strlen(text));
	calendar_find_known(text, strlen(text), &found);
	if (time_axis_parse(&axis, calendar, text)) {
		n = time_put(&axis, v->number, separator, to);
		FUZZ_CHECK(n > 0 && n < TIME_NBYTES_MAX);
		n = time_put_rounded(&axis, v->number, separator, to);
		FUZZ_CHECK(n > 0 && n < TIME_NBYTES_MAX);
		n = time_put(&axis, (double)(int16_t)v->bits, separator, to);
		FUZZ_CHECK(n > 0 && n < TIME_NBYTES_MAX);
	}
	free(to);
}

/* As printf() writes them. */
static void run_number(const struct value *v, const char *text)
{
	char out[NUMBER_NBYTES_MAX], expected[NUMBER_NBYTES_MAX + 1];
	int ndigits = 1 + v->type % 20;
	size_t n;

	(void)text;
	if (isfinite(v->number)) {
		n = number_put_double(out, v->number, ndigits);
		snprintf(expected, sizeof(expected), "%.*g", ndigits,
			 v->number);
		FUZZ_CHECK(n == strlen(expected) &&
			   memcmp(out, expected, n) == 0);
	}
	n = number_put_int(out, (int64_t)v->bits);
	snprintf(expected, sizeof(expected), "%lld", (long long)v->bits);
	FUZZ_CHECK(n == strlen(expected) && memcmp(out, expected, n) == 0);
	n = number_put_uint(out, v->bits);
	snprintf(expected, sizeof(expected), "%llu",
		 (unsigned long long)v->bits);
	FUZZ_CHECK(n == strlen(expected) && memcmp(out, expected, n) == 0);
}

static void run(const uint8_t *data, size_t nbytes)
{
	static void (*const runs[])(const struct value *, const char *) = {
		run_format,
		run_time,
		run_number,
	};
	struct value v;
	char *text;

	if (nbytes < HEAD_NBYTES)
		return;
	v.type = data[1];
	v.bits = load_le64(data + 2);
	memcpy(&v.number, &v.bits, sizeof(v.number));
	text = text_copy(data + HEAD_NBYTES, nbytes - HEAD_NBYTES);
	runs[data[0] % 3](&v, text);
	free(text);
}

static const char *const list[] = {
	"%",
	"d",
	"5",
	".3",
	"f",
	"%g",
	"%%",
	"lld",
	"hh",
	"x",
	"-",
	"0",
	"e",
	"c",
	"s",
	"*",
	"%9.2f",
	"%-08d",
	"days",
	"hours",
	"since",
	" since ",
	"seconds",
	"months",
	"years",
	"1990-01",
	"-01",
	"T",
	" ",
	"12:30:15.5",
	"1582-10-14",
	"weeks since 0-1-1",
	"days since 1-1-1 0:0:0",
	"noleap",
	"360_day",
	"minutes since 2000-02-29T23:59:60",
	"season since 4",
};
static const struct text_words words = { list, sizeof(list) / sizeof(*list) };

/* Nothing of the file but its length: other files, other words. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 59 * file_nbytes, bits;
	double number;

	(void)file;
	for (size_t i = 0; i < HEAD_NBYTES; i++)
		room.data[i] = (uint8_t)fuzz_random(&state);
	if (fuzz_random_below(&state, 2)) {
		number = (double)fuzz_random_below(&state, 10000000) / 8 - 9999;
		memcpy(&bits, &number, sizeof(bits));
		store_le64(room.data + 2, bits);
	}
	room.data += HEAD_NBYTES;
	room.nbytes -= HEAD_NBYTES;
	return HEAD_NBYTES + text_random(&words, &state, room);
}

static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	if (nbytes < HEAD_NBYTES || seed % 2 == 0)
		return LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
	room.data += HEAD_NBYTES;
	room.nbytes -= HEAD_NBYTES;
	return HEAD_NBYTES +
	       text_mutate(&words, room, nbytes - HEAD_NBYTES, seed / 2);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
