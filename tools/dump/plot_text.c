#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "dump/plot.h"

void plot_put_number(double value, char label[PLOT_LABEL_NBYTES])
{
	snprintf(label, PLOT_LABEL_NBYTES, "%.4g", value);
}

/* Bytes of the character at the front of a text that has one; 1 for others. */
static size_t character_nbytes(const char *text, size_t nbytes)
{
	size_t n = utf8_nbytes(text, nbytes);

	return n > 0 ? n : 1;
}

int plot_text_width(const char *text)
{
	size_t nbytes = strlen(text);
	int width = 0;

	while (nbytes > 0) {
		size_t n = character_nbytes(text, nbytes);

		text += n;
		nbytes -= n;
		width++;
	}
	return width;
}

/* U+0080 to U+009F command some terminals, too. */
static bool is_shown(const struct screen *screen, const unsigned char *c,
		     size_t nbytes)
{
	if (nbytes == 1)
		return *c >= 0x20 && *c < 0x7f;
	return screen->is_unicode && !(c[0] == 0xc2 && c[1] < 0xa0);
}

int plot_print(const struct screen *screen, const char *text, int columns)
{
	size_t nbytes = strlen(text);
	int width;

	for (width = 0; nbytes > 0 && width < columns; width++) {
		size_t n = character_nbytes(text, nbytes);

		if (is_shown(screen, (const unsigned char *)text, n))
			fwrite(text, 1, n, stdout);
		else
			putchar('?');
		text += n;
		nbytes -= n;
	}
	return width;
}

void plot_print_blanks(int n)
{
	if (n > 0)
		printf("%*s", n, "");
}

void plot_print_right(const struct screen *screen, const char *text,
		      int columns)
{
	int width = plot_text_width(text);

	/* A part of a number is another number. */
	if (width > columns) {
		text = "";
		width = 0;
	}
	plot_print_blanks(columns - width);
	plot_print(screen, text, columns);
}
