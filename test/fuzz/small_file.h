/* SPDX-License-Identifier: MIT */
/*
 * A small classic file for targets whose input is text about files: names that
 * text has to quote, ranks from 0 to 3, records.
 */
#ifndef FUZZ_SMALL_FILE_H
#define FUZZ_SMALL_FILE_H

#include "base/memory.h"

/* Appends it to an empty buffer. */
void small_file_make(struct buffer *out);

#endif
