/* SPDX-License-Identifier: MIT */
/*
 * For the sources of nc3dump that print: standard output is text in memory
 * here.  Included before everything else by the compiler's -include.
 */
#ifndef NC3Z_VIEWER_PRINT_H
#define NC3Z_VIEWER_PRINT_H

#include <stdio.h>

/* What is printed to; see face_text() in face.c. */
extern FILE *print_to;

#undef stdout
#undef putchar
#define stdout print_to
#define printf(...) fprintf(print_to, __VA_ARGS__)
#define putchar(c) putc((c), print_to)
#define puts(text) fprintf(print_to, "%s\n", (text))

#endif
