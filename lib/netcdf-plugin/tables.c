/* SPDX-License-Identifier: MIT */
/* The functions of each copy of libnetcdf: the same four times over. */
#include "netcdf-plugin/netcdf_copies.h"

#define COPY 0
#include "netcdf-plugin/copy_slots.h"
#define COPY 1
#include "netcdf-plugin/copy_slots.h"
#define COPY 2
#include "netcdf-plugin/copy_slots.h"
#define COPY 3
#include "netcdf-plugin/copy_slots.h"

void table_init(struct netcdf_table *table, int copy)
{
	static void (*const fill[COPIES_MAX])(struct netcdf_table *) = {
		fill_table_0,
		fill_table_1,
		fill_table_2,
		fill_table_3,
	};

	*table = answers;
	fill[copy](table);
}
