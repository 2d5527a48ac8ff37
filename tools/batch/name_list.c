/* SPDX-License-Identifier: MIT */
#include "batch/name_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

/* With errno if that fails. */
static bool read_all(struct name_list *list, FILE *from)
{
	size_t capacity = 0, got;

	do {
		if (list->nbytes == capacity) {
			char *grown;

			capacity = 2 * capacity + 65536;
			grown = realloc(list->text, capacity);
			if (!grown)
				return false;
			list->text = grown;
		}
		got = fread(list->text + list->nbytes, 1,
			    capacity - list->nbytes, from);
		list->nbytes += got;
	} while (got > 0);
	return !ferror(from);
}

/* Why nothing in it can be relied on; NULL if there is no reason. */
static const char *find_fault(const struct name_list *list)
{
	const char *text = list->text;

	if (list->nbytes == 0)
		return NULL;
	if (text[list->nbytes - 1] != '\0')
		return "the last name does not end in a NUL byte, so the list "
		       "may be cut off; nothing was done (find -print0 and "
		       "printf '%s\\0' write such lists)";
	for (size_t i = 0; i < list->nbytes; i++)
		if (text[i] == '\0' && (i == 0 || text[i - 1] == '\0'))
			return "a name in the list is empty; nothing was done";
	return NULL;
}

bool name_list_read(struct name_list *list, const char *from)
{
	bool is_stdin = strcmp(from, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(from, "r");
	const char *fault;
	bool ok;

	*list = (struct name_list){ 0 };
	if (!file) {
		message_error(from, "cannot open: %s", strerror(errno));
		return false;
	}
	ok = read_all(list, file);
	if (!ok)
		message_error(from, "cannot read: %s", strerror(errno));
	fault = ok ? find_fault(list) : NULL;
	if (fault)
		message_error(from, "%s", fault);
	if (!is_stdin)
		fclose(file);
	if (ok && !fault)
		return true;
	free(list->text);
	return false;
}
