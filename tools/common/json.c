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

void json_print_bytes(const char *text, size_t nbytes)
{
	putchar('"');
	while (nbytes > 0) {
		unsigned char c = (unsigned char)*text;
		size_t n = utf8_nbytes(text, nbytes);

		if (n == 0)
			printf("\\ufffd");
		else if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			fwrite(text, 1, n, stdout);
		n = n > 0 ? n : 1;
		text += n;
		nbytes -= n;
	}
	putchar('"');
}

void json_print_string(const char *text)
{
	json_print_bytes(text, strlen(text));
}

void json_print_field(const char *key, const char *text)
{
	printf("\"%s\": ", key);
	json_print_string(text);
}
