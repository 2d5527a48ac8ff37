#include "choose/effort.h"

#define ALL_WISHES (BLOCK_WISH_DROP | BLOCK_WISH_DECIMAL | BLOCK_WISH_PALETTE)

/*
 * Time goes first to where it gains most: predictions, then splitting steps,
 * then the codec.
 */
static const struct effort efforts[NC3Z_LEVEL_MAX + 1] = {
	[1] = { .few = true, .nwhole = 1, .text_level = 1 },
	[2] = { .wishes = BLOCK_WISH_DECIMAL,
		.few = true,
		.nwhole = 1,
		.text_level = 2 },
	[3] = { .wishes = BLOCK_WISH_DECIMAL | BLOCK_WISH_PALETTE,
		.nwhole = 1,
		.text_level = 3 },
	[4] = { .wishes = ALL_WISHES, .nwhole = 1, .text_level = 6 },
	[5] = { .wishes = ALL_WISHES,
		.layouts = true,
		.nwhole = 1,
		.text_level = 7 },
	[6] = { .wishes = ALL_WISHES,
		.layouts = true,
		.nwhole = 1,
		.text_level = 7 },
	[7] = { .wishes = ALL_WISHES,
		.layouts = true,
		.nwhole = 2,
		.text_level = 7 },
	[8] = { .wishes = ALL_WISHES,
		.layouts = true,
		.nwhole = 2,
		.text_level = 8 },
	[9] = { .wishes = ALL_WISHES,
		.layouts = true,
		.nwhole = 3,
		.text_level = 9 },
};

const struct effort *effort_of(int level)
{
	return &efforts[level];
}
