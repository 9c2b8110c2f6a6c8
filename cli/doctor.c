/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor: what the running kernel offers to a recording, and what each absence costs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/format.h"
#include "analyze/json.h"
#include "capture/record/doctor.h"
#include "capture/record/preset.h"
#include "cli/cli.h"

#define WIDTH  80
#define DETAIL 28 /* column where what was found begins */
#define STATES (PRESET_ABSENT + 1)

static const char doc[] =
	"Says what this machine offers to a recording: rights and facilities, how its\n"
	"memory is set up, and which events the kernel has, by preset. It only looks.\n"
	"Example: reclaimlab doctor --preset pages --verbose";

struct doctor_run {
	struct doctor_place place;
	enum record_preset preset;
	bool verbose;
};

static const char *const group_names[] = { "machine", "recording", "memory" };
static const char *const group_titles[] = { "Machine", "Recording", "Memory" };
static const char *const state_names[STATES] = { "present", "renamed", "replaced", "probe",
						 "absent" };

static void print_row(const struct doctor_row *row)
{
	static const char *const state[] = { "", "yes", "NO" };
	char head[DETAIL + 1];

	snprintf(head, sizeof(head), "  %-20s %-4s", row->name, state[row->state]);
	format_hanging(stdout, head, row->detail, DETAIL, WIDTH);
	if (row->state == DOCTOR_NO && *row->cost)
		format_hanging(stdout, "                      lost: ", row->cost, DETAIL, WIDTH);
}

static void print_rows(const struct doctor_run *run)
{
	enum doctor_group group = DOCTOR_MEMORY;
	struct doctor_row row;

	for (unsigned int i = 0; doctor_row_at(&run->place, i, &row); i++) {
		if (!i || row.group != group)
			printf("%s%s\n", i ? "\n" : "", group_titles[row.group]);
		group = row.group;
		print_row(&row);
	}
}

static void print_zones(const struct doctor_run *run)
{
	struct doctor_zone zones[DOCTOR_ZONES];
	unsigned int nr = doctor_zones(&run->place, zones);
	double mib = (double)sysconf(_SC_PAGESIZE) / (1 << 20);

	if (nr)
		printf("  %-20s %9s %9s %8s %8s %8s %7s\n", "zones, in MiB", "managed", "free",
		       "min", "low", "high", "boost");
	for (unsigned int i = 0; i < nr; i++) {
		const struct doctor_zone *z = &zones[i];

		printf("  %-20.20s %9.1f %9.1f %8.1f %8.1f %8.1f %7.1f\n", z->name,
		       (double)z->managed * mib, (double)z->free * mib, (double)z->min * mib,
		       (double)z->low * mib, (double)z->high * mib, (double)z->boost * mib);
	}
}

static void print_event(const struct doctor_run *run, const struct preset_event *event)
{
	const struct vocab_entry *entry = vocab_entry(event->id);

	printf("    %s:%s: %s", entry->system, entry->name, state_names[event->state]);
	if (event->state == PRESET_RENAMED)
		printf(", here %s:%s", event->system, event->name);
	putchar('\n');
	if (event->state == PRESET_ABSENT)
		format_hanging(stdout, "        lost: ", event->cost, 14, WIDTH);
	else if (run->verbose)
		format_wrapped(stdout, entry->doc, 8, WIDTH);
}

/* The events that @preset adds to those of the smaller ones. */
static void print_preset(const struct doctor_run *run, enum record_preset preset)
{
	unsigned int count[STATES] = { 0 };
	struct preset_names names;
	struct preset_event event;

	for (unsigned int i = 0; preset_event_at(run->place.tracing, preset, i, &event, &names);
	     i++)
		if (event.preset == preset)
			count[event.state]++;
	printf("  %-10s", preset_name(preset));
	for (unsigned int i = 0; i < STATES; i++)
		if (count[i] || !i)
			printf("%s%u %s", i ? ", " : "", count[i], state_names[i]);
	putchar('\n');
	for (unsigned int i = 0; preset_event_at(run->place.tracing, preset, i, &event, &names);
	     i++) {
		bool tell = event.state == PRESET_ABSENT && preset != PRESET_ALL;

		if (event.preset == preset &&
		    (tell || event.state == PRESET_RENAMED || run->verbose))
			print_event(run, &event);
	}
}

static void print_text(const struct doctor_run *run)
{
	static const enum record_preset presets[] = { PRESET_RECLAIM, PRESET_PAGES, PRESET_ACCESS,
						      PRESET_ALL };

	print_rows(run);
	print_zones(run);
	puts("\nEvents, by the preset that adds them");
	if (!run->place.tracing)
		puts("  not known: tracefs is not mounted");
	for (size_t i = 0; run->place.tracing && i < sizeof(presets) / sizeof(presets[0]); i++)
		if (presets[i] <= run->preset)
			print_preset(run, presets[i]);
	if (!run->verbose)
		puts("  --verbose lists each event with what it tells.");
}

static void json_rows(const struct doctor_run *run, struct json *json, enum doctor_group group)
{
	struct doctor_row row;

	json_open(json, group_names[group], '{');
	for (unsigned int i = 0; doctor_row_at(&run->place, i, &row); i++) {
		if (row.group != group)
			continue;
		if (row.state == DOCTOR_FACT) {
			json_string(json, row.key, row.detail);
			continue;
		}
		json_open(json, row.key, '{');
		json_boolean(json, "ok", row.state == DOCTOR_YES);
		json_string(json, "detail", row.detail);
		json_string(json, "lost_without", row.cost);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void json_zones(const struct doctor_run *run, struct json *json)
{
	struct doctor_zone zones[DOCTOR_ZONES];
	unsigned int nr = doctor_zones(&run->place, zones);

	json_integer(json, "page_size", sysconf(_SC_PAGESIZE));
	json_open(json, "zones", '[');
	for (unsigned int i = 0; i < nr; i++) {
		json_open(json, NULL, '{');
		json_string(json, "zone", zones[i].name);
		json_integer(json, "managed", zones[i].managed);
		json_integer(json, "free", zones[i].free);
		json_integer(json, "min", zones[i].min);
		json_integer(json, "low", zones[i].low);
		json_integer(json, "high", zones[i].high);
		json_integer(json, "boost", zones[i].boost);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_events(const struct doctor_run *run, struct json *json)
{
	struct preset_names names;
	struct preset_event event;

	json_open(json, "events", '[');
	for (unsigned int i = 0;
	     run->place.tracing &&
	     preset_event_at(run->place.tracing, run->preset, i, &event, &names);
	     i++) {
		const struct vocab_entry *entry = vocab_entry(event.id);

		json_open(json, NULL, '{');
		json_string(json, "event", entry->name);
		json_string(json, "preset", preset_name(event.preset));
		json_string(json, "state", state_names[event.state]);
		json_string(json, "kernel_system", event.system);
		json_string(json, "kernel_name", event.name);
		json_string(json, "tells", entry->doc);
		json_string(json, "lost_without", event.cost);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_json(const struct doctor_run *run)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_rows(run, &json, DOCTOR_MACHINE);
	json_rows(run, &json, DOCTOR_RECORDING);
	json_rows(run, &json, DOCTOR_MEMORY);
	json_zones(run, &json);
	json_events(run, &json);
	json_close(&json, '}');
}

int cli_doctor(struct cli *cli, int argc, char **argv)
{
	struct doctor_run run = { .place.root = "", .preset = PRESET_ALL };
	const char *name = NULL;
	bool json = false;
	const struct cli_option options[] = {
		{ 'p', "preset", CLI_TEXT, &name, "NAME", "only the events of this preset" },
		{ 'v', "verbose", CLI_FLAG, &run.verbose, NULL, "each event, and what it tells" },
		{ 'j', "json", CLI_FLAG, &json, NULL, "all of it for programs" },
		{ 0 },
	};
	const struct cli_usage usage = { "[options]", doc, options };
	char tracing[300];
	struct rl_msg msg;
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first != argc)
		return cli_usage_error(cli, "unknown argument '%s'", argv[first]);
	if (name && preset_find(name, &run.preset, &msg))
		return cli_usage_error(cli, "%s", msg.text);
	if (doctor_find_tracing("", tracing, sizeof(tracing)))
		run.place.tracing = tracing;
	if (json)
		print_json(&run);
	else
		print_text(&run);
	return CLI_OK;
}
