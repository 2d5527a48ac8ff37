/*
 * Reading ahead for programs that go through a file in order.
 *
 * Such a program asks for one record after the other, of one variable or of all
 * in turn, and works on each before it asks for the next.  Meanwhile a thread
 * decodes the blocks that come next, one for each variable, into the cache of
 * the file.
 */
#ifndef NC3Z_NETCDF_PLUGIN_AHEAD_H
#define NC3Z_NETCDF_PLUGIN_AHEAD_H

#include "netcdf-plugin/reader.h"

struct ahead;

/* For one file; NULL where it would not help, or there is no memory. */
struct ahead *ahead_new(struct nc3z_file *file);

/* Ends before the file is closed.  NULL is allowed, also below. */
void ahead_free(struct ahead *ahead);

/* These values are about to be read.  Any number of threads. */
void ahead_note(struct ahead *ahead, int varid,
		const struct nc3z_hyperslab *slab);

#endif
