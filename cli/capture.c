/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture: record reclaim on the running kernel into a trace.dat. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "capture/record/record.h"
#include "cli/cli.h"

static const char doc[] =
	"Records mm events and counters until the command, the time or Ctrl-C ends it,\n"
	"for import, trace-cmd and KernelShark. Presets: reclaim (cheap enough for\n"
	"production), pages (what a replay needs), access (accesses too), all, none.\n"
	"Example: reclaimlab capture --preset pages -o make.dat -- make -j8";

struct capture_arguments {
	struct record_options record;
	const char *preset;
	const char *format;
	const char *size;
	const char *sample_pages;
	int64_t buffer_kb, realtime, psi, dumps;
	int64_t duration, sample, fast, stall;
	bool cleanup;
	struct cli_list events, filters, pids, cgroups;
	pid_t pid[CLI_LIST_MAX + 1];
};

/* "1G", "500M", "64K" or bytes. */
static bool parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	unsigned long long n = strtoull(text, &end, 10);
	unsigned int shift = 0;

	if (end == text || *text == '-')
		return false;
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		end++;
	}
	if (*end || n > UINT64_MAX >> shift)
		return false;
	*bytes = (uint64_t)n << shift;
	return n > 0;
}

/* "64" or "1/64": a power of two. */
static bool parse_share(const char *text, unsigned int *pages)
{
	char *end;
	unsigned long n;

	if (!strncmp(text, "1/", 2))
		text += 2;
	n = strtoul(text, &end, 10);
	if (end == text || *end || *text == '-' || n < 1 || n > 1 << 20 || (n & (n - 1)))
		return false;
	*pages = (unsigned int)n;
	return true;
}

static int take_texts(const struct cli *cli, struct capture_arguments *a, struct rl_msg *msg)
{
	struct record_options *o = &a->record;

	if (a->preset && !strcmp(a->preset, "none"))
		o->preset = PRESET_NONE;
	else if (a->preset && preset_find(a->preset, &o->preset, msg))
		return cli_usage_error(cli, "%s", msg->text);
	if (a->format && strcmp(a->format, "v6") && strcmp(a->format, "v7"))
		return cli_usage_error(cli, "--format '%s': v6 or v7 was expected", a->format);
	if (a->format)
		o->file_version = a->format[1] - '0';
	if (a->size && !parse_size(a->size, &o->max_bytes))
		return cli_usage_error(cli, "--size '%s': a size such as 500M or 2G was expected",
				       a->size);
	if (a->sample_pages && !parse_share(a->sample_pages, &o->sample_pages))
		return cli_usage_error(cli,
				       "--sample-pages '%s': 1/64 was expected, or another "
				       "power of two",
				       a->sample_pages);
	return CLI_OK;
}

static int take_pids(const struct cli *cli, struct capture_arguments *a)
{
	for (unsigned int i = 0; i < a->pids.count; i++) {
		char *end;
		long pid = strtol(a->pids.item[i], &end, 10);

		if (*end || end == a->pids.item[i] || pid <= 0 || pid > 1 << 22)
			return cli_usage_error(cli, "-P '%s': a process id was expected",
					       a->pids.item[i]);
		a->pid[i] = (pid_t)pid;
	}
	a->pid[a->pids.count] = 0;
	a->record.pids = a->pid;
	return CLI_OK;
}

/* Milliseconds from 10 to what 32 bits hold, or none. */
static bool period_can_be_kept(int64_t ns)
{
	return !ns || (ns >= 10000000 && ns / 1000000 < UINT32_MAX);
}

static int take_numbers(const struct cli *cli, struct capture_arguments *a)
{
	struct record_options *o = &a->record;

	if (a->buffer_kb < 0 || a->buffer_kb > RECORD_BUFFER_MAX)
		return cli_usage_error(cli, "--buffer: KiB a CPU, up to %u, was expected",
				       RECORD_BUFFER_MAX);
	if (a->realtime < 0 || a->realtime > 99)
		return cli_usage_error(cli, "--realtime: a priority from 1 to 99 was expected");
	if (a->duration != INT64_MIN && a->duration < 1)
		return cli_usage_error(cli, "--for: a time longer than 0 was expected");
	if (!period_can_be_kept(a->sample) ||
	    (a->fast != INT64_MIN && !period_can_be_kept(a->fast)))
		return cli_usage_error(
			cli, "--sample and --fast: 0, or from 10ms to 49 days was expected");
	if (a->filters.count > a->events.count)
		return cli_usage_error(cli, "-f belongs to the -e before it");
	o->buffer_kb = (unsigned int)a->buffer_kb;
	o->realtime = (int)a->realtime;
	o->duration_ns = a->duration == INT64_MIN ? 0 : (uint64_t)a->duration;
	o->sample_ms = (unsigned int)(a->sample / 1000000);
	if (a->fast != INT64_MIN)
		o->fast_ms = (unsigned int)(a->fast / 1000000);
	return CLI_OK;
}

static int take_conditions(const struct cli *cli, struct capture_arguments *a)
{
	struct record_options *o = &a->record;

	if (a->stall < 0)
		return cli_usage_error(cli, "--when-stall: a length such as 100ms was expected");
	if (a->psi < 0 || a->psi > 100)
		return cli_usage_error(cli, "--when-psi: a percentage was expected");
	if (a->dumps < 0 || a->dumps > 1000000)
		return cli_usage_error(cli, "--dumps: a number of files was expected");
	o->when_stall_ns = (uint64_t)a->stall;
	o->when_psi = (unsigned int)a->psi;
	o->dumps = (unsigned int)a->dumps;
	if (!o->ring && (o->when_stall_ns || o->when_throttle || o->when_psi))
		return cli_usage_error(cli, "--when-... is for a flight recorder: --ring");
	if (o->ring && (o->summary || o->max_bytes))
		return cli_usage_error(cli, "--ring excludes --summary and --size");
	return CLI_OK;
}

static void warn(void *ctx, const char *line)
{
	const struct cli *cli = ctx;

	cli_note(cli, "reclaimlab %s: %s", cli->command, line);
}

static bool dump_asked(void *ctx)
{
	return cli_user_signal(ctx);
}

static void report_losses(struct cli *cli, const struct record_result *r)
{
	if (r->enough_kb)
		cli_note(cli, "%llu events were lost with %llu KiB a CPU: %s --buffer %llu",
			 (unsigned long long)r->overrun, (unsigned long long)r->buffer_kb,
			 r->enough_kb < RECORD_BUFFER_MAX ? "enough would have been"
							  : "not even enough would have been",
			 (unsigned long long)r->enough_kb);
	if (r->left)
		cli_note(cli, "%llu events were left in the ring buffers",
			 (unsigned long long)r->left);
}

static void report(struct cli *cli, const struct capture_arguments *a,
		   const struct record_result *r)
{
	if (!a->record.ring)
		cli_note(cli, "%s: %llu events, %llu lost, %.1f MB", a->record.output,
			 (unsigned long long)r->events,
			 (unsigned long long)(r->overrun + r->dropped), (double)r->bytes / 1e6);
	report_losses(cli, r);
	cli_note(cli, "ring %.1f MB, recorder %.1f MB locked, %.2f s of CPU, %llu faults%s",
		 (double)r->ring_bytes / 1e6, (double)r->locked_bytes / 1e6,
		 (double)r->cpu_ns / 1e9, (unsigned long long)(r->minor_faults + r->major_faults),
		 r->direct || a->record.ring ? ""
					     : ", no O_DIRECT: pages were dropped after "
					       "writing");
}

static int command_status(const struct record_result *r)
{
	if (WIFEXITED(r->command_status))
		return WEXITSTATUS(r->command_status) ? CLI_FAILED : CLI_OK;
	return CLI_FAILED;
}

static int run_capture(struct cli *cli, struct capture_arguments *a)
{
	struct record_result result;
	struct rl_msg msg;
	int ret;

	signal(SIGPIPE, SIG_IGN);
	cli_watch_user_signal();
	cli_progress_begin(cli);
	a->record.dump_asked = dump_asked;
	a->record.dump_ctx = cli;
	ret = record_run(&a->record, &cli->progress, warn, cli, &result, &msg);
	cli_progress_end();
	if (!ret || result.saved)
		report(cli, a, &result);
	if (ret)
		return cli_error(cli, &msg);
	return command_status(&result);
}

static int run_cleanup(struct cli *cli)
{
	struct rec_cleanup done;
	struct rl_msg msg;

	if (record_cleanup(&done, &msg))
		return cli_error(cli, &msg);
	cli_note(cli, "removed: %u instances, %u probes, %u synthetic events; %u recordings run",
		 done.instances, done.probes, done.synthetic, done.live);
	if (!done.stuck)
		return CLI_OK;
	rl_fail(&msg, 0, "%u instances are in use by other programs and stay", done.stuck);
	return cli_error(cli, &msg);
}

int cli_capture(struct cli *cli, int argc, char **argv)
{
	struct capture_arguments a = {
		.duration = INT64_MIN, .sample = 1000000000, .fast = INT64_MIN, .dumps = 10
	};
	const struct cli_option options[] = {
		{ 'o', "output", CLI_FILE, &a.record.output, "FILE", "trace.dat by default" },
		{ 'p', "preset", CLI_TEXT, &a.preset, "NAME", "reclaim, pages, access, all, none" },
		{ 'e', "event", CLI_LIST, &a.events, "SYS[:EVENT]", "one more event or system" },
		{ 'f', "filter", CLI_LIST, &a.filters, "EXPR", "filter of the n-th -e" },
		{ 'P', "pid", CLI_LIST, &a.pids, "PID", "only events of this task, its children" },
		{ 0, "for", CLI_TIME, &a.duration, "TIME", "stop after 30s, 300s, ..." },
		{ 'b', "buffer", CLI_NUMBER, &a.buffer_kb, "KIB", "ring buffer a CPU" },
		{ 'c', "cgroup", CLI_LIST, &a.cgroups, "DIR", "memory.stat of this cgroup too" },
		{ 0, "sample-pages", CLI_TEXT, &a.sample_pages, "1/N", "1 in N pages of accesses" },
		{ 0, "summary", CLI_FLAG, &a.record.summary, NULL,
		  "histograms in the kernel only" },
		{ 0, "ring", CLI_FLAG, &a.record.ring, NULL,
		  "keep the last events; file at end, on SIGUSR1" },
		{ 0, "when-stall", CLI_TIME, &a.stall, "TIME",
		  "a file when a task stalls so long" },
		{ 0, "when-throttle", CLI_FLAG, &a.record.when_throttle, NULL,
		  "when one is throttled to the full" },
		{ 0, "when-psi", CLI_NUMBER, &a.psi, "PERCENT", "when PSI memory full is above" },
		{ 0, "cleanup", CLI_FLAG, &a.cleanup, NULL, "remove what killed recorders left" },
		{ 0, "dumps", CLI_NUMBER, &a.dumps, "N", NULL },
		{ 0, "size", CLI_TEXT, &a.size, "SIZE", NULL },
		{ 0, "sample", CLI_TIME, &a.sample, "TIME", NULL },
		{ 0, "fast", CLI_TIME, &a.fast, "TIME", NULL },
		{ 0, "clock", CLI_TEXT, &a.record.clock, "NAME", NULL },
		{ 0, "format", CLI_TEXT, &a.format, "v6|v7", NULL },
		{ 0, "realtime", CLI_NUMBER, &a.realtime, "PRIO", NULL },
		{ 0 },
	};
	const struct cli_usage usage = { "[options] [-- command ...]", doc, options };
	struct rl_msg msg;
	int first, ret;

	record_options_init(&a.record);
	first = cli_parse(cli, &usage, argc, argv);
	if (first < 0)
		return cli_parse_status(first);
	a.record.events = a.events.count ? a.events.item : NULL;
	a.record.filters = a.filters.count ? a.filters.item : NULL;
	a.record.cgroups = a.cgroups.count ? a.cgroups.item : NULL;
	a.record.command = first < argc ? argv + first : NULL;
	ret = take_texts(cli, &a, &msg);
	if (!ret)
		ret = take_pids(cli, &a);
	if (!ret)
		ret = take_numbers(cli, &a);
	if (!ret)
		ret = take_conditions(cli, &a);
	if (ret)
		return ret;
	return a.cleanup ? run_cleanup(cli) : run_capture(cli, &a);
}
