/* SPDX-License-Identifier: MIT */
/* What came of one file, as it is reported. */
#ifndef NC3Z_TOOLS_BATCH_OUTCOME_H
#define NC3Z_TOOLS_BATCH_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

enum outcome_kind {
	OUTCOME_FAILED,
	OUTCOME_PACKED,
	OUTCOME_FOUND, /* the output was there, nothing was written */
	OUTCOME_RESTORED,
	OUTCOME_VERIFIED,
	OUTCOME_CONVERTED,
	OUTCOME_ESTIMATED,
	OUTCOME_SKIPPED, /* counted where it was skipped */
	OUTCOME_END,
};

struct outcome {
	enum outcome_kind kind;
	bool has_archive_sha256;
	unsigned char archive_sha256[32];
	double begin;             /* clock_seconds() */
	double processor_seconds; /* of OUTCOME_ESTIMATED */
	bool is_sampled;          /* the same: not only like other files */
	bool is_removed;
	bool is_journaled;
	char *error;     /* the first one, from malloc(); or NULL */
	char **warnings; /* from malloc(), too */
	size_t nwarnings;
};

/* The first error is kept; so is each warning, as far as memory goes. */
void outcome_add_error(struct outcome *outcome, const char *text);
void outcome_add_warning(struct outcome *outcome, const char *text);

void outcome_release(struct outcome *outcome);

#endif
