/*
 * Any chain of filters on any bytes: a chain that is valid has an inverse.
 *
 *	width 1, number of steps 1, steps of 5 (id, stride 4), then raw bytes
 *
 * Bit 7 of the first byte leaves the chain as it is; otherwise it is bent into
 * one that is likely to be valid.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "filter/filter.h"
#include "fuzz.h"

#define STEP_NBYTES 5
#define AS_IT_IS 0x80

/* Order can only be the first step, a layout only the last. */
static uint8_t likely_id(uint8_t byte, unsigned step, unsigned nsteps)
{
	if (step == 0 && byte % 4 == 0)
		return FILTER_ORDER;
	if (step + 1 == nsteps && byte % 4 <= 2)
		return (uint8_t)(FILTER_SHUFFLE + byte % 4);
	return byte % 4 == 3 ? FILTER_ZIGZAG : FILTER_DELTA;
}

static void add_step(struct filter_chain *chain, const uint8_t *step,
		     bool as_it_is, unsigned nsteps)
{
	uint8_t id = as_it_is ? step[0] :
				likely_id(step[0], chain->nsteps, nsteps);
	uint32_t stride = load_le32(step + 1);

	if (!as_it_is && stride == 0)
		stride = 1;
	if (!filter_has_stride(id) && !as_it_is)
		stride = 0;
	filter_chain_add(chain, id, stride);
}

static void check_inverse(const struct filter_chain *chain, uint8_t width,
			  const uint8_t *raw, size_t nbytes)
{
	uint8_t *exact = fuzz_copy(raw, nbytes);
	uint8_t *coded = fuzz_copy(raw, nbytes);
	uint8_t *again = fuzz_copy(raw, nbytes);
	uint8_t *scratch = fuzz_copy(raw, nbytes);

	memset(again, 0x5a, nbytes);
	filter_apply(chain, width, exact, nbytes, coded, scratch);
	FUZZ_CHECK(memcmp(exact, raw, nbytes) == 0);
	memset(scratch, 0xa5, nbytes);
	filter_invert(chain, width, coded, nbytes, again, scratch);
	FUZZ_CHECK(memcmp(again, raw, nbytes) == 0);
	free(exact);
	free(coded);
	free(again);
	free(scratch);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct filter_chain chain = { 0 };
	uint8_t width;
	unsigned nsteps;
	bool as_it_is;

	if (nbytes < 2)
		return;
	as_it_is = (data[0] & AS_IT_IS) != 0;
	width = (uint8_t)(1u << data[0] % 4);
	nsteps = data[1] % (FILTER_STEPS_MAX + 1);
	data += 2;
	nbytes -= 2;
	for (unsigned i = 0; i < nsteps && nbytes >= STEP_NBYTES; i++) {
		add_step(&chain, data, as_it_is, nsteps);
		data += STEP_NBYTES;
		nbytes -= STEP_NBYTES;
	}
	if (filter_chain_valid(&chain))
		check_inverse(&chain, width, data, nbytes);
	else
		FUZZ_CHECK(as_it_is);
}

/* Random steps before the file; every other stride is a small one. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	size_t head_nbytes = 2 + STEP_NBYTES * FILTER_STEPS_MAX;

	if (file_nbytes + head_nbytes > room.nbytes)
		return 0;
	for (size_t i = 0; i < head_nbytes; i++)
		room.data[i] = (uint8_t)fuzz_random(&seed);
	for (size_t at = 2; at < head_nbytes; at += STEP_NBYTES)
		if (fuzz_random_below(&seed, 2) == 0)
			store_le32(room.data + at + 1,
				   (uint32_t)fuzz_random_below(&seed, 40));
	room.data[0] &= (uint8_t)~AS_IT_IS;
	memcpy(room.data + head_nbytes, file, file_nbytes);
	return head_nbytes + file_nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
