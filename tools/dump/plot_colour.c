/*
 * Colours from low to high in which brightness grows all the way, so that they
 * also say something to those who do not see all colours: dark violet, blue,
 * green, yellow.
 */
#include <stdio.h>

#include "dump/plot.h"

/* Of the cube of 6 x 6 x 6 colours that terminals with 256 have. */
static const unsigned char colours[PLOT_NCOLOURS] = { 53,  54,  55,  24, 25,
						      30,  31,  36,  71, 77,
						      113, 149, 185, 227 };

#define CUBE_FIRST 16

int plot_colour(int level)
{
	return level < 0 ? -1 : colours[level];
}

/* One of the three, 0 to 2, as a hundredth. */
static double part(int colour, int which)
{
	static const unsigned char steps[] = { 0, 95, 135, 175, 215, 255 };
	static const unsigned char divisors[] = { 36, 6, 1 };

	return steps[(colour - CUBE_FIRST) / divisors[which] % 6] / 2.55;
}

void plot_rgb(double at, int rgb[3])
{
	double place = at * (PLOT_NCOLOURS - 1);
	int i = (int)place;

	if (i > PLOT_NCOLOURS - 2)
		i = PLOT_NCOLOURS - 2;
	for (int which = 0; which < 3; which++) {
		double a = part(colours[i], which);
		double b = part(colours[i + 1], which);

		rgb[which] = (int)(a + (b - a) * (place - i) + .5);
	}
}

void plot_set_colours(int front, int back)
{
	fputs("\033[0", stdout);
	if (front >= 0)
		printf(";38;5;%d", front);
	if (back >= 0)
		printf(";48;5;%d", back);
	putchar('m');
}
