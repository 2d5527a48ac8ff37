/* SPDX-License-Identifier: MIT */
#include "io/remote_load.h"

#include <stdio.h>

#include "base/object.h"

const struct remote_room *remote_load(char *why_not, size_t why_not_nbytes)
{
	const struct remote_room *room;
	void *handle = object_load(NC3Z_REMOTE_LIBRARY);

	if (!handle) {
		snprintf(why_not, why_not_nbytes,
			 "reading URLs needs %s, which cannot be loaded: it "
			 "is missing, or the program is statically linked",
			 NC3Z_REMOTE_LIBRARY);
		return NULL;
	}
	room = object_table(handle, REMOTE_ROOM_SYMBOL);
	if (room && room->version == REMOTE_ROOM_VERSION)
		return room;
	snprintf(why_not, why_not_nbytes,
		 "%s is of another version of the library",
		 NC3Z_REMOTE_LIBRARY);
	return NULL;
}
