/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "choose/choose.h"
#include "choose/effort.h"

/* A level tries what the one below tries, and more. */
static void test_ascending(void)
{
	for (int level = 2; level <= NC3Z_LEVEL_MAX; level++) {
		const struct effort *less = effort_of(level - 1);
		const struct effort *more = effort_of(level);

		CHECK_EQ_U64(less->transforms & ~more->transforms, 0);
		CHECK(less->few || !more->few);
		CHECK(less->nlaid_out <= more->nlaid_out);
		CHECK(!less->whole || more->whole);
		/* What was ranked whole already needs fewer. */
		CHECK(less->nwhole <= more->nwhole || more->whole);
		CHECK(less->price >= more->price);
		CHECK(!less->fastest || more->fastest);
		CHECK_EQ_U64(less->codecs & ~more->codecs, 0);
		CHECK(less->small_level <= more->small_level);
	}
}

static void test_bounds(void)
{
	for (int level = 1; level <= NC3Z_LEVEL_MAX; level++) {
		const struct effort *e = effort_of(level);

		CHECK(e->nwhole >= 1);
		CHECK(e->nwhole <= CHOOSE_RECIPES_MAX);
		CHECK(!(e->codecs & 1u << NC3Z_CODEC_ZSTD)); /* portable */
		/* Small blocks get no less than others. */
		CHECK(e->small_level >= level);
		CHECK(e->small_level <= NC3Z_LEVEL_MAX);
	}
	CHECK_EQ_U64(effort_of(NC3Z_LEVEL_MAX)->price, 0);
}

int main(void)
{
	RUN(test_ascending);
	RUN(test_bounds);
	return check_report();
}
