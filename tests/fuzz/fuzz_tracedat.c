/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target: any bytes as a trace.dat. Open, ask for everything, walk it merged, then CPU by
 * CPU. What is wrong with a file must come out as a message or as damage, never as a crash or a
 * leak.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/read/tracedat.h"

#define RECORDS_MAX 2000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t touch(const void *data, size_t size)
{
	const uint8_t *p = data;
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += p[i];
	return sum;
}

static uint64_t touch_metadata(const struct tracedat *td)
{
	size_t events, tasks, options, stats, damages;
	const struct tracedat_event *event = tracedat_events(td, &events);
	const struct tracedat_task *task = tracedat_cmdlines(td, &tasks);
	const struct tracedat_option *option = tracedat_options(td, &options);
	const struct tracedat_cpustat *stat = tracedat_cpustats(td, &stats);
	const struct tracedat_damage *damage = tracedat_damages(td, &damages);
	uint64_t sum = 0;

	for (size_t i = 0; i < events; i++)
		sum += touch(event[i].format.data, event[i].format.size) + strlen(event[i].name) +
		       strlen(event[i].system);
	for (size_t i = 0; i < tasks; i++)
		sum += strlen(task[i].comm);
	for (size_t i = 0; i < options; i++)
		sum += touch(option[i].data, option[i].size);
	for (size_t i = 0; i < stats; i++)
		sum += touch(stat[i].text.data, stat[i].text.size) + strlen(stat[i].buffer);
	for (size_t i = 0; i < damages; i++)
		sum += strlen(damage[i].what);
	for (unsigned int i = 0; i < tracedat_buffer_count(td); i++)
		sum += strlen(tracedat_buffer(td, i)->name) + strlen(tracedat_buffer(td, i)->clock);
	return sum + strlen(tracedat_clock(td)) + tracedat_kallsyms(td).size;
}

static uint64_t walk(struct tracedat *td)
{
	const struct tracedat_record *rec;
	uint64_t sum = 0, records = 0;

	while (records++ < RECORDS_MAX && tracedat_next(td, &rec) > 0)
		sum += touch(rec->data, rec->size) + rec->ts + (uint64_t)rec->missed;
	tracedat_rewind(td);
	for (unsigned int i = 0; i < tracedat_cpu_total(td); i++)
		while (records++ < RECORDS_MAX &&
		       tracedat_cpu_next(tracedat_cpu_at(td, i), &rec) > 0)
			sum += rec->offset;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static volatile uint64_t sink;
	struct tracedat *td;
	struct rl_msg msg;
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (tracedat_open(path, &td, &msg) == 0) {
		sink += touch_metadata(td) + walk(td) + touch_metadata(td);
		tracedat_close(td);
	}
	close(fd);
	return 0;
}
