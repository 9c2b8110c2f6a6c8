/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * embed [POLICY...] - libreclaim in twenty calls
 *
 * A machine of 256 MiB, one task that reads a 400 MiB file twice, under each policy, two when none
 * is named; a policy may be a plugin, as ./fifo.so. Prints what kswapd and the task itself
 * reclaimed. Exit status 1 when something failed.
 */
#include <stdio.h>
#include <string.h>

#include "reclaim/policy.h"

#define FILE_PAGES 102400u

struct reader {
	uint64_t at;
	struct reclaim_demand d;
};

/* The engine pulls one record after the other. */
static const struct reclaim_demand *next(void *ctx, uint32_t task)
{
	struct reader *r = ctx;
	uint32_t index = (uint32_t)(r->at % FILE_PAGES);

	if (r->at++ == 2 * FILE_PAGES)
		return NULL;
	memset(&r->d, 0, sizeof(r->d));
	r->d.op = RECLAIM_OP_CACHE;
	r->d.think = 2000;
	r->d.index = index;
	r->d.start = index & ~31u;
	r->d.count = 32;
	return &r->d;
}

static int replay(const struct reclaim_machine *machine, const char *spec,
		  struct reclaim_error *error)
{
	struct reclaim_task_desc task = { .cpu = -1 };
	struct reader reader = { .at = 0 };
	struct reclaim_config config = {
		.machine = machine,
		.profile = reclaim_profile_find("k61"),
		.policy = reclaim_policy_create(spec, error),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = next,
		.next_ctx = &reader,
	};
	struct reclaim_engine *engine = NULL;
	int ret = -1;

	if (!config.policy)
		return -1;
	if (!reclaim_engine_create(&engine, &config, error))
		ret = reclaim_engine_run(engine, RECLAIM_NO_TIME, error);
	if (ret == 1)
		printf("%-24s kswapd %llu pages in %llu wakes, direct %llu in %llu stalls\n",
		       reclaim_policy_describe(config.policy),
		       (unsigned long long)reclaim_engine_counter(engine,
								  RECLAIM_VM_PGSTEAL_KSWAPD),
		       (unsigned long long)reclaim_engine_counter(engine, RECLAIM_VM_PAGEOUTRUN),
		       (unsigned long long)reclaim_engine_counter(engine,
								  RECLAIM_VM_PGSTEAL_DIRECT),
		       (unsigned long long)reclaim_engine_counter(engine, RECLAIM_VM_ALLOCSTALL));
	reclaim_engine_free(engine);
	reclaim_policy_free(config.policy);
	return ret == 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
	const char *const two[] = { "linear:wsf=10", "linear:wsf=120", NULL };
	const char *const *policy = argc > 1 ? (const char *const *)argv + 1 : two;
	struct reclaim_error error = { "" };
	struct reclaim_machine machine;

	reclaim_machine_init(&machine);
	reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_NORMAL, 0, 65536, 62875);
	for (; *policy; policy++) {
		if (!replay(&machine, *policy, &error))
			continue;
		fprintf(stderr, "embed: %s\n", error.text);
		return 1;
	}
	return 0;
}
