/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - the names of numbers, for the table enum_name and the SQL functions
 *
 * A domain is a kind of the vocabulary ("lru", "zone", ...) or "actor". Bit masks ("gfp", "flags",
 * "reason", ...) list one name a bit, with the bit's value.
 */
#ifndef RECLAIMLAB_NAMES_H
#define RECLAIMLAB_NAMES_H

#include <stdint.h>

/* Call @each with every name; it returns non-zero to stop, which is returned. */
int names_each(int (*each)(void *ctx, const char *domain, int64_t value, const char *name),
	       void *ctx);

#endif
