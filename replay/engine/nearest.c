/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nearest.h"

#include <string.h>

#define MAX_LENGTH 40

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance. */
static unsigned int distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned int row[3][MAX_LENGTH + 1];

	for (size_t j = 0; j <= lb; j++)
		row[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *now = row[i % 3], *one = row[(i + 2) % 3], *two = row[(i + 1) % 3];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			now[j] = least(least(one[j], now[j - 1]) + 1,
				       one[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], two[j - 2] + 1);
		}
	}
	return row[la % 3][lb];
}

const char *rc_nearest(const char *word, const char *const *words, size_t nr)
{
	size_t len = strlen(word);
	const char *best = NULL;
	unsigned int fewest;

	if (!len || len > MAX_LENGTH)
		return NULL;
	fewest = (unsigned int)(len + 2) / 3 + 1;
	for (size_t i = 0; i < nr; i++) {
		size_t n = strlen(words[i]);
		unsigned int d;

		if (n > MAX_LENGTH)
			continue;
		if (len > 2 && !strncmp(words[i], word, len))
			return words[i];
		d = distance(word, len, words[i], n);
		if (d < fewest) {
			fewest = d;
			best = words[i];
		}
	}
	return best;
}
