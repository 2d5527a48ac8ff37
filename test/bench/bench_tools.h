/* SPDX-License-Identifier: MIT */
/* What the programs that time reading share. */
#ifndef BENCH_BENCH_TOOLS_H
#define BENCH_BENCH_TOOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

/* Says what is wrong with what, and ends the program. */
noreturn void die(const char *what, const char *why);

/* A random number less than 'limit'; the same ones for the same state. */
size_t below(uint64_t *state, size_t limit);

/* Drives a file out of the page cache. */
void drop_pages(const char *path);

#endif
