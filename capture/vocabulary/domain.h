/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain.h - names and numbers of the vocabulary's enumerations and masks
 *
 * Inside the vocabulary only. The binder asks here what a name in a recorded table means; the
 * public parse and format functions print and read values with the same tables.
 */
#ifndef RECLAIMLAB_DOMAIN_H
#define RECLAIMLAB_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/vocabulary/gfp.h"
#include "capture/vocabulary/vocabulary.h"

/* The value or bit called @name in @kind. GFP names: see gfp_single_name(). */
bool domain_value(enum vocab_kind kind, const char *name, size_t len, int64_t *value);

/* Values are bits that add up. */
bool domain_is_mask(enum vocab_kind kind);

/* Values have names at all. */
bool domain_is_named(enum vocab_kind kind);

/* A number without a recorded name keeps its meaning (see ORDER in domains.def). */
bool domain_keeps_order(enum vocab_kind kind);

/* A whole number in decimal, 0x hexadecimal or, with @bare_hex, bare hexadecimal. */
bool domain_number(const char *text, size_t len, bool bare_hex, int64_t *value);

/* Masks as text, "A|B|0x40". */
int domain_parse_mask(enum vocab_kind kind, const char *text, size_t len, int64_t *value);
void domain_format_mask(enum vocab_kind kind, int64_t value, char *buf, size_t size);

/* gfp.c: the bits that a single flag's name stands for; false for composites and unknown names. */
bool gfp_single_name(const char *name, size_t len, int64_t *mask);
int gfp_parse(const char *text, size_t len, int64_t *value);
void gfp_format(int64_t value, char *buf, size_t size);

/* Bring a mask into the one form that every kernel's spelling of it has, see gfp.h. */
static inline int64_t gfp_normalize(int64_t value)
{
	const int64_t atomic = RL_GFP(ATOMIC) | RL_GFP(HIGH) | RL_GFP(KSWAPD_RECLAIM);
	const int64_t waits = RL_GFP(DIRECT_RECLAIM) | RL_GFP(HIGH) | RL_GFP(KSWAPD_RECLAIM);

	if ((value & atomic) == atomic)
		value &= ~RL_GFP(ATOMIC);
	if ((value & waits) == RL_GFP(KSWAPD_RECLAIM))
		value |= RL_GFP(NOWARN);
	return value;
}

#endif
