/* SPDX-License-Identifier: MIT */
#include "plan/chunks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sizes.h"
#include "nc3z.h"

/* An argument that is being read. */
struct scan {
	const char *text;
	const char *at;
	struct nc3z_error *err;
};

static int wrong(const struct scan *s, const char *at, const char *what)
{
	return error_set(s->err, NC3Z_EINVAL,
			 "chunks \"%.200s\": %s at character %zu", s->text,
			 what, (size_t)(at - s->text) + 1);
}

void plan_chunks_release(struct plan_chunks_spec *spec)
{
	for (size_t i = 0; i < spec->nrules; i++) {
		free(spec->rules[i].name);
		free(spec->rules[i].lengths);
	}
	free(spec->rules);
	*spec = (struct plan_chunks_spec){ 0 };
}

static bool mode_of(const char *word, enum plan_chunks_mode *mode_ret)
{
	static const char *const words[] = {
		[PLAN_CHUNKS_LINEAR] = "contiguous",
		[PLAN_CHUNKS_AUTO] = "auto",
		[PLAN_CHUNKS_RECORD] = "record",
		[PLAN_CHUNKS_SERIES] = "series",
		[PLAN_CHUNKS_BALANCED] = "balanced",
	};

	if (strcmp(word, "linear") == 0)
		word = words[PLAN_CHUNKS_LINEAR];
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0) {
			*mode_ret = (enum plan_chunks_mode)i;
			return true;
		}
	return false;
}

/* The next of some characters that no backslash precedes, or the end. */
static const char *find_plain(const char *at, const char *characters)
{
	while (*at && !strchr(characters, *at))
		at += 1 + (*at == '\\' && at[1]);
	return at;
}

/* A new rule for the name from 'at' to 'end', which must be a new one. */
static int add_rule(struct plan_chunks_spec *spec, const struct scan *s,
		    const char *end, bool is_variable,
		    struct plan_chunks_rule **rule_ret)
{
	struct plan_chunks_rule rule = { .is_variable = is_variable };
	size_t nbytes = 0;

	if (!memory_room(&spec->rules, spec->nrules, &spec->capacity,
			 sizeof(rule)))
		return error_set_memory(s->err);
	if (end == s->at)
		return wrong(s, s->at, "missing name");
	rule.name = malloc((size_t)(end - s->at) + 1);
	if (!rule.name)
		return error_set_memory(s->err);
	for (const char *p = s->at; p < end; p++) {
		p += *p == '\\' && p + 1 < end;
		rule.name[nbytes++] = *p;
	}
	rule.name[nbytes] = '\0';
	for (size_t i = 0; i < spec->nrules; i++)
		if (spec->rules[i].is_variable == is_variable &&
		    strcmp(spec->rules[i].name, rule.name) == 0) {
			free(rule.name);
			return wrong(s, s->at, "duplicate name");
		}
	*rule_ret = &spec->rules[spec->nrules++];
	**rule_ret = rule;
	return NC3Z_OK;
}

/* A length from 1 to 2^32 - 1, which ends at a comma or with the text. */
static int scan_length(struct scan *s, uint32_t *length_ret)
{
	const char *begin = s->at;
	uint64_t v = 0;

	while (*s->at >= '0' && *s->at <= '9' && v <= UINT32_MAX)
		v = 10 * v + (uint64_t)(*s->at++ - '0');
	if (v > UINT32_MAX)
		return wrong(s, begin, "a length is too large");
	if (s->at == begin || (*s->at && *s->at != ','))
		return wrong(s, s->at, "a length is expected");
	if (v == 0)
		return wrong(s, begin, "a length of 0");
	*length_ret = (uint32_t)v;
	return NC3Z_OK;
}

static int add_length(struct plan_chunks_rule *rule, uint32_t length,
		      struct nc3z_error *err)
{
	void *grown = realloc(rule->lengths, (rule->nlengths + (size_t)1) *
						     sizeof(*rule->lengths));

	if (!grown)
		return error_set_memory(err);
	rule->lengths = grown;
	rule->lengths[rule->nlengths++] = length;
	return NC3Z_OK;
}

/* DIMENSION/LENGTH,... */
static int scan_dimensions(struct plan_chunks_spec *spec, struct scan *s)
{
	for (;;) {
		const char *slash = find_plain(s->at, "/,");
		struct plan_chunks_rule *rule;
		uint32_t length = 0;

		if (*slash != '/')
			return wrong(s, slash, "a slash is expected");
		NC3Z_TRY(add_rule(spec, s, slash, false, &rule));
		s->at = slash + 1;
		if (*s->at && *s->at != ',')
			NC3Z_TRY(scan_length(s, &length));
		NC3Z_TRY(add_length(rule, length, s->err));
		if (*s->at == '\0')
			return NC3Z_OK;
		s->at++;
	}
}

/* VARIABLE:LENGTH,... or VARIABLE:MODE */
static int scan_variable(struct plan_chunks_spec *spec, struct scan *s,
			 const char *colon)
{
	struct plan_chunks_rule *rule;
	uint32_t length;

	NC3Z_TRY(add_rule(spec, s, colon, true, &rule));
	s->at = colon + 1;
	if (*s->at == '\0' || mode_of(s->at, &rule->mode))
		return NC3Z_OK;
	for (;;) {
		NC3Z_TRY(scan_length(s, &length));
		NC3Z_TRY(add_length(rule, length, s->err));
		if (*s->at == '\0')
			return NC3Z_OK;
		s->at++;
	}
}

int plan_chunks_parse(struct plan_chunks_spec *spec, const char *text,
		      struct nc3z_error *err)
{
	struct scan s = { .text = text, .at = text, .err = err };
	const char *colon = find_plain(text, ":");

	if (strcmp(text, "/") == 0 || strcmp(text, "//") == 0) {
		spec->mode = PLAN_CHUNKS_LINEAR;
		return NC3Z_OK;
	}
	if (*colon)
		return scan_variable(spec, &s, colon);
	if (strcmp(text, "contiguous") != 0 && mode_of(text, &spec->mode))
		return NC3Z_OK;
	if (*find_plain(text, "/") == '\0')
		return error_set(err, NC3Z_EINVAL,
				 "chunks \"%.200s\": not auto, record, series, "
				 "balanced, linear, DIMENSION/LENGTH,... or "
				 "VARIABLE:LENGTH,...",
				 text);
	return scan_dimensions(spec, &s);
}

static bool is_named(const struct classic_name *name, const char *text)
{
	return name->nbytes == strlen(text) &&
	       memcmp(name->bytes, text, name->nbytes) == 0;
}

/* Lengths of a variable: one for each dimension, none beyond it. */
static int check_lengths(const struct plan_chunks_rule *rule,
			 const struct classic_header *header,
			 const struct classic_var *var, struct nc3z_error *err)
{
	if (rule->nlengths == 0)
		return NC3Z_OK;
	if (rule->nlengths != var->ndims)
		return error_set(err, NC3Z_EINVAL,
				 "chunks of variable %.64s: %" PRIu32
				 " lengths for %zu dimensions",
				 rule->name, rule->nlengths, var->ndims);
	for (uint32_t k = 0; k < rule->nlengths; k++) {
		const struct classic_dim *dim = &header->dims[var->dimids[k]];

		if (dim->length > 0 && rule->lengths[k] > dim->length)
			return error_set(err, NC3Z_EINVAL,
					 "chunks of variable %.64s: %" PRIu32
					 " is longer than dimension %.*s, "
					 "%" PRIu64,
					 rule->name, rule->lengths[k],
					 (int)size_min(dim->name.nbytes, 64),
					 dim->name.bytes, dim->length);
	}
	return NC3Z_OK;
}

static int check_rule(const struct plan_chunks_rule *rule,
		      const struct classic_header *header,
		      struct nc3z_error *err)
{
	for (size_t i = 0; rule->is_variable && i < header->nvars; i++)
		if (is_named(&header->vars[i].name, rule->name))
			return check_lengths(rule, header, &header->vars[i],
					     err);
	for (size_t i = 0; !rule->is_variable && i < header->ndims; i++)
		if (is_named(&header->dims[i].name, rule->name))
			return NC3Z_OK;
	return error_set(err, NC3Z_EINVAL, "chunks: there is no %s %.64s",
			 rule->is_variable ? "variable" : "dimension",
			 rule->name);
}

int plan_chunks_check(const struct plan_chunks_spec *spec,
		      const struct classic_header *header,
		      struct nc3z_error *err)
{
	for (size_t i = 0; i < spec->nrules; i++)
		NC3Z_TRY(check_rule(&spec->rules[i], header, err));
	return NC3Z_OK;
}

static const struct plan_chunks_rule *
find_rule(const struct plan_chunks_spec *spec, bool is_variable,
	  const struct classic_name *name)
{
	for (size_t i = 0; i < spec->nrules; i++)
		if (spec->rules[i].is_variable == is_variable &&
		    is_named(name, spec->rules[i].name))
			return &spec->rules[i];
	return NULL;
}

/* The variable whose chunk lengths are wanted. */
struct wanted {
	const struct plan_chunks_spec *spec;
	const struct classic_header *header;
	const struct classic_var *var;
	struct plan_chunks_shape shape;
	uint64_t lengths[PLAN_RANK_MAX];
};

/* By the rules of dimensions; false if the variable has none of these. */
static bool lengths_of_dimensions(const struct wanted *w, uint32_t *chunks)
{
	const struct plan_chunks_limits *limits = &w->shape.limits;
	uint64_t nbytes = w->shape.width;
	bool has_records = false, has_any = false;

	for (size_t k = w->var->ndims; k-- > 0;) {
		const struct classic_dim *dim =
			&w->header->dims[w->var->dimids[k]];
		const struct plan_chunks_rule *rule =
			find_rule(w->spec, false, &dim->name);
		uint64_t length = dim->length ? dim->length : UINT32_MAX;

		has_any = has_any || rule;
		if (rule && rule->lengths[0] > 0)
			length = size_min(length, rule->lengths[0]);
		else if (dim->length == 0)
			has_records = true;
		chunks[k] = (uint32_t)size_min(length, UINT32_MAX);
		nbytes = size_mul_max(
			nbytes, k > 0 || !has_records ? length : 1, UINT64_MAX);
	}
	/*
	 * All records: as many as a chunk and a band may have of those there.
	 */
	if (has_records) {
		uint64_t n = limits->target_nbytes / size_max(nbytes, 1);

		n = size_min(n, limits->band_nbytes /
					size_max(w->shape.step_nbytes, 1));
		n = size_min(n, size_max(w->lengths[0], 1));
		chunks[0] = (uint32_t)size_max(n, 1);
	}
	return has_any;
}

static int check_chunk(const struct wanted *w, const uint32_t *chunks,
		       struct nc3z_error *err)
{
	uint64_t nbytes = w->shape.width;

	for (size_t k = 0; k < w->var->ndims; k++)
		nbytes = size_mul_max(nbytes, chunks[k], UINT64_MAX);
	if (nbytes <= NC3Z_BLOCK_NBYTES_MAX)
		return NC3Z_OK;
	return error_set(err, NC3Z_EINVAL,
			 "chunks of variable %.*s: a chunk of %" PRIu64
			 " bytes is larger than %" PRIu32,
			 (int)size_min(w->var->name.nbytes, 64),
			 w->var->name.bytes, nbytes, NC3Z_BLOCK_NBYTES_MAX);
}

static int lengths_of(const struct wanted *w, uint32_t *chunks,
		      bool *is_chunked, struct nc3z_error *err)
{
	const struct plan_chunks_rule *rule =
		find_rule(w->spec, true, &w->var->name);
	enum plan_chunks_mode mode = rule ? rule->mode : w->spec->mode;

	*is_chunked = true;
	if (rule && rule->nlengths > 0) {
		for (uint32_t k = 0; k < rule->nlengths; k++)
			chunks[k] = rule->lengths[k];
		return check_chunk(w, chunks, err);
	}
	if (!rule && lengths_of_dimensions(w, chunks))
		return check_chunk(w, chunks, err);
	*is_chunked = plan_chunks_choose(&w->shape, mode, chunks);
	return NC3Z_OK;
}

/* Whether more than a mode is given for a variable. */
static bool has_lengths(const struct wanted *w)
{
	const struct plan_chunks_rule *rule =
		find_rule(w->spec, true, &w->var->name);

	for (size_t k = 0; !rule && k < w->var->ndims; k++)
		if (find_rule(w->spec, false,
			      &w->header->dims[w->var->dimids[k]].name))
			return true;
	return rule && rule->nlengths > 0;
}

int plan_chunks_of(const struct plan_chunks_job *job, uint32_t variable,
		   uint32_t chunks_ret[PLAN_RANK_MAX], bool *is_chunked_ret,
		   struct nc3z_error *err)
{
	const struct classic_header *header = job->header;
	const struct classic_var *var = &header->vars[variable];
	bool is_record = classic_var_is_record(header, var);
	struct wanted w = { .spec = job->spec, .header = header, .var = var };
	uint64_t step;

	*is_chunked_ret = false;
	if (var->ndims > PLAN_RANK_MAX && has_lengths(&w))
		return error_set(err, NC3Z_EINVAL,
				 "chunks of variable %.*s: %zu dimensions are "
				 "more than %d",
				 (int)size_min(var->name.nbytes, 64),
				 var->name.bytes, var->ndims, PLAN_RANK_MAX);
	if (var->ndims < 1 || var->ndims > PLAN_RANK_MAX)
		return NC3Z_OK;
	step = classic_type_nbytes(var->type);
	for (size_t k = var->ndims; k-- > 0;) {
		w.lengths[k] = header->dims[var->dimids[k]].length;
		if (k > 0)
			step = size_mul_max(step, w.lengths[k], UINT64_MAX);
	}
	/* Odd variables have the record dimension elsewhere, and no bytes. */
	if (step == 0)
		return NC3Z_OK;
	if (is_record && !header->is_indeterminate)
		w.lengths[0] = header->numrecs;
	w.shape = (struct plan_chunks_shape){
		.lengths = w.lengths,
		.rank = (uint32_t)var->ndims,
		.width = classic_type_nbytes(var->type),
		.step_nbytes = is_record ? job->record_nbytes : step,
		.limits = job->limits,
	};
	return lengths_of(&w, chunks_ret, is_chunked_ret, err);
}
