/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a file that nc3dump prints, in most of its forms; header and
 * values of its archive, if it can be packed, are printed the same.
 *
 *	form 1, digits 1, then the file
 */
#define _GNU_SOURCE /* fopencookie() */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_input.h"
#include "dump/dump.h"
#include "fuzz.h"
#include "dump/time_attributes.h"

#define HEAD_NBYTES 2

/* No more is printed: a few bytes can stand for many values. */
#define PRINTED_NBYTES_MAX ((size_t)1 << 17)
#define PRINTED_NELEMS_MAX ((uint64_t)1 << 17)

enum {
	FORMS = 4, /* the lowest two bits */
	HEADER_ONLY = 4,
	SPECIAL = 8,
	TIMES = 16,
	BRIEF = 32,
	FULL = 64,
	FORTRAN = 128,
};

/* What message.c would do; there is memory enough for all that is read. */

void message_hint(const char *text)
{
	(void)text;
}

void message_error(const char *file, const char *format, ...)
{
	char text[8192];
	va_list args;

	FUZZ_CHECK(file);
	va_start(args, format);
	FUZZ_CHECK(vsnprintf(text, sizeof(text), format, args) > 0);
	FUZZ_CHECK(strcmp(text, "out of memory") != 0);
	va_end(args);
}

void message_warning(const char *file, const char *format, ...)
{
	char text[8192];
	va_list args;

	FUZZ_CHECK(file);
	va_start(args, format);
	FUZZ_CHECK(vsnprintf(text, sizeof(text), format, args) > 0);
	va_end(args);
}

/* What was printed; more than there is room for fails as on a full disk. */
struct printed {
	size_t nbytes;
	char text[PRINTED_NBYTES_MAX];
};

static ssize_t keep(void *cookie, const char *data, size_t nbytes)
{
	struct printed *p = cookie;

	if (nbytes > sizeof(p->text) - p->nbytes)
		return 0;
	memcpy(p->text + p->nbytes, data, nbytes);
	p->nbytes += nbytes;
	return (ssize_t)nbytes;
}

/* Whether all values are so few that they can be printed. */
static bool has_few_values(const struct nc3z_file *file, int nvars)
{
	uint64_t left = PRINTED_NELEMS_MAX;

	for (int i = 0; i < nvars; i++) {
		struct nc3z_var var;
		uint64_t nelems = 1;

		FUZZ_CHECK(nc3z_inq_var(file, i, &var, NULL) == NC3Z_OK);
		for (int k = 0; k < var.ndims; k++) {
			if (var.shape[k] > left)
				nelems = PRINTED_NELEMS_MAX;
			else if (nelems < PRINTED_NELEMS_MAX)
				nelems *= var.shape[k];
		}
		if (nelems >= left)
			return false;
		left -= nelems;
	}
	return true;
}

/* False if not all of it was printed. */
static bool print_open(struct nc3z_file *file,
		       const struct dump_settings *settings, struct printed *p)
{
	static char path[] = "directory/file.nc", name[] = "file";
	const cookie_io_functions_t functions = { .write = keep };
	struct dump_settings bounded = *settings;
	struct dump dump = {
		.settings = &bounded,
		.path = path,
		.original_path = path,
		.name = name,
		.file = file,
	};
	FILE *real = stdout;
	enum exit_status status;
	bool is_whole;

	nc3z_inq(file, &dump.ndims, &dump.nvars, &dump.natts, &dump.unlimdimid);
	if (!has_few_values(file, dump.nvars))
		bounded.header_only = true;
	p->nbytes = 0;
	stdout = fopencookie(p, "w", functions);
	FUZZ_CHECK(stdout);
	dump.to = stdout;
	status = dump_contents(&dump);
	is_whole = fflush(stdout) == 0 && !ferror(stdout);
	fclose(stdout);
	stdout = real;
	time_bounds_release(&dump);
	selections_release(&dump.selections);
	FUZZ_CHECK(status == EXIT_DONE || status == EXIT_FAILED ||
		   status == EXIT_WARNED || status == EXIT_DAMAGED);
	return is_whole && status == EXIT_DONE;
}

static bool print_bytes(const uint8_t *data, size_t nbytes,
			const struct dump_settings *settings, struct printed *p)
{
	struct nc3z_open_options options;
	struct nc3z_source *source;
	struct nc3z_file *file;
	bool is_whole = false;

	nc3z_open_options_init(&options);
	options.nthreads = 1;
	options.ignores_truncation = 1;
	options.cache_nbytes = UINT64_C(1) << 22;
	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	if (nc3z_open_source(source, &options, &file, NULL) != NC3Z_OK) {
		nc3z_source_close(source);
		return false;
	}
	if (!nc3z_inq_refusal(file))
		is_whole = print_open(file, settings, p);
	nc3z_close(file);
	return is_whole;
}

/* Whether nothing is printed that only an archive has. */
static bool is_of_original(const struct dump_settings *settings)
{
	return settings->output == DUMP_CDL && !settings->special_attributes;
}

static void check_archive(const uint8_t *data, size_t nbytes,
			  const struct dump_settings *settings,
			  const struct printed *p)
{
	struct fuzz_room room = { .nbytes = FUZZ_NBYTES_MAX };
	static struct printed again;
	size_t n;

	room.data = malloc(room.nbytes);
	FUZZ_CHECK(room.data);
	n = archive_from_classic(data, nbytes, nbytes, room);
	if (n > 0 && !is_of_original(settings)) {
		print_bytes(room.data, n, settings, &again);
	} else if (n > 0) {
		FUZZ_CHECK(print_bytes(room.data, n, settings, &again));
		FUZZ_CHECK(again.nbytes == p->nbytes &&
			   memcmp(again.text, p->text, p->nbytes) == 0);
	}
	free(room.data);
}

static struct dump_settings settings_of(uint8_t form, uint8_t digits)
{
	static const enum dump_output outputs[FORMS] = {
		DUMP_CDL,
		DUMP_CDL,
		DUMP_JSON,
		DUMP_BLOCKS,
	};

	return (struct dump_settings){
		.output = outputs[form % FORMS],
		.header_only = form & HEADER_ONLY,
		.special_attributes = form & SPECIAL,
		.times = form & TIMES,
		.time_separator = form & BRIEF ? 'T' : ' ',
		.brief_comments = form & BRIEF,
		.full_comments = form & FULL,
		.fortran_indices = form & FORTRAN,
		.coordinates_only = digits >= 200,
		.blocks = digits & 64,
		.line_length = 10 + digits,
		.float_digits = 1 + digits / 8 % 20,
		.double_digits = 1 + digits / 8 % 20,
		.overrides_float = form & FORTRAN,
	};
}

static void run(const uint8_t *data, size_t nbytes)
{
	static struct printed p;
	struct dump_settings settings;
	uint8_t *exact;

	if (nbytes <= HEAD_NBYTES)
		return;
	settings = settings_of(data[0], data[1]);
	nbytes -= HEAD_NBYTES;
	exact = fuzz_copy(data + HEAD_NBYTES, nbytes);
	/* Packing is slow beside printing. */
	if (print_bytes(exact, nbytes, &settings, &p) && data[1] % 32 == 0)
		check_archive(exact, nbytes, &settings, &p);
	free(exact);
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 47 * file_nbytes;

	if (HEAD_NBYTES + file_nbytes > room.nbytes)
		return 0;
	room.data[0] = (uint8_t)fuzz_random(&state);
	room.data[1] = (uint8_t)fuzz_random(&state);
	memcpy(room.data + HEAD_NBYTES, file, file_nbytes);
	return HEAD_NBYTES + file_nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 30,
	.run = run,
	.from_classic = from_classic,
};
