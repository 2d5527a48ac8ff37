/* SPDX-License-Identifier: MIT */
/* What the plan knows of a block, for choosing, which knows no plan. */
#ifndef NC3Z_WRITE_HINT_H
#define NC3Z_WRITE_HINT_H

#include "choose/choose.h"
#include "plan/hint.h"

static inline struct choose_hint hint_for_choosing(const struct plan_hint *hint)
{
	return (struct choose_hint){
		.width = hint->width,
		.is_float = hint->is_float,
		.is_text = hint->is_text,
		.row_nelems = hint->row_nelems,
		.plane_nelems = hint->plane_nelems,
	};
}

#endif
