/* SPDX-License-Identifier: MIT */
#include "manifest/line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/digest.h"

#define DIGEST_NDIGITS ((size_t)2 * LINE_DIGEST_NBYTES)

static bool needs_escape(char c)
{
	return c == '\\' || c == '\n' || c == '\r';
}

static bool has_escapes(const char *name, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		if (needs_escape(name[i]))
			return true;
	return false;
}

static void print_name(const char *name, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++) {
		char c = name[i];

		if (needs_escape(c))
			putchar('\\');
		putchar(c == '\n' ? 'n' : c == '\r' ? 'r' : c);
	}
}

void line_print(const unsigned char sha256[LINE_DIGEST_NBYTES],
		const char *name, size_t name_nbytes)
{
	if (has_escapes(name, name_nbytes))
		putchar('\\');
	digest_print(sha256);
	printf("  ");
	print_name(name, name_nbytes);
	putchar('\n');
}

static int digit_value(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool parse_digest(const char *text,
			 unsigned char sha256[LINE_DIGEST_NBYTES])
{
	for (size_t i = 0; i < DIGEST_NDIGITS; i++) {
		int value = digit_value(text[i]);

		if (value < 0)
			return false;
		sha256[i / 2] = (unsigned char)(sha256[i / 2] << 4 | value);
	}
	return true;
}

/* Undoes the escapes of a name in place; false if there is no such escape. */
static bool unescape(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		char c = *from;

		if (c == '\\') {
			c = *++from;
			if (c != '\\' && c != 'n' && c != 'r')
				return false;
			c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

bool line_parse(char *line, struct line_entry *entry)
{
	bool is_escaped = line[0] == '\\';
	size_t n;

	line += is_escaped;
	line[strcspn(line, "\n")] = '\0';
	n = strlen(line);
	/* As sha256sum writes it on systems that end lines with both. */
	if (n > 0 && line[n - 1] == '\r')
		line[--n] = '\0';
	if (n < DIGEST_NDIGITS + 3 || !parse_digest(line, entry->sha256) ||
	    line[DIGEST_NDIGITS] != ' ' ||
	    !strchr(" *", line[DIGEST_NDIGITS + 1]))
		return false;
	entry->name = line + DIGEST_NDIGITS + 2;
	return !is_escaped || unescape(entry->name);
}

void line_print_name(const char *name)
{
	size_t nbytes = strlen(name);

	if (has_escapes(name, nbytes))
		putchar('\\');
	print_name(name, nbytes);
}
