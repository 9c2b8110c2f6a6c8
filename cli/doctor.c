/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor: what the running kernel offers to a recording, and what each absence costs. */
#include <stdio.h>
#include <string.h>

#include <tracefs.h>

#include "capture/record/doctor.h"
#include "capture/record/preset.h"
#include "cli/cli.h"

static const char doc[] =
	"Says what this kernel offers: facilities, and each event of a preset as present,\n"
	"renamed or absent with what its absence costs. Looks only; nothing is changed.\n"
	"Example: reclaimlab doctor --preset pages";

static void print_checks(void)
{
	struct doctor_check check;

	for (unsigned int i = 0; doctor_check_at(i, &check); i++) {
		printf("%-22s %-7s %.48s\n", check.name, check.ok ? "yes" : "NO", check.detail);
		if (!check.ok && *check.cost)
			printf("%31slost: %s\n", "", check.cost);
	}
}

static void print_event(const struct preset_event *event)
{
	static const char *const state[] = { "present", "renamed", "absent" };
	const struct vocab_entry *entry = vocab_entry(event->id);
	char name[128];

	snprintf(name, sizeof(name), "%s:%s", entry->system, entry->name);
	printf("%-52s %s", name, state[event->state]);
	if (event->state == PRESET_RENAMED)
		printf(" %s:%s", event->system, event->name);
	putchar('\n');
	if (event->state == PRESET_ABSENT)
		printf("%8slost: %s\n", "", event->cost);
}

static unsigned int print_events(enum record_preset preset)
{
	const char *tracing = tracefs_tracing_dir();
	struct preset_names names;
	struct preset_event event;
	unsigned int absent = 0;

	for (unsigned int i = 0; tracing && preset_event_at(tracing, preset, i, &event, &names);
	     i++) {
		print_event(&event);
		absent += event.state == PRESET_ABSENT;
	}
	return absent;
}

int cli_doctor(struct cli *cli, int argc, char **argv)
{
	enum record_preset preset = PRESET_ACCESS;
	const char *name = NULL;
	const struct cli_option options[] = {
		{ 'p', "preset", CLI_TEXT, &name, "NAME", "whose events; access by default" },
		{ 0 },
	};
	const struct cli_usage usage = { "[--preset NAME]", doc, options };
	struct rl_msg msg;
	unsigned int absent;
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first != argc)
		return cli_usage_error(cli, "unknown argument '%s'", argv[first]);
	if (name && preset_find(name, &preset, &msg))
		return cli_usage_error(cli, "%s", msg.text);
	print_checks();
	putchar('\n');
	absent = print_events(preset);
	printf("\n%u events are absent\n", absent);
	return CLI_OK;
}
