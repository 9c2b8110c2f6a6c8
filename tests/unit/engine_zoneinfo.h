/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_zoneinfo.h - a plain reader of /proc/zoneinfo for the engine's tests */
#ifndef TESTS_ENGINE_ZONEINFO_H
#define TESTS_ENGINE_ZONEINFO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reclaim/engine.h"

struct zoneinfo {
	struct reclaim_machine machine;
	struct reclaim_wmarks seen[RECLAIM_MAX_ZONES];
	uint64_t free[RECLAIM_MAX_ZONES];
	uint32_t pcp_batch[RECLAIM_MAX_ZONES], pcp_high[RECLAIM_MAX_ZONES];
};

static inline int zoneinfo_type(const char *name)
{
	static const struct {
		const char *name;
		int type;
	} types[] = {
		{ "DMA", RECLAIM_ZONE_DMA },	     { "DMA32", RECLAIM_ZONE_DMA32 },
		{ "Normal", RECLAIM_ZONE_NORMAL },   { "HighMem", RECLAIM_ZONE_HIGHMEM },
		{ "Movable", RECLAIM_ZONE_MOVABLE },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return types[i].type;
	return -1;
}

/* The columns of "protection" are the zone types that the kernel was built with: no HighMem on
 * x86-64. */
static inline void zoneinfo_protection(const char *line, struct reclaim_wmarks *w)
{
	unsigned long v[5];

	if (sscanf(line, " protection: (%lu, %lu, %lu, %lu, %lu)", &v[0], &v[1], &v[2], &v[3],
		   &v[4]) != 5)
		return;
	w->reserve[RECLAIM_ZONE_DMA] = v[0];
	w->reserve[RECLAIM_ZONE_DMA32] = v[1];
	w->reserve[RECLAIM_ZONE_NORMAL] = v[2];
	w->reserve[RECLAIM_ZONE_HIGHMEM] = v[2];
	w->reserve[RECLAIM_ZONE_MOVABLE] = v[3];
}

/* Returns the number of zones with pages, or -1 when the file is not there. */
static inline int zoneinfo_read(const char *path, struct zoneinfo *out)
{
	unsigned int node, start = 0, spanned = 0, managed = 0, value, pcp = 0;
	char line[256], name[32];
	struct reclaim_wmarks w;
	int type = -1, n = 0;
	unsigned long free = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	memset(out, 0, sizeof(*out));
	reclaim_machine_init(&out->machine);
	memset(&w, 0, sizeof(w));
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Node %u, zone %31s", &node, name) == 2) {
			type = zoneinfo_type(name);
			pcp = 0;
			managed = 0;
			memset(&w, 0, sizeof(w));
		} else if (sscanf(line, " pages free %lu", &free) == 1) {
		} else if (sscanf(line, " min %u", &value) == 1) {
			w.min = value;
		} else if (sscanf(line, " low %u", &value) == 1) {
			w.low = value;
		} else if (sscanf(line, " high %u", &value) == 1) {
			w.high = value;
		} else if (sscanf(line, " spanned %u", &spanned) == 1) {
		} else if (sscanf(line, " managed %u", &managed) == 1) {
		} else if (strstr(line, "protection:")) {
			zoneinfo_protection(line, &w);
		} else if (sscanf(line, " cpu: %u", &value) == 1) {
			pcp = value + 1;
		} else if (sscanf(line, " high: %u", &value) == 1 && pcp == 1) {
			out->pcp_high[n] = value;
		} else if (sscanf(line, " batch: %u", &value) == 1 && pcp == 1) {
			out->pcp_batch[n] = value;
		} else if (sscanf(line, " start_pfn: %u", &start) == 1 && managed && type >= 0) {
			reclaim_machine_add_zone(&out->machine, node, (enum reclaim_zone_type)type,
						 start, spanned, managed);
			out->free[n] = free;
			out->machine.cpus = pcp ? pcp : 1;
			out->seen[n++] = w;
		}
	}
	fclose(f);
	return n;
}

#endif
