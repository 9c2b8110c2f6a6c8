/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model - libreclaim on the machine of a User Mode Linux run
 *
 * Performs a demand file with the engine on one zone of the size, the free memory and the settings
 * that the kernel had (its free blocks by migrate type, too: they decide when a watermark is
 * boosted), with the costs that the kernel was given: nothing costs time but thinking
 * (asleep), a request to the disk, and looking at a page. Prints the counters as /proc/vmstat does,
 * for the lab's differential.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/read/counters.h"
#include "kernel/lab/workload/work.h"
#include "reclaim/engine.h"
#include "reclaim/policy.h"
#include "replay/counter_set.h"
#include "replay/feed.h"
#include "replay/machine.h"
#include "replay/workload/demand_file.h"

#define UML_HZ		   100
#define UML_PAGEBLOCK	   10
#define UML_ZONE	   "node 0 zone Normal"
#define NO_BANDWIDTH_LIMIT 1000000000000000ULL
#define TIME_LIMIT_NS	   3600000000000LL

struct model {
	struct reclaim_machine machine;
	struct reclaim_initial initial;
	const struct reclaim_profile *profile;
	struct reclaim_policy *policy;
	uint64_t managed, managed_at_setup;
	uint64_t seed;
};

static const char usage[] =
	"usage: model --managed PAGES --free PAGES [--setup PAGES] [--inactive-file PAGES]\n"
	"             [--active-file PAGES] [--pagetypes FILE] [--pcp PAGES] [--min-free-kbytes N]\n"
	"             [--scale-factor N] [--scan-ns N]\n"
	"             [--read-ns N] [--write-ns N] [--page-ns N] [--swap PAGES] [--swap-ns N]\n"
	"             [--swap-page-ns N] [--swappiness N] [--policy SPEC] [--seed N] DEMAND\n";

static void use_uml_costs(struct reclaim_machine *machine)
{
	memset(&machine->costs, 0, sizeof(machine->costs));
	machine->wake_latency_ns = 0;
	machine->hz = UML_HZ;
	machine->pageblock_order = UML_PAGEBLOCK;
	machine->thp = false;
	machine->watermark_boost_factor = 0;
	machine->devices[0].queues = 1;
	machine->devices[0].read_bytes_per_s = NO_BANDWIDTH_LIMIT;
	machine->devices[0].write_bytes_per_s = NO_BANDWIDTH_LIMIT;
	machine->devices[0].write_latency_ns = 0;
	/* Disks without a request queue: every page is a request, and nobody is held back. */
	machine->devices[0].rotational = true;
	machine->devices[0].throttle_writes = false;
	machine->devices[0].merge_pages = 1;
	machine->devices[1] = machine->devices[0];
	machine->nr_devices = 2;
	machine->swap_device = 1;
}

static void set_page_time(struct reclaim_device_desc *device, uint32_t ns)
{
	if (!ns)
		return;
	device->read_bytes_per_s = WORK_PAGE * 1000000000ULL / ns;
	device->write_bytes_per_s = device->read_bytes_per_s;
}

/* A driver in a kernel whose processor costs nothing can only think asleep. */
static void think_asleep(struct feed *feed)
{
	for (uint64_t i = 0; i < feed->nr_records; i++)
		feed->records[i].flags |= RECLAIM_DEMAND_IDLE;
}

static void print_counters(const struct reclaim_engine *engine)
{
	const uint64_t *counters = reclaim_engine_counters(engine);

	for (unsigned int i = 0; i < RECLAIM_NR_COUNTERS; i++)
		printf("%s %" PRIu64 "\n", reclaim_counter_name((enum reclaim_counter)i),
		       counters[i]);
	printf("elapsed_ns %" PRId64 "\n", reclaim_engine_now(engine));
}

static void run_model(struct model *model, const struct feed *feed)
{
	struct feed_cursor cursor;
	struct reclaim_error error = { "" };
	struct reclaim_engine *engine = NULL;
	struct reclaim_config config = {
		.machine = &model->machine,
		.profile = model->profile,
		.policy = model->policy,
		.seed = model->seed,
		.tasks = feed->tasks,
		.nr_tasks = feed->nr_tasks,
		.next = feed_next,
		.next_ctx = &cursor,
		.expect_pages = feed->nr_pages,
		.expect_files = feed->nr_files,
	};

	if (feed_cursor_init(&cursor, feed))
		work_die("no memory for the tasks");
	if (reclaim_engine_create(&engine, &config, &error))
		work_die("%s", error.text);
	cursor.engine = engine;
	if (reclaim_engine_populate(engine, 0, &model->initial, &error) < 0 ||
	    reclaim_engine_run(engine, TIME_LIMIT_NS, &error) < 0)
		work_die("%s", error.text);
	print_counters(engine);
	reclaim_engine_free(engine);
	feed_cursor_clear(&cursor);
}

static int take_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	return 0;
}

static int put_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	if (counter_set_put(ctx, counters_source_name(value->source), value->scope, value->name,
			    value->value))
		return rl_fail(msg, ENOMEM, "no memory for %s", value->name);
	return 0;
}

static void read_pagetypes(const char *path, struct reclaim_initial *initial)
{
	struct counters_visitor visitor = { .snapshot = take_snapshot, .value = put_value };
	struct counter_set *set = counter_set_new();
	struct rl_msg msg;

	if (!set)
		work_die("no memory for %s", path);
	visitor.ctx = set;
	if (counters_read(path, &visitor, &msg))
		work_die("%s", msg.text);
	machine_free_blocks(set, UML_ZONE, initial);
	if (!machine_block_pages(initial))
		work_die("%s: no free blocks of " UML_ZONE, path);
	counter_set_free(set);
}

static void set_machine(struct model *model)
{
	struct reclaim_machine *machine = &model->machine;

	if (!model->managed || !model->initial.free) {
		fputs(usage, stderr);
		exit(2);
	}
	if (reclaim_machine_add_zone(machine, 0, RECLAIM_ZONE_NORMAL, 0, model->managed,
				     model->managed))
		work_die("no such zone");
	machine->zones[0].managed_at_setup = model->managed_at_setup;
}

static uint32_t number32(const char *option, const char *text)
{
	return (uint32_t)work_number(option, text, 0, UINT32_MAX);
}

static void set_option(struct model *model, int option, const char *text)
{
	struct reclaim_machine *machine = &model->machine;
	struct reclaim_error error;

	switch (option) {
	case 'm':
		model->managed = number32("--managed", text);
		break;
	case 'S':
		model->managed_at_setup = number32("--setup", text);
		break;
	case 'f':
		model->initial.free = number32("--free", text);
		break;
	case 'i':
		model->initial.inactive_file = number32("--inactive-file", text);
		break;
	case 'a':
		model->initial.active_file = number32("--active-file", text);
		break;
	case 't':
		read_pagetypes(text, &model->initial);
		break;
	case 'C':
		model->initial.pcp = number32("--pcp", text);
		break;
	case 'k':
		machine->min_free_kbytes = number32("--min-free-kbytes", text);
		break;
	case 'w':
		machine->watermark_scale_factor = number32("--scale-factor", text);
		break;
	case 'c':
		machine->costs.scan_page = number32("--scan-ns", text);
		machine->costs.activate_page = machine->costs.scan_page;
		break;
	case 'r':
		machine->devices[0].read_latency_ns = number32("--read-ns", text);
		break;
	case 'W':
		machine->devices[0].write_latency_ns = number32("--write-ns", text);
		break;
	case 'p':
		set_page_time(&machine->devices[0], number32("--page-ns", text));
		break;
	case 'x':
		machine->swap_pages = number32("--swap", text);
		break;
	case 'X':
		machine->devices[1].read_latency_ns = number32("--swap-ns", text);
		machine->devices[1].write_latency_ns = machine->devices[1].read_latency_ns;
		break;
	case 'Y':
		set_page_time(&machine->devices[1], number32("--swap-page-ns", text));
		break;
	case 'y':
		machine->swappiness = number32("--swappiness", text);
		break;
	case 'P':
		model->policy = reclaim_policy_create(text, &error);
		if (!model->policy)
			work_die("%s", error.text);
		break;
	case 's':
		model->seed = work_number("--seed", text, 0, UINT64_MAX);
		break;
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "managed", required_argument, NULL, 'm' },
		{ "setup", required_argument, NULL, 'S' },
		{ "free", required_argument, NULL, 'f' },
		{ "inactive-file", required_argument, NULL, 'i' },
		{ "active-file", required_argument, NULL, 'a' },
		{ "pagetypes", required_argument, NULL, 't' },
		{ "pcp", required_argument, NULL, 'C' },
		{ "min-free-kbytes", required_argument, NULL, 'k' },
		{ "scale-factor", required_argument, NULL, 'w' },
		{ "scan-ns", required_argument, NULL, 'c' },
		{ "read-ns", required_argument, NULL, 'r' },
		{ "write-ns", required_argument, NULL, 'W' },
		{ "page-ns", required_argument, NULL, 'p' },
		{ "swap", required_argument, NULL, 'x' },
		{ "swap-ns", required_argument, NULL, 'X' },
		{ "swap-page-ns", required_argument, NULL, 'Y' },
		{ "swappiness", required_argument, NULL, 'y' },
		{ "policy", required_argument, NULL, 'P' },
		{ "seed", required_argument, NULL, 's' },
		{ 0 },
	};
	static struct model model = { .seed = 1 };
	struct demand *demand;
	struct feed *feed;
	struct rl_msg msg;
	int option;

	reclaim_machine_init(&model.machine);
	use_uml_costs(&model.machine);
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		set_option(&model, option, optarg);
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	set_machine(&model);
	model.profile = reclaim_profile_find("k61");
	if (!model.profile)
		work_die("the engine has no profile k61");
	if (demand_load(argv[optind], &demand, &msg) || feed_new(demand, NULL, &feed, &msg))
		work_die("%s", msg.text);
	think_asleep(feed);
	run_model(&model, feed);
	feed_free(feed);
	demand_free(demand);
	reclaim_policy_free(model.policy);
	return 0;
}
