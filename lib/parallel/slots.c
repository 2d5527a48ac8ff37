/*
 * A slab is a few huge pages cut into slots of one size.  There are few slabs,
 * as each holds much: they are in a list.
 */
#define _DEFAULT_SOURCE /* madvise() */

#include "parallel/slots.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_NBYTES ((size_t)2 << 20)
#define HUGE_MAX 8
#define SLOT_ALIGNMENT ((size_t)64)

struct slab {
	struct slab *next;
	uint8_t *memory;
	size_t slot_nbytes;
	unsigned nslots;
	unsigned nused;
	uint64_t used; /* a bit for each slot */
};

/* How many huge pages a slab should have: an eighth may be left over. */
static size_t slab_nbytes(size_t nbytes)
{
	size_t best = 0, least = SIZE_MAX;

	for (size_t i = 1; i <= HUGE_MAX && least > HUGE_NBYTES / 8; i++) {
		size_t rest = i * HUGE_NBYTES % nbytes;

		if (i * HUGE_NBYTES >= nbytes && rest / i < least) {
			least = rest / i;
			best = i;
		}
	}
	return best * HUGE_NBYTES;
}

static struct slab *new_slab(size_t nbytes)
{
	struct slab *slab = calloc(1, sizeof(*slab));
	size_t all = slab_nbytes(nbytes);

	if (!slab)
		return NULL;
	slab->nslots = (unsigned)(all / nbytes);
	slab->slot_nbytes = all / slab->nslots & ~(SLOT_ALIGNMENT - 1);
	slab->memory = aligned_alloc(HUGE_NBYTES, all);
	if (!slab->memory) {
		free(slab);
		return NULL;
	}
#ifdef MADV_HUGEPAGE
	madvise(slab->memory, all, MADV_HUGEPAGE);
#endif
	return slab;
}

static bool suits(const struct slab *slab, size_t nbytes)
{
	return slab->nused < slab->nslots && slab->slot_nbytes >= nbytes &&
	       slab->slot_nbytes - nbytes <= slab->slot_nbytes / 4;
}

void *slots_take(struct slots *slots, size_t nbytes, size_t *capacity_ret)
{
	struct slab *slab = slots->slabs;
	unsigned i = 0;

	/* Slots begin on the boundaries of vectors. */
	nbytes = (nbytes + SLOT_ALIGNMENT - 1) & ~(SLOT_ALIGNMENT - 1);
	while (slab && !suits(slab, nbytes))
		slab = slab->next;
	if (!slab) {
		slab = new_slab(nbytes);
		if (!slab)
			return NULL;
		slab->next = slots->slabs;
		slots->slabs = slab;
	}
	while (slab->used >> i & 1)
		i++;
	slab->used |= UINT64_C(1) << i;
	slab->nused++;
	*capacity_ret = slab->slot_nbytes;
	return slab->memory + i * slab->slot_nbytes;
}

void slots_give(struct slots *slots, void *memory)
{
	struct slab **at = &slots->slabs, *slab;
	size_t offset;

	/* Which one it is, is told by the distance alone. */
	while ((offset = (size_t)((uintptr_t)memory -
				  (uintptr_t)(*at)->memory)) >=
	       (*at)->nslots * (*at)->slot_nbytes)
		at = &(*at)->next;
	slab = *at;
	slab->used &= ~(UINT64_C(1) << offset / slab->slot_nbytes);
	if (--slab->nused > 0)
		return;
	*at = slab->next;
	free(slab->memory);
	free(slab);
}
