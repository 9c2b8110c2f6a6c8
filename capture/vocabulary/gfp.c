/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/gfp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/vocabulary/domain.h"

struct gfp_name {
	int64_t mask;
	const char *name; /* without GFP_ or __GFP_ */
};

#define RECLAIM		 (RL_GFP(DIRECT_RECLAIM) | RL_GFP(KSWAPD_RECLAIM))
#define USER		 (RECLAIM | RL_GFP(IO) | RL_GFP(FS) | RL_GFP(HARDWALL))
#define HIGHUSER	 (USER | RL_GFP(HIGHMEM))
#define HIGHUSER_MOVABLE (HIGHUSER | RL_GFP(MOVABLE))
#define TRANSHUGE_LIGHT                                                                            \
	((HIGHUSER_MOVABLE | RL_GFP(COMP) | RL_GFP(NOMEMALLOC) | RL_GFP(NOWARN)) & ~RECLAIM)
#define KERNEL (RECLAIM | RL_GFP(IO) | RL_GFP(FS))

/* What kernels print for several bits at once, in the order in which they try (Linux 6.18). */
static const struct gfp_name gfp_composites[] = {
	{ TRANSHUGE_LIGHT | RL_GFP(DIRECT_RECLAIM), "TRANSHUGE" },
	{ TRANSHUGE_LIGHT, "TRANSHUGE_LIGHT" },
	{ HIGHUSER_MOVABLE, "HIGHUSER_MOVABLE" },
	{ HIGHUSER, "HIGHUSER" },
	{ USER, "USER" },
	{ KERNEL | RL_GFP(ACCOUNT), "KERNEL_ACCOUNT" },
	{ KERNEL, "KERNEL" },
	{ RECLAIM | RL_GFP(IO), "NOFS" },
	{ RL_GFP(HIGH) | RL_GFP(KSWAPD_RECLAIM), "ATOMIC" },
	{ RECLAIM, "NOIO" },
	{ RL_GFP(KSWAPD_RECLAIM) | RL_GFP(NOWARN), "NOWAIT" },
	{ RL_GFP(DMA), "DMA" },
	{ RL_GFP(DMA32), "DMA32" },
};

/* Read, but no longer printed. */
static const struct gfp_name gfp_old_composites[] = {
	{ KERNEL | RL_GFP(RECLAIMABLE), "TEMPORARY" },
	{ RL_GFP(IO) | RL_GFP(FS), "IOFS" },
	{ RECLAIM, "RECLAIM" },
};

static const struct gfp_name gfp_bits[] = {
#define B(bit, name) { RL_GFP(name), #name },
	RL_GFP_BITS(B)
#undef B
};

/* Former names of single bits. */
static const struct gfp_name gfp_old_bits[] = {
	{ RL_GFP(DIRECT_RECLAIM), "WAIT" },
	{ RL_GFP(RETRY_MAYFAIL), "REPEAT" },
	{ RL_GFP(SKIP_KASAN), "SKIP_KASAN_POISON" },
	{ RL_GFP(SKIP_KASAN), "SKIP_KASAN_UNPOISON" },
	{ RL_GFP(ACCOUNT), "KMEMCG" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool names_find(const struct gfp_name *names, size_t nr, const char *name, size_t len,
		       int64_t *mask)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(names[i].name) == len && !memcmp(names[i].name, name, len)) {
			*mask = names[i].mask;
			return true;
		}
	return false;
}

/* Length of the prefix, 0 where @name has none of the two. */
static size_t gfp_prefix(const char *name, size_t len)
{
	if (len > 6 && !memcmp(name, "__GFP_", 6))
		return 6;
	if (len > 4 && !memcmp(name, "GFP_", 4))
		return 4;
	return 0;
}

static bool gfp_composite_name(const char *name, size_t len, int64_t *mask)
{
	return names_find(gfp_composites, COUNT(gfp_composites), name, len, mask) ||
	       names_find(gfp_old_composites, COUNT(gfp_old_composites), name, len, mask);
}

static bool gfp_bit_name(const char *name, size_t len, int64_t *mask)
{
	if (len == 7 && !memcmp(name, "UNKNOWN", 7))
		return false;
	return names_find(gfp_bits, COUNT(gfp_bits), name, len, mask) ||
	       names_find(gfp_old_bits, COUNT(gfp_old_bits), name, len, mask);
}

bool gfp_single_name(const char *name, size_t len, int64_t *mask)
{
	size_t prefix = gfp_prefix(name, len);

	return prefix && gfp_bit_name(name + prefix, len - prefix, mask);
}

/* What one name stands for. *@old: it is a single bit in the spelling of kernels up to 4.5. */
static int64_t gfp_name_mask(const char *name, size_t len, bool *old)
{
	size_t prefix = gfp_prefix(name, len);
	int64_t mask, number;

	if (prefix == 4 && gfp_composite_name(name + 4, len - 4, &mask))
		return mask;
	if (prefix == 6 && len == 13 && !memcmp(name, "__GFP_RECLAIM", 13))
		return RECLAIM;
	if (prefix && gfp_bit_name(name + prefix, len - prefix, &mask)) {
		*old |= prefix == 4;
		return mask;
	}
	if (domain_number(name, len, false, &number)) {
		mask = number & 0xf; /* these four have never moved */
		return (number & ~INT64_C(0xf)) ? mask | RL_GFP(UNKNOWN) : mask;
	}
	return RL_GFP(UNKNOWN);
}

/*
 * The length of the first name, which ends at a bar or, in a perf of 2012 that printed none, where
 * the next one begins.
 */
static size_t gfp_token(const char *text, size_t len, size_t *rest)
{
	size_t i;

	for (i = 0; i < len && text[i] != '|'; i++)
		if (i && gfp_prefix(text + i, len - i) &&
		    !(text[i] == 'G' && i >= 2 && text[i - 1] == '_'))
			break;
	*rest = i < len && text[i] == '|' ? i + 1 : i;
	return i;
}

static bool gfp_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       c == '_' || c == '|' || c == 'x';
}

/* "0x6200ca(GFP_HIGHUSER_MOVABLE)" of kernel logs: the names count. */
static void gfp_strip_number(const char **text, size_t *len)
{
	const char *open = memchr(*text, '(', *len);

	if (!open || (*text)[*len - 1] != ')')
		return;
	*len -= (size_t)(open + 1 - *text) + 1;
	*text = open + 1;
}

int gfp_parse(const char *text, size_t len, int64_t *value)
{
	const int64_t kswapd = RL_GFP(KSWAPD_RECLAIM) | RL_GFP(NO_KSWAPD);
	int64_t sum = 0;
	bool old = false;

	if (!len)
		return -EINVAL;
	gfp_strip_number(&text, &len);
	if (len == 4 && !memcmp(text, "none", 4)) {
		*value = 0;
		return 0;
	}
	for (size_t i = 0; i < len; i++)
		if (!gfp_char(text[i]))
			return -EINVAL;
	while (len) {
		size_t rest, token = gfp_token(text, len, &rest);

		sum |= gfp_name_mask(text, token, &old);
		text += rest;
		len -= rest;
	}
	if (old && !(sum & kswapd))
		sum |= RL_GFP(KSWAPD_RECLAIM);
	*value = gfp_normalize(sum);
	return 0;
}

void gfp_format(int64_t value, char *buf, size_t size)
{
	size_t at = 0;

	if (!value) {
		snprintf(buf, size, "none");
		return;
	}
	buf[0] = '\0';
	for (size_t i = 0; i < COUNT(gfp_composites) && at < size; i++)
		if ((value & gfp_composites[i].mask) == gfp_composites[i].mask) {
			value &= ~gfp_composites[i].mask;
			at += snprintf(buf + at, size - at, "%sGFP_%s", at ? "|" : "",
				       gfp_composites[i].name);
		}
	for (size_t i = 0; i < COUNT(gfp_bits) && at < size; i++)
		if (value & gfp_bits[i].mask)
			at += snprintf(buf + at, size - at, "%s__GFP_%s", at ? "|" : "",
				       gfp_bits[i].name);
}

int64_t vocab_gfp_number(int64_t number)
{
	const int64_t fixed = (RL_GFP(ACCOUNT) << 1) - 1;

	/* The project's bits were numbered after these. */
	return gfp_normalize((number & fixed) | ((number & ~fixed) ? RL_GFP(UNKNOWN) : 0));
}
