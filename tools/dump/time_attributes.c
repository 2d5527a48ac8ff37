/* SPDX-License-Identifier: MIT */
#include "dump/time_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "dump/attribute.h"

/* A text attribute; false if there is none of that kind. */
static bool find_text(const struct dump *dump, int varid, const char *name,
		      struct attribute *a)
{
	if (attribute_find(dump->file, varid, name, a, NULL) != NC3Z_OK)
		return false;
	if (a->att.type == NC3Z_CHAR)
		return true;
	attribute_release(a);
	return false;
}

/* Whose bounds a variable holds: the last that names it; itself if none. */
static int find_owner(const struct dump *dump, int varid, const char *name)
{
	for (size_t i = dump->nbounds; i > 0; i--)
		if (strcmp(dump->bounds[i - 1].name, name) == 0)
			return dump->bounds[i - 1].owner;
	return varid;
}

bool time_axis_find(struct dump *dump, int varid, const char *name,
		    struct time_axis *axis_ret)
{
	int owner = find_owner(dump, varid, name);
	enum calendar calendar = CALENDAR_MIXED;
	struct attribute a;
	bool is_time;

	if (find_text(dump, owner, "calendar", &a)) {
		calendar = calendar_find(a.values, (size_t)a.att.nelems);
		attribute_release(&a);
	}
	if (!find_text(dump, owner, "units", &a))
		return false;
	is_time = time_axis_parse(axis_ret, calendar, a.values);
	attribute_release(&a);
	return is_time;
}

bool time_axis_find_known(struct dump *dump, int varid, const char *name,
			  struct time_axis *axis_ret)
{
	struct attribute a;
	bool is_known = true;

	if (!time_axis_find(dump, varid, name, axis_ret))
		return false;
	if (find_text(dump, find_owner(dump, varid, name), "calendar", &a)) {
		is_known = calendar_find_known(a.values, (size_t)a.att.nelems,
					       &axis_ret->calendar);
		attribute_release(&a);
	}
	return is_known;
}

bool time_bounds_add(struct dump *dump, int varid, const char *bounds)
{
	struct time_bounds *list =
		realloc(dump->bounds, (dump->nbounds + 1) * sizeof(*list));

	if (!list)
		return false;
	dump->bounds = list;
	list[dump->nbounds] = (struct time_bounds){
		.owner = varid,
		.name = strdup(bounds),
	};
	if (!list[dump->nbounds].name)
		return false;
	dump->nbounds++;
	return true;
}

void time_bounds_release(struct dump *dump)
{
	for (size_t i = 0; i < dump->nbounds; i++)
		free(dump->bounds[i].name);
	free(dump->bounds);
	dump->bounds = NULL;
	dump->nbounds = 0;
}
