/*
 * A map as sixels: bands of six rows of pixels, each band once for each colour
 * in it, with runs of equal sixels as "!COUNT CHARACTER".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/plot.h"

#define NCOLOURS 64
#define BAND 6

void plot_sixel_size(const struct plot *plot, int *width_ret, int *height_ret)
{
	int width = plot->width * plot->screen->cell_width;
	int height = plot->height * plot->screen->cell_height;

	*width_ret = width < PLOT_PIXELS_MAX ? width : PLOT_PIXELS_MAX;
	*height_ret = height < PLOT_PIXELS_MAX ? height : PLOT_PIXELS_MAX;
}

static void print_colours(void)
{
	for (int i = 0; i < NCOLOURS; i++) {
		int rgb[3];

		plot_rgb((double)i / (NCOLOURS - 1), rgb);
		printf("#%d;2;%d;%d;%d", i, rgb[0], rgb[1], rgb[2]);
	}
}

static void print_run(int n, int bits)
{
	if (n > 3)
		printf("!%d%c", n, '?' + bits);
	else
		while (n-- > 0)
			putchar('?' + bits);
}

/* The pixels of a band that have that colour. */
static void print_plane(const signed char *band, int width, int colour)
{
	int n = 0, before = 0;

	printf("#%d", colour);
	for (int x = 0; x < width; x++) {
		int bits = 0;

		for (int i = 0; i < BAND; i++)
			bits |= (band[i * width + x] == colour) << i;
		if (bits != before) {
			print_run(n, before);
			n = 0;
		}
		before = bits;
		n++;
	}
	if (before != 0)
		print_run(n, before);
	putchar('$');
}

static void print_band(const signed char *band, int width)
{
	bool is_used[NCOLOURS] = { false };

	for (int i = 0; i < BAND * width; i++)
		if (band[i] >= 0)
			is_used[band[i]] = true;
	for (int i = 0; i < NCOLOURS; i++)
		if (is_used[i])
			print_plane(band, width, i);
	putchar('-');
}

static void print_picture(const struct plot *p, signed char *band)
{
	int width, height;

	plot_sixel_size(p, &width, &height);
	/* Pixels without a colour stay as they are. */
	printf("\033P0;1q\"1;1;%d;%d", width, height);
	print_colours();
	for (int y = 0; y < height; y += BAND) {
		memset(band, -1, (size_t)BAND * (size_t)width);
		for (int i = 0; i < BAND && y + i < height; i++)
			for (int x = 0; x < width; x++)
				band[i * width + x] = (signed char)plot_level(
					p,
					plot_value(p, x, y + i, width, height),
					NCOLOURS);
		print_band(band, width);
	}
	fputs("\033\\", stdout);
}

void plot_print_sixels(const struct plot *plot)
{
	signed char *band = malloc((size_t)BAND * PLOT_PIXELS_MAX);

	if (!band)
		return;
	printf("\0337\033[%dA\033[%dG", plot->height, plot->label_width + 2);
	print_picture(plot, band);
	fputs("\0338", stdout);
	free(band);
}
