/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/base/nearest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_MAX 48

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: Damerau-Levenshtein without edits inside a swap. */
static unsigned int distance_of(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int row[3][LENGTH_MAX + 1];

	for (size_t j = 0; j <= nb; j++)
		row[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned int *now = row[i % 3], *last = row[(i + 2) % 3];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned int other = last[j - 1] + (a[i - 1] != b[j - 1]);

			now[j] = least(other, least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], row[(i + 1) % 3][j - 2] + 1);
		}
	}
	return row[na % 3][nb];
}

void rl_nearest_offer(struct rl_nearest *nearest, const char *name)
{
	size_t nw = strlen(nearest->word), nn = strlen(name);
	unsigned int distance;

	if (!nw || nw > LENGTH_MAX || nn > LENGTH_MAX)
		return;
	distance = distance_of(nearest->word, nw, name, nn);
	if (nw >= 3 && nn > nw && !strncmp(name, nearest->word, nw))
		distance = 1;
	if (distance > 1 + least((unsigned int)nw, (unsigned int)nn) / 4)
		return;
	if (!nearest->name || distance < nearest->distance) {
		nearest->name = name;
		nearest->distance = distance;
	}
}

const char *rl_nearest_words(const struct rl_nearest *nearest, char *buf, unsigned int size)
{
	buf[0] = '\0';
	if (nearest->name)
		snprintf(buf, size, "; did you mean %s?", nearest->name);
	return buf;
}
