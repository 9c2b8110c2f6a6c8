/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.h - which of the names that there are was meant by one that is none
 *
 * Names are offered one by one; the nearest is kept. Distance counts letters that were left out,
 * put in, mistaken or swapped with their neighbour; a name that goes on where the word ends is
 * near, too.
 */
#ifndef RECLAIMLAB_NEAREST_H
#define RECLAIMLAB_NEAREST_H

struct rl_nearest {
	const char *word;
	const char *name; /* the nearest so far, as it was offered; NULL: none is near */
	unsigned int distance;
};

void rl_nearest_offer(struct rl_nearest *nearest, const char *name);

/* What to put behind a message: "; did you mean X?" in @buf, or "" where nothing is near. */
const char *rl_nearest_words(const struct rl_nearest *nearest, char *buf, unsigned int size);

#define RL_NEAREST_SIZE 96 /* of a buffer */

#endif
