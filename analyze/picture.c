/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "analyze/picture.h"

#define EIGHTHS 8

/* The sum of the values that fall on character @at of @width. */
static double picture_part(const double *value, size_t count, size_t width, size_t at)
{
	size_t first = at * count / width;
	size_t last = (at + 1) * count / width;
	double sum = 0;

	for (size_t i = first; i < last; i++)
		sum += value[i];
	return sum;
}

double picture_line(const double *value, size_t count, size_t width, char *buf)
{
	static const char *const block[EIGHTHS + 1] = {
		" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
	};
	double most = 0;

	if (count < width)
		width = count;
	for (size_t i = 0; i < width; i++)
		most = fmax(most, picture_part(value, count, width, i));
	*buf = '\0';
	for (size_t i = 0; i < width; i++) {
		double part = picture_part(value, count, width, i);
		int height = most > 0 ? (int)ceil(part / most * EIGHTHS) : 0;

		buf = stpcpy(buf, block[height < 0 ? 0 : height > EIGHTHS ? EIGHTHS : height]);
	}
	return most;
}
