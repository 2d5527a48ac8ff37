/* SPDX-License-Identifier: MIT */
#include "remote/ini.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char blanks[] = " \t\r";

struct line {
	const char *at;
	size_t nbytes;
	bool is_indented;
};

static void trim(struct line *l)
{
	while (l->nbytes > 0 && strchr(blanks, l->at[0])) {
		l->at++;
		l->nbytes--;
		l->is_indented = true;
	}
	while (l->nbytes > 0 && strchr(blanks, l->at[l->nbytes - 1]))
		l->nbytes--;
}

static bool is_text(const struct line *l, const char *text)
{
	return l->nbytes == strlen(text) &&
	       strncmp(l->at, text, l->nbytes) == 0;
}

/* "[section]", with any blanks inside the brackets. */
static bool is_section(struct line l, const char *section)
{
	l.at++;
	l.nbytes -= 2;
	trim(&l);
	return is_text(&l, section);
}

/* Splits "name = value"; false if there is no '='. */
static bool split_line(const struct line *l, struct line *name,
		       struct line *value)
{
	const char *equals = memchr(l->at, '=', l->nbytes);

	if (!equals)
		return false;
	*name = (struct line){ l->at, (size_t)(equals - l->at), false };
	*value = (struct line){ equals + 1, l->nbytes - name->nbytes - 1,
				false };
	trim(name);
	trim(value);
	return true;
}

/* Takes the next line that says something; false at the end. */
static bool take_line(const char **at, struct line *l)
{
	while (**at) {
		*l = (struct line){ *at, strcspn(*at, "\n"), false };
		*at += l->nbytes + ((*at)[l->nbytes] == '\n');
		trim(l);
		if (l->nbytes > 0 && l->at[0] != '#' && l->at[0] != ';')
			return true;
	}
	return false;
}

static bool is_any_section(const struct line *l)
{
	return l->at[0] == '[' && l->at[l->nbytes - 1] == ']' && l->nbytes >= 2;
}

bool ini_has(const char *text, const char *section)
{
	struct line l;

	while (take_line(&text, &l))
		if (is_any_section(&l) && is_section(l, section))
			return true;
	return false;
}

char *ini_find(const char *text, const char *section, const char *group,
	       const char *name)
{
	bool is_in_section = false, is_in_group = !group;
	struct line l, key, value;

	while (take_line(&text, &l)) {
		if (is_any_section(&l)) {
			is_in_section = is_section(l, section);
			is_in_group = !group;
			continue;
		}
		if (!is_in_section || !split_line(&l, &key, &value))
			continue;
		if (group && !l.is_indented)
			is_in_group = is_text(&key, group);
		else if (is_in_group && l.is_indented == (group != NULL) &&
			 is_text(&key, name))
			return strndup(value.at, value.nbytes);
	}
	return NULL;
}
