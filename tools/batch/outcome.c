/* SPDX-License-Identifier: MIT */
#include "batch/outcome.h"

#include <stdlib.h>
#include <string.h>

/* A header of a million odd variables must not fill memory. */
#define WARNINGS_MAX 20

void outcome_add_error(struct outcome *outcome, const char *text)
{
	if (!outcome->error)
		outcome->error = strdup(text);
}

void outcome_add_warning(struct outcome *outcome, const char *text)
{
	char **grown;

	if (outcome->nwarnings == WARNINGS_MAX)
		return;
	grown = realloc(outcome->warnings,
			(outcome->nwarnings + 1) * sizeof(*grown));
	if (!grown)
		return;
	outcome->warnings = grown;
	grown[outcome->nwarnings] = strdup(text);
	outcome->nwarnings += grown[outcome->nwarnings] != NULL;
}

void outcome_release(struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->nwarnings; i++)
		free(outcome->warnings[i]);
	free(outcome->warnings);
	free(outcome->error);
	*outcome = (struct outcome){ 0 };
}
