/* SPDX-License-Identifier: MIT */
#include "common/json.h"

#include <stdio.h>
#include <string.h>

size_t utf8_nbytes(const char *text, size_t nbytes)
{
	const unsigned char *u = (const unsigned char *)text;
	size_t n = u[0] < 0x80 ? 1 :
		   u[0] < 0xc2 ? 0 :
		   u[0] < 0xe0 ? 2 :
		   u[0] < 0xf0 ? 3 :
		   u[0] < 0xf5 ? 4 :
				 0;

	if (n > nbytes)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	/* Too long, surrogates, beyond U+10FFFF. */
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
	    (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return n;
}

void json_put_bytes(FILE *to, const char *text, size_t nbytes)
{
	putc('"', to);
	while (nbytes > 0) {
		unsigned char c = (unsigned char)*text;
		size_t n = utf8_nbytes(text, nbytes);

		if (n == 0)
			fputs("\\ufffd", to);
		else if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20)
			fprintf(to, "\\u%04x", c);
		else
			fwrite(text, 1, n, to);
		n = n > 0 ? n : 1;
		text += n;
		nbytes -= n;
	}
	putc('"', to);
}

void json_put_field(FILE *to, const char *key, const char *text)
{
	fprintf(to, "\"%s\": ", key);
	json_put_bytes(to, text, strlen(text));
}

bool utf8_is_text(const char *text)
{
	for (size_t left = strlen(text), n; left > 0; text += n, left -= n) {
		n = utf8_nbytes(text, left);
		if (n == 0)
			return false;
	}
	return true;
}

void json_put_name(FILE *to, const char *key, const char *name)
{
	json_put_field(to, key, name);
	if (utf8_is_text(name))
		return;
	fprintf(to, ", \"%s_hex\": \"", key);
	for (; *name; name++)
		fprintf(to, "%02x", (unsigned char)*name);
	putc('"', to);
}

void json_put_string(FILE *to, const char *text)
{
	json_put_bytes(to, text, strlen(text));
}

void json_print_field(const char *key, const char *text)
{
	json_put_field(stdout, key, text);
}
