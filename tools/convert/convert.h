/* SPDX-License-Identifier: MIT */
/*
 * What nc3convert does with a file, by target: an archive's layout stays where
 * the settings do not say otherwise.
 */
#ifndef NC3Z_TOOLS_CONVERT_CONVERT_H
#define NC3Z_TOOLS_CONVERT_CONVERT_H

#include "batch/action.h"

extern const struct batch_action convert_actions[];

#endif
