/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seed_demand DIR - small demand files, plain and compressed, for fuzz_demand to start from. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "replay/workload/demand_file.h"

#define NR_RECORDS 40

static struct demand *sample(void)
{
	struct demand *demand = demand_new();

	if (!demand)
		return NULL;
	demand->duration = NR_RECORDS * 10;
	demand->page_size = 4096;
	demand->cpus = 2;
	demand->nr_pages = NR_RECORDS;
	demand->tasks = calloc(2, sizeof(*demand->tasks));
	demand->files = calloc(1, sizeof(*demand->files));
	demand->records = calloc(NR_RECORDS, sizeof(*demand->records));
	if (!demand->tasks || !demand->files || !demand->records) {
		demand_free(demand);
		return NULL;
	}
	demand->nr_tasks = 2;
	demand->nr_files = 1;
	demand->files[0].pages = NR_RECORDS;
	demand->nr_records = NR_RECORDS;
	for (uint32_t i = 0; i < NR_RECORDS; i++)
		demand->records[i] = (struct demand_record){
			.at = i * 10,
			.op = i % 2 ? DEMAND_CACHE : DEMAND_ALLOC,
			.object = i % 2 ? 0 : i,
			.count = 1,
			.task = i % 2,
		};
	return demand;
}

int main(int argc, char **argv)
{
	struct demand *demand = sample();
	struct rl_msg msg = { "" };
	int ret = argc == 2 && demand ? 0 : -1;

	for (int plain = 0; plain < 2 && !ret; plain++) {
		char path[4096];

		mkdir(argv[1], 0777);
		snprintf(path, sizeof(path), "%s/demand%d", argv[1], plain);
		ret = demand_save(demand, path, plain, &msg);
	}
	if (ret)
		fprintf(stderr, "seed_demand DIR: %s\n", msg.text);
	demand_free(demand);
	return ret ? 1 : 0;
}
