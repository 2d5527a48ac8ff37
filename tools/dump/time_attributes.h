/* SPDX-License-Identifier: MIT */
/* Which variables are times: from their attributes and those of others. */
#ifndef NC3Z_TOOLS_DUMP_TIME_ATTRIBUTES_H
#define NC3Z_TOOLS_DUMP_TIME_ATTRIBUTES_H

#include "dump/cdl_time.h"
#include "dump/dump.h"

/*
 * The times of a variable as ncdump sees them: its units and calendar or, for
 * one that another variable names as its bounds, those of that one.  False if
 * it has none.
 */
bool time_axis_find(struct dump *dump, int varid, const char *name,
		    struct time_axis *axis_ret);

/* The same for people; false if nobody knows the calendar, too. */
bool time_axis_find_known(struct dump *dump, int varid, const char *name,
			  struct time_axis *axis_ret);

/*
 * Where 'varid' (or the file) has an attribute "bounds", the variable it names
 * holds times as 'varid' does; false if memory runs out.
 */
bool time_bounds_add(struct dump *dump, int varid, const char *bounds);

void time_bounds_release(struct dump *dump);

#endif
