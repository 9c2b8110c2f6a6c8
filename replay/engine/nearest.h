/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nearest.h - which word was meant */
#ifndef RECLAIM_NEAREST_H
#define RECLAIM_NEAREST_H

#include <stddef.h>

#define RC_NEAREST_WORDS 64

/*
 * The word of @words that @word is the begin of, or that is fewest letters away from it (inserted,
 * left out, changed, or two swapped: at most a third of its length); NULL where there is none.
 */
const char *rc_nearest(const char *word, const char *const *words, size_t nr);

#endif
