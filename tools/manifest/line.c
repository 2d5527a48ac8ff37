/* SPDX-License-Identifier: MIT */
#include "manifest/line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/digest.h"

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

void line_print(const unsigned char *checksum, size_t checksum_nbytes,
		const char *name, size_t name_nbytes)
{
	if (has_escapes(name, name_nbytes))
		putchar('\\');
	digest_put(stdout, checksum, checksum_nbytes);
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

static bool parse_digits(const char *text, struct line_entry *entry)
{
	for (size_t i = 0; i < 2 * entry->kind->nbytes; i++) {
		unsigned char *byte = &entry->checksum[i / 2];
		int value = digit_value(text[i]);

		if (value < 0)
			return false;
		*byte = (unsigned char)(*byte << 4 | value);
	}
	return true;
}

/* "SHA256 (NAME) = DIGITS"; the digits have no parenthesis, a name may. */
static bool parse_tagged(char *line, struct line_entry *entry)
{
	static const char equals[] = ") = ";
	char *open = strstr(line, " ("), *close = strrchr(line, ')');

	if (!open || !close || close < open + 2 ||
	    strncmp(close, equals, strlen(equals)) != 0)
		return false;
	entry->kind = checksum_by_tag(line, (size_t)(open - line));
	close[0] = '\0';
	entry->name = open + 2;
	close += strlen(equals);
	return entry->kind && strlen(close) == 2 * entry->kind->nbytes &&
	       parse_digits(close, entry);
}

static bool parse_plain(char *line, struct line_entry *entry)
{
	size_t ndigits = strspn(line, "0123456789abcdefABCDEF");

	if (ndigits % 2 != 0 || line[ndigits] != ' ' ||
	    (line[ndigits + 1] != ' ' && line[ndigits + 1] != '*'))
		return false;
	entry->kind = checksum_by_length(ndigits / 2);
	entry->name = line + ndigits + 2;
	return entry->kind && entry->name[0] != '\0' &&
	       parse_digits(line, entry);
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
	if (!parse_plain(line, entry) && !parse_tagged(line, entry))
		return false;
	return !is_escaped || unescape(entry->name);
}

void line_print_name(const char *name)
{
	size_t nbytes = strlen(name);

	if (has_escapes(name, nbytes))
		putchar('\\');
	print_name(name, nbytes);
}
