/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: demand files, plain and compressed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/workload/demand_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	struct demand *demand = NULL;
	struct rl_msg msg;

	if (fd < 0) {
		fd = memfd_create("demand", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	/* What was handed out keeps to the tables, so this must not reach beyond them. */
	if (!demand_load(path, &demand, &msg))
		for (uint64_t i = 0; i < demand->nr_records; i++)
			if (demand->records[i].op >= DEMAND_NR_OPS ||
			    demand->records[i].task >= demand->nr_tasks)
				abort();
	demand_free(demand);
	return 0;
}
