/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/text_clock.h"

#define CPUS_APART UINT64_C(1000000000) /* ns that clocks of CPUs never differ by */

static void note_span(struct text_clock *clock, uint64_t ts)
{
	if (!clock->any || ts < clock->first)
		clock->first = ts;
	if (!clock->any || ts > clock->last)
		clock->last = ts;
}

void text_clock_note(struct text_clock *clock, uint64_t number, int32_t cpu, uint64_t ts,
		     bool has_unit)
{
	unsigned int place =
		cpu >= 0 && cpu < TEXT_CLOCK_CPUS ? (unsigned int)cpu : TEXT_CLOCK_CPUS;
	bool known = clock->cpu[place].stretch == clock->stretch;

	note_span(clock, ts);
	if (!clock->any) {
		clock->stretch = 1;
	} else if ((place < TEXT_CLOCK_CPUS && known && ts < clock->cpu[place].ts) ||
		   (has_unit && ts < clock->previous && clock->previous - ts > CPUS_APART)) {
		if (!clock->back++)
			clock->back_number = number;
		clock->stretch++;
	}
	clock->any = true;
	clock->previous = ts;
	clock->cpu[place].stretch = clock->stretch;
	clock->cpu[place].ts = ts;
}
