/* SPDX-License-Identifier: MIT */
/*
 * Characters are those of the C locale, whatever the user's: bytes of 128 and
 * over are no letters, and no control characters either.
 */
#include "dump/cdl_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEEDS_BACKSLASH " !\"#$&'()*,:;<=>?[]\\^`{|}~"

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

char *cdl_escape_name(const char *name)
{
	char *escaped = malloc(4 * strlen(name) + 2), *to = escaped;

	if (!escaped)
		return NULL;
	if (*name >= '0' && *name <= '9')
		*to++ = '\\';
	for (; *name != '\0'; name++) {
		unsigned char c = (unsigned char)*name;

		if (is_control(c)) {
			to += sprintf(to, "\\%%%.2x", c);
			continue;
		}
		if (strchr(NEEDS_BACKSLASH, c))
			*to++ = '\\';
		*to++ = (char)c;
	}
	*to = '\0';
	return escaped;
}

void cdl_print_name(FILE *to, const char *name)
{
	char *escaped = cdl_escape_name(name);

	/* Short of memory, a name as it is beats none. */
	fputs(escaped ? escaped : name, to);
	free(escaped);
}

/* The letter after a backslash, 0 for none. */
static char escape_letter(unsigned char c)
{
	switch (c) {
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '\v':
		return 'v';
	case '\\':
	case '\'':
	case '"':
		return (char)c;
	default:
		return 0;
	}
}

void cdl_print_string(FILE *to, const char *text, size_t nbytes)
{
	while (nbytes > 0 && text[nbytes - 1] == '\0')
		nbytes--;
	putc('"', to);
	for (size_t i = 0; i < nbytes; i++) {
		unsigned char c = (unsigned char)text[i];
		char letter = escape_letter(c);

		if (c == '\n')
			fputs("\\n\",\n\t\t\t\"", to);
		else if (letter)
			fprintf(to, "\\%c", letter);
		else if (is_control(c))
			fprintf(to, "\\%03o", c);
		else
			putc(c, to);
	}
	putc('"', to);
}

size_t cdl_put_char(char *to, unsigned char c)
{
	char letter = escape_letter(c);

	if (c == '\n') {
		memcpy(to, "\\n\",\n    \"", 10);
		return 10;
	}
	to[0] = '\\';
	if (letter) {
		to[1] = letter;
		return 2;
	}
	if (is_control(c) || c >= 0x80) {
		to[1] = (char)('0' + (c >> 6));
		to[2] = (char)('0' + (c >> 3 & 7));
		to[3] = (char)('0' + (c & 7));
		return 4;
	}
	to[0] = (char)c;
	return 1;
}
