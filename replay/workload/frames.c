/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "replay/workload/frames.h"

#define LEAF_BITS 12
#define LEAF_SIZE (1u << LEAF_BITS)
#define MID_BITS  12
#define MID_SIZE  (1u << MID_BITS)
#define TOP_SIZE  (FRAMES_MAX >> (LEAF_BITS + MID_BITS))

struct frames {
	struct frame **mid[TOP_SIZE];
};

struct frames *frames_new(void)
{
	return calloc(1, sizeof(struct frames));
}

void frames_free(struct frames *frames)
{
	if (!frames)
		return;
	for (size_t i = 0; i < TOP_SIZE; i++) {
		for (size_t j = 0; frames->mid[i] && j < MID_SIZE; j++)
			free(frames->mid[i][j]);
		free(frames->mid[i]);
	}
	free(frames);
}

struct frame *frames_at(struct frames *frames, int64_t pfn)
{
	struct frame ***top, **leaf;

	if (pfn < 0 || pfn >= FRAMES_MAX)
		return NULL;
	top = &frames->mid[pfn >> (LEAF_BITS + MID_BITS)];
	if (!*top)
		*top = calloc(MID_SIZE, sizeof(**top));
	if (!*top)
		return NULL;
	leaf = &(*top)[(pfn >> LEAF_BITS) & (MID_SIZE - 1)];
	if (!*leaf)
		*leaf = calloc(LEAF_SIZE, sizeof(**leaf));
	return *leaf ? &(*leaf)[pfn & (LEAF_SIZE - 1)] : NULL;
}
