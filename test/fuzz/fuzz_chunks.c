/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the arguments of --chunks: what is accepted means the same when
 * it is written otherwise, and makes chunks that a plan can have.
 *
 *	target 1, band 1, lengths of dimensions 1 each, then lines of text
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "classic/types.h"
#include "plan/chunks.h"
#include "small_file.h"
#include "text_input.h"

static const char *const mode_words[] = {
	[PLAN_CHUNKS_LINEAR] = "contiguous", [PLAN_CHUNKS_AUTO] = "auto",
	[PLAN_CHUNKS_RECORD] = "record",     [PLAN_CHUNKS_SERIES] = "series",
	[PLAN_CHUNKS_BALANCED] = "balanced",
};

static bool parse(struct plan_chunks_spec *spec, const char *text)
{
	struct nc3z_error err = { 0 };
	int status = plan_chunks_parse(spec, text, &err);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EINVAL);
	FUZZ_CHECK(err.status == status &&
		   (status == NC3Z_OK) == (err.text[0] == '\0'));
	return status == NC3Z_OK;
}

static void put_text(struct buffer *out, const char *text)
{
	FUZZ_CHECK(buffer_append(out, text, strlen(text)));
}

/* A rule with every character of its name quoted. */
static void write_rule(const struct plan_chunks_rule *rule, struct buffer *out)
{
	for (const char *at = rule->name; *at; at++)
		FUZZ_CHECK(buffer_u8(out, '\\') &&
			   buffer_u8(out, (uint8_t)*at));
	put_text(out, rule->is_variable ? ":" : "/");
	for (uint32_t i = 0; i < rule->nlengths; i++) {
		char number[16] = "";

		FUZZ_CHECK(rule->is_variable || rule->nlengths == 1);
		if (rule->lengths[i] > 0)
			snprintf(number, sizeof(number), "%s%" PRIu32,
				 i > 0 ? "," : "", rule->lengths[i]);
		else
			FUZZ_CHECK(!rule->is_variable);
		put_text(out, number);
	}
	if (rule->is_variable && rule->nlengths == 0)
		put_text(out, mode_words[rule->mode]);
	FUZZ_CHECK(buffer_u8(out, '\0'));
}

static void check_same_rule(const struct plan_chunks_rule *a,
			    const struct plan_chunks_rule *b)
{
	FUZZ_CHECK(strcmp(a->name, b->name) == 0 && a->name[0] != '\0');
	FUZZ_CHECK(a->is_variable == b->is_variable);
	FUZZ_CHECK(a->nlengths == b->nlengths);
	FUZZ_CHECK(a->nlengths > 0 || a->mode == b->mode);
	for (uint32_t i = 0; i < a->nlengths; i++)
		FUZZ_CHECK(a->lengths[i] == b->lengths[i]);
}

/* Rule by rule and word by word: the same. */
static void check_code(const struct plan_chunks_spec *spec)
{
	struct plan_chunks_spec again = { 0 };
	struct buffer text = { 0 };

	FUZZ_CHECK(parse(&again, spec->mode == PLAN_CHUNKS_LINEAR ?
					 "linear" :
					 mode_words[spec->mode]));
	for (size_t i = 0; i < spec->nrules; i++) {
		text.nbytes = 0;
		write_rule(&spec->rules[i], &text);
		FUZZ_CHECK(parse(&again, (const char *)text.data));
	}
	FUZZ_CHECK(again.mode == spec->mode && again.nrules == spec->nrules);
	for (size_t i = 0; i < spec->nrules; i++)
		check_same_rule(&spec->rules[i], &again.rules[i]);
	buffer_release(&text);
	plan_chunks_release(&again);
}

/* Chunks are those of chunks that a plan accepts. */
static void check_chunks(const struct classic_header *header,
			 const struct classic_var *var, const uint32_t *chunks)
{
	bool is_record = classic_var_is_record(header, var);
	struct plan_grid *t = plan_grid_new((uint32_t)var->ndims);
	uint8_t width = (uint8_t)classic_type_nbytes(var->type);
	uint64_t nelems;

	FUZZ_CHECK(t && classic_var_nelems(header, var, &nelems));
	for (size_t k = 0; k < var->ndims; k++) {
		t->dims[k].length = header->dims[var->dimids[k]].length;
		t->dims[k].chunk = chunks[k];
	}
	FUZZ_CHECK(plan_grid_finish(t, width, is_record ? UINT32_MAX : 0,
				    nelems * width));
	FUZZ_CHECK(plan_grid_chunk_nbytes(t) <= NC3Z_BLOCK_NBYTES_MAX);
	free(t);
}

static void check_variables(const struct plan_chunks_job *job)
{
	uint32_t chunks[PLAN_RANK_MAX];

	for (uint32_t i = 0; i < job->header->nvars; i++) {
		struct nc3z_error err = { 0 };
		bool is_chunked = false;
		int status = plan_chunks_of(job, i, chunks, &is_chunked, &err);

		FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EINVAL);
		FUZZ_CHECK(err.status == status &&
			   (status == NC3Z_OK) == (err.text[0] == '\0'));
		if (status == NC3Z_OK && is_chunked)
			check_chunks(job->header, &job->header->vars[i],
				     chunks);
	}
}

/* A length from 1 to 2^20, short ones more often. */
static uint64_t take_length(struct fuzz_bytes *in)
{
	uint8_t b = fuzz_take(in);

	return b < 128 ? 1u + b : 1 + ((UINT64_C(37) * b) << b % 8);
}

static void run_header(struct classic_header *header, struct fuzz_bytes *in)
{
	struct plan_chunks_spec spec = { 0 };
	struct plan_chunks_job job = { .spec = &spec, .header = header };
	struct nc3z_error err = { 0 };
	char *line;
	bool is_good = true;
	int status;

	job.limits.target_nbytes = UINT64_C(1) << fuzz_take(in) % 27;
	job.limits.band_nbytes = UINT64_C(1) << fuzz_take(in) % 40;
	for (size_t i = 0; i < header->ndims; i++)
		if (header->dims[i].length > 0)
			header->dims[i].length = take_length(in);
	header->numrecs = take_length(in);
	job.record_nbytes = take_length(in);
	while (is_good && (line = text_take_line(in)) != NULL) {
		is_good = parse(&spec, line);
		free(line);
	}
	if (is_good) {
		check_code(&spec);
		status = plan_chunks_check(&spec, header, &err);
		FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EINVAL);
		FUZZ_CHECK(err.status == status);
		if (status == NC3Z_OK)
			check_variables(&job);
	}
	plan_chunks_release(&spec);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	struct classic_header header;
	struct buffer file = { 0 };
	bool more;

	small_file_make(&file);
	FUZZ_CHECK(classic_header_parse(file.data, file.nbytes, true, &header,
					&more, NULL) == NC3Z_OK);
	run_header(&header, &in);
	classic_header_release(&header);
	buffer_release(&file);
}

static const char *const list[] = {
	"auto",
	"record",
	"series",
	"balanced",
	"linear",
	"contiguous",
	"\n",
	"\n",
	"/",
	":",
	",",
	"\\",
	"time/2",
	"y/3",
	"x/",
	"x/7",
	"a\\/b/",
	"c\\,d/1",
	"T:2,3,4",
	"T:",
	"v\\,w:2,2",
	"u[0]:6",
	"s:",
	"n=1:5",
	"0",
	"1",
	"4294967295",
	"99999999999",
	"e\\:f\\\\g/3",
};
static const struct text_words words = { list, sizeof(list) / sizeof(*list) };

#define HEAD_NBYTES 9

/* Nothing of the file but its length: other files, other words. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 61 * file_nbytes;

	(void)file;
	for (size_t i = 0; i < HEAD_NBYTES; i++)
		room.data[i] = (uint8_t)fuzz_random(&state);
	room.data += HEAD_NBYTES;
	room.nbytes -= HEAD_NBYTES;
	return HEAD_NBYTES + text_random(&words, &state, room);
}

static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	if (nbytes < HEAD_NBYTES || seed % 8 == 0)
		return LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
	room.data += HEAD_NBYTES;
	room.nbytes -= HEAD_NBYTES;
	return HEAD_NBYTES +
	       text_mutate(&words, room, nbytes - HEAD_NBYTES, seed);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
