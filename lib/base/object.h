/* SPDX-License-Identifier: MIT */
/* Loading shared objects that belong to the library and are optional. */
#ifndef NC3Z_BASE_OBJECT_H
#define NC3Z_BASE_OBJECT_H

/*
 * Loads an object by its name: from below the directory of the library or
 * where programs have libraries, or, as built, beside the library; otherwise
 * from where the system looks.  NULL if there is none, or if the program is
 * statically linked.
 */
void *object_load(const char *name);

/* The address of a name in an object; NULL if it has none. */
const void *object_table(void *object, const char *name);

#endif
