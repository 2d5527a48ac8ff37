/* SPDX-License-Identifier: MIT */
/*
 * A list is cut at the commas outside of brackets; empty boxes are passed
 * over.  A box that is the name of a variable is that variable, so that names
 * with brackets can be given; any other that ends in brackets is a part.
 */
#include "dump/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Where a box of a list ends. */
static const char *piece_end(const char *at)
{
	while (*at != '\0' && *at != ',') {
		const char *close = *at == '[' ? strchr(at, ']') : NULL;

		at = close ? close + 1 : at + 1;
	}
	return at;
}

static bool no_memory(char *why, size_t why_nbytes)
{
	snprintf(why, why_nbytes, "out of memory");
	return false;
}

static bool find_item(struct selection *item, const struct nc3z_file *file,
		      const char *name, char *why, size_t why_nbytes)
{
	struct nc3z_var var;

	if (nc3z_inq_varid(file, name, &item->varid, NULL) == NC3Z_OK)
		return true;
	for (int i = 0; nc3z_inq_var(file, i, &var, NULL) == NC3Z_OK; i++)
		if (strcasecmp(var.name, name) == 0) {
			snprintf(why, why_nbytes,
				 "%.200s: no such variable; there is %.200s",
				 name, var.name);
			return false;
		}
	snprintf(why, why_nbytes, "%.200s: no such variable", name);
	return false;
}

/* "NAME[...]", 'bracket' being where the brackets begin. */
/* All of the variable that was found. */
static bool take_all(struct selection *item, const struct nc3z_file *file,
		     char *why, size_t why_nbytes, struct nc3z_var *var_ret)
{
	if (nc3z_inq_var(file, item->varid, var_ret, NULL) == NC3Z_OK &&
	    dump_hyperslab_init(&item->slab, var_ret))
		return true;
	snprintf(why, why_nbytes, "%.200s: %s", item->text, strerror(errno));
	return false;
}

static bool parse_part(struct selection *item, const struct nc3z_file *file,
		       size_t bracket, char *why, size_t why_nbytes)
{
	size_t nbytes = strlen(item->text);
	char reason[256], *copy = strdup(item->text);
	struct nc3z_var var;
	bool is_good;

	if (!copy)
		return no_memory(why, why_nbytes);
	copy[bracket] = '\0';
	copy[nbytes - 1] = '\0';
	item->is_part = true;
	is_good = find_item(item, file, copy, why, why_nbytes);
	is_good = is_good && take_all(item, file, why, why_nbytes, &var);
	if (is_good &&
	    !dump_hyperslab_parse(&item->slab, file, &var, copy + bracket + 1,
				  reason, sizeof(reason))) {
		snprintf(why, why_nbytes, "%.200s: %s", item->text, reason);
		is_good = false;
	}
	free(copy);
	return is_good;
}

static bool parse_item(struct selection *item, const struct nc3z_file *file,
		       char *why, size_t why_nbytes)
{
	size_t nbytes = strlen(item->text);
	const char *bracket = strrchr(item->text, '[');
	struct nc3z_var var;

	if (nc3z_inq_varid(file, item->text, &item->varid, NULL) != NC3Z_OK &&
	    bracket && bracket > item->text && item->text[nbytes - 1] == ']')
		return parse_part(item, file, (size_t)(bracket - item->text),
				  why, why_nbytes);
	return find_item(item, file, item->text, why, why_nbytes) &&
	       take_all(item, file, why, why_nbytes, &var);
}

bool selections_parse(struct selections *s, const struct nc3z_file *file,
		      const char *argument, char *why, size_t why_nbytes)
{
	const char *end;

	s->is_list = argument != NULL;
	for (const char *at = argument; at && *at != '\0'; at = end) {
		struct selection *list;

		end = piece_end(at);
		if (end == at) {
			end++;
			continue;
		}
		list = realloc(s->list, (s->count + 1) * sizeof(*list));
		if (!list)
			return no_memory(why, why_nbytes);
		s->list = list;
		list[s->count] = (struct selection){
			.text = strndup(at, (size_t)(end - at)),
		};
		s->count++;
		if (!list[s->count - 1].text)
			return no_memory(why, why_nbytes);
		if (!parse_item(&list[s->count - 1], file, why, why_nbytes))
			return false;
	}
	if (s->is_list && s->count == 0) {
		snprintf(why, why_nbytes, "no variable is named");
		return false;
	}
	return true;
}

void selections_release(struct selections *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->list[i].text);
		dump_hyperslab_release(&s->list[i].slab);
	}
	free(s->list);
	*s = (struct selections){ 0 };
}

bool selections_have(const struct selections *s, int varid)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].varid == varid)
			return true;
	return !s->is_list;
}
