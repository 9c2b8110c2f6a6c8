/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_walk.h - the inline half of tracedat.h; include that one
 *
 * The structs are here because the functions are inline, not for use: their members may change.
 *
 * The merge runs on one stream as long as that stream's next stamp stays below the smallest stamp
 * that any other stream waits with (@limit). Only when it does not, tracedat_merge_next() looks at
 * the other streams.
 */
#ifndef RECLAIMLAB_TRACEDAT_WALK_H
#define RECLAIMLAB_TRACEDAT_WALK_H

#include "capture/read/ring.h"

struct tracedat_stream;

struct tracedat_cpu {
	struct ring_cursor ring;
	struct tracedat_record rec;
	uintptr_t base;		/* where offset 0 of the stream would be in memory */
	uint64_t *counts;	/* TRACEDAT_IDS of them */
	const uint64_t *wanted; /* NULL: every id */
	int64_t missed;		/* losses not told yet */
	uint64_t ts_offset;	/* added to each stamp */
	bool convert;		/* the stamp needs more than the offset */
	bool done;		/* no record is left */
	struct tracedat_stream *stream;
};

/* The first member of struct tracedat. */
struct tracedat_hot {
	struct tracedat_cpu *current; /* NULL before the first record */
	uint64_t limit;
};

/* Out of line: the next page with something in it, false when there is none. */
bool tracedat_cpu_turn(struct tracedat_cpu *cpu, enum ring_status status);
uint64_t tracedat_cpu_stamp(const struct tracedat_cpu *cpu, uint64_t raw);
int tracedat_cpu_error(const struct tracedat_cpu *cpu);
int tracedat_merge_next(struct tracedat *td, const struct tracedat_record **rec);

static inline bool tracedat_cpu_step(struct tracedat_cpu *cpu)
{
	for (;;) {
		enum ring_status status = ring_step(&cpu->ring);
		uint16_t id;

		if (__builtin_expect(status != RING_RECORD, 0)) {
			if (!tracedat_cpu_turn(cpu, status))
				return false;
			continue;
		}
		id = cpu->ring.size >= 2 ? ring_load16(cpu->ring.data, cpu->ring.big_endian) : 0;
		cpu->counts[id]++;
		if (cpu->wanted && !(cpu->wanted[id / 64] >> id % 64 & 1))
			continue;
		cpu->rec.id = id;
		cpu->rec.data = cpu->ring.data;
		cpu->rec.size = cpu->ring.size;
		cpu->rec.offset = (uintptr_t)cpu->ring.data - cpu->base;
		cpu->rec.missed = cpu->missed;
		cpu->missed = 0;
		cpu->rec.ts = __builtin_expect(cpu->convert, 0)
				      ? tracedat_cpu_stamp(cpu, cpu->ring.stamp)
				      : cpu->ring.stamp + cpu->ts_offset;
		return true;
	}
}

/*
 * The next record of one stream in @rec: 1, or 0 at the end of the stream, or a negative errno when
 * there was no memory to go on. Damaged pages are no error: see tracedat_damages().
 */
static inline int tracedat_cpu_next(struct tracedat_cpu *cpu, const struct tracedat_record **rec)
{
	bool more = tracedat_cpu_step(cpu);

	*rec = &cpu->rec;
	return more ? 1 : tracedat_cpu_error(cpu);
}

/* The next record of all streams by time in @rec; returns as tracedat_cpu_next(). */
static inline int tracedat_next(struct tracedat *td, const struct tracedat_record **rec)
{
	struct tracedat_hot *hot = (struct tracedat_hot *)td;
	struct tracedat_cpu *cpu = hot->current;

	if (__builtin_expect(cpu != NULL, 1) && __builtin_expect(tracedat_cpu_step(cpu), 1) &&
	    __builtin_expect(cpu->rec.ts < hot->limit, 1)) {
		*rec = &cpu->rec;
		return 1;
	}
	return tracedat_merge_next(td, rec);
}

#endif
