/* What has to hold for one file. */
#ifndef CORPUS_ROUND_TRIP_H
#define CORPUS_ROUND_TRIP_H

#include "load.h"

enum outcome {
	OUTCOME_PACKED,
	OUTCOME_WARNED,
	OUTCOME_REFUSED,
};

struct verdict {
	enum outcome outcome;
	unsigned long nchecks;
	unsigned long nfailed; /* each has been printed */
};

/* Packs a file in several ways, restores and compares. */
struct verdict round_trip(const char *name, const struct bytes *file);

#endif
