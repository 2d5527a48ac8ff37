/* SPDX-License-Identifier: MIT */
#include "parallel/cache_list.h"

/* After its neighbours are known. */
static void link_to_neighbours(struct cache_list *list,
			       struct cache_entry *entry)
{
	if (entry->older)
		entry->older->newer = entry;
	else
		list->oldest = entry;
	if (entry->newer)
		entry->newer->older = entry;
	else
		list->newest = entry;
}

void cache_list_put_newest(struct cache_list *list, struct cache_entry *entry)
{
	entry->older = list->newest;
	entry->newer = NULL;
	link_to_neighbours(list, entry);
}

void cache_list_put_oldest(struct cache_list *list, struct cache_entry *entry)
{
	entry->older = NULL;
	entry->newer = list->oldest;
	link_to_neighbours(list, entry);
}

void cache_list_take_out(struct cache_list *list, struct cache_entry *entry)
{
	if (entry->older)
		entry->older->newer = entry->newer;
	else
		list->oldest = entry->newer;
	if (entry->newer)
		entry->newer->older = entry->older;
	else
		list->newest = entry->older;
	entry->older = entry->newer = NULL;
}
