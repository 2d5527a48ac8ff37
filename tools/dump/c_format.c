/* SPDX-License-Identifier: MIT */
/*
 * The attribute comes from the file, so it is taken apart and put together
 * again; nothing else of it reaches printf().  Widths and precisions are cut:
 * of a value's text only the first 99 bytes are shown.
 */
#include "dump/c_format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "nc3z.h"

#define NUMBER_MAX 2000

struct conversion {
	char flags[8];
	int width;     /* -1: none */
	int precision; /* -1: none */
	char length[4];
	char letter;
};

/* Bytes of text before a conversion, "%%" among them. */
static size_t literal_nbytes(const char *text)
{
	const char *at = text;

	while (*at != '\0' && (*at != '%' || at[1] == '%'))
		at += *at == '%' ? 2 : 1;
	return (size_t)(at - text);
}

static const char *read_number(const char *at, int *number_ret)
{
	int n = 0;

	for (; isdigit((unsigned char)*at); at++) {
		n = 10 * n + (*at - '0');
		if (n > NUMBER_MAX)
			n = NUMBER_MAX;
	}
	*number_ret = n;
	return at;
}

static const char *read_set(const char *at, const char *set, char *to,
			    size_t to_nbytes)
{
	size_t n = strspn(at, set);

	if (n >= to_nbytes)
		return NULL;
	memcpy(to, at, n);
	to[n] = '\0';
	return at + n;
}

/* Parses the text after the '%'; returns its end, or NULL. */
static const char *read_conversion(const char *at, struct conversion *c)
{
	*c = (struct conversion){ .width = -1, .precision = -1 };
	at = read_set(at, "-+ #0", c->flags, sizeof(c->flags));
	if (!at)
		return NULL;
	if (isdigit((unsigned char)*at))
		at = read_number(at, &c->width);
	if (*at == '.')
		at = read_number(at + 1, &c->precision);
	at = read_set(at, "hlLjztq", c->length, sizeof(c->length));
	if (!at || *at == '\0')
		return NULL;
	c->letter = *at;
	return at + 1;
}

static bool is_length(const struct conversion *c, const char *list)
{
	char word[6];

	snprintf(word, sizeof(word), " %s ", c->length);
	return strstr(list, word) != NULL;
}

/* The argument, and the length modifier for it; false if they do not fit. */
static bool choose_argument(const struct conversion *c, int type,
			    enum c_argument *argument_ret,
			    const char **length_ret)
{
	bool is_float = type == NC3Z_FLOAT || type == NC3Z_DOUBLE;
	bool is_long = is_length(c, " l ll j z t q L ");

	*length_ret = "";
	if (is_float) {
		*argument_ret = C_ARGUMENT_DOUBLE;
		return strchr("aAeEfFgG", c->letter) && is_length(c, "  l ");
	}
	if (c->letter == 'c') {
		*argument_ret = C_ARGUMENT_INT;
		return is_length(c, "  ");
	}
	*argument_ret = is_long ? C_ARGUMENT_LONG : C_ARGUMENT_INT;
	*length_ret = is_long ? "ll" : c->length;
	return strchr("diuoxX", c->letter) &&
	       (is_long || is_length(c, "  h hh "));
}

static size_t put_conversion(char *to, size_t to_nbytes,
			     const struct conversion *c, const char *length)
{
	size_t n = (size_t)snprintf(to, to_nbytes, "%%%s", c->flags);

	if (c->width >= 0)
		n += (size_t)snprintf(to + n, to_nbytes - n, "%d", c->width);
	if (c->precision >= 0)
		n += (size_t)snprintf(to + n, to_nbytes - n, ".%d",
				      c->precision);
	return n + (size_t)snprintf(to + n, to_nbytes - n, "%s%c", length,
				    c->letter);
}

bool c_format_parse(struct c_format *format, const char *text, int type)
{
	size_t nbytes = literal_nbytes(text), n = nbytes;
	struct conversion c;
	const char *length;

	if (strlen(text) >= C_FORMAT_NBYTES_MAX)
		return false;
	format->argument = C_ARGUMENT_NONE;
	memcpy(format->text, text, nbytes);
	text += nbytes;
	if (*text == '%') {
		text = read_conversion(text + 1, &c);
		if (!text ||
		    !choose_argument(&c, type, &format->argument, &length))
			return false;
		n += put_conversion(format->text + n, sizeof(format->text) - n,
				    &c, length);
		nbytes = literal_nbytes(text);
		if (text[nbytes] != '\0')
			return false;
		memcpy(format->text + n, text, nbytes);
		n += nbytes;
	}
	format->text[n] = '\0';
	return true;
}
