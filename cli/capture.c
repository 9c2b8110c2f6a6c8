/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture: record reclaim on the running kernel into a trace.dat. */
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
	int64_t buffer_kb, sample_pages, realtime;
	int64_t duration, sample, fast;
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

static int take_numbers(const struct cli *cli, struct capture_arguments *a)
{
	struct record_options *o = &a->record;

	if (a->buffer_kb < 0 || a->buffer_kb > 1 << 22)
		return cli_usage_error(cli, "--buffer: KiB a CPU, up to 4194304, was expected");
	if (a->sample_pages < 1 || a->sample_pages > 1 << 20 ||
	    (a->sample_pages & (a->sample_pages - 1)))
		return cli_usage_error(cli, "--sample-pages: a power of two was expected");
	if (a->realtime < 0 || a->realtime > 99)
		return cli_usage_error(cli, "--realtime: a priority from 1 to 99 was expected");
	if (a->duration < 0 || a->sample < 0 || a->fast < 0 ||
	    (a->sample && a->sample < 10000000) || (a->fast && a->fast < 10000000))
		return cli_usage_error(cli, "times shorter than 10ms cannot be kept");
	if (a->filters.count > a->events.count)
		return cli_usage_error(cli, "-f belongs to the -e before it");
	o->buffer_kb = (unsigned int)a->buffer_kb;
	o->sample_pages = (unsigned int)a->sample_pages;
	o->realtime = (int)a->realtime;
	o->duration_ns = (uint64_t)a->duration;
	o->sample_ms = (unsigned int)(a->sample / 1000000);
	o->fast_ms = (unsigned int)(a->fast / 1000000);
	return CLI_OK;
}

static void warn(void *ctx, const char *line)
{
	cli_note(ctx, "%s", line);
}

static void report(struct cli *cli, const struct capture_arguments *a,
		   const struct record_result *r)
{
	cli_note(cli, "%s: %llu events, %llu lost, %.1f MB", a->record.output,
		 (unsigned long long)r->events, (unsigned long long)(r->overrun + r->dropped),
		 (double)r->bytes / 1e6);
	cli_note(cli, "ring %.1f MB, recorder %.1f MB locked, %.2f s of CPU, %llu faults%s",
		 (double)r->ring_bytes / 1e6, (double)r->locked_bytes / 1e6,
		 (double)r->cpu_ns / 1e9, (unsigned long long)(r->minor_faults + r->major_faults),
		 r->direct ? "" : ", no O_DIRECT: pages were dropped after writing");
	if (r->left)
		cli_note(cli, "%llu events were left in the ring buffers",
			 (unsigned long long)r->left);
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

	cli_progress_begin(cli);
	ret = record_run(&a->record, &cli->progress, warn, cli, &result, &msg);
	cli_progress_end();
	if (ret)
		return cli_error(cli, &msg);
	report(cli, a, &result);
	return command_status(&result);
}

int cli_capture(struct cli *cli, int argc, char **argv)
{
	struct capture_arguments a = { .sample = 1000000000, .fast = 50000000, .sample_pages = 1 };
	const struct cli_option options[] = {
		{ 'o', "output", CLI_TEXT, &a.record.output, "FILE", "trace.dat by default" },
		{ 'p', "preset", CLI_TEXT, &a.preset, "NAME", "reclaim, pages, access, all, none" },
		{ 'e', "event", CLI_LIST, &a.events, "SYS[:EVENT]", "one more event or system" },
		{ 'f', "filter", CLI_LIST, &a.filters, "EXPR", "filter of the n-th -e" },
		{ 'P', "pid", CLI_LIST, &a.pids, "PID", "only events of this task, its children" },
		{ 0, "for", CLI_TIME, &a.duration, "TIME", "stop after 30s, 300s, ..." },
		{ 0, "size", CLI_TEXT, &a.size, "SIZE", "stop at this size, such as 1G" },
		{ 0, "clock", CLI_TEXT, &a.record.clock, "NAME", "trace clock, mono by default" },
		{ 'b', "buffer", CLI_NUMBER, &a.buffer_kb, "KIB", "ring buffer a CPU" },
		{ 0, "format", CLI_TEXT, &a.format, "v6|v7", "v7 with zstd by default" },
		{ 0, "sample", CLI_TIME, &a.sample, "TIME", "counters, 1s by default, 0: none" },
		{ 0, "fast", CLI_TIME, &a.fast, "TIME", "free pages, 50ms by default, 0: none" },
		{ 'c', "cgroup", CLI_LIST, &a.cgroups, "DIR", "memory.stat of this cgroup too" },
		{ 0, "sample-pages", CLI_NUMBER, &a.sample_pages, "N", "1 in N pages of accesses" },
		{ 0, "summary", CLI_FLAG, &a.record.summary, NULL,
		  "histograms in the kernel only" },
		{ 0, "realtime", CLI_NUMBER, &a.realtime, "PRIO", "real-time readers" },
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
	return ret ? ret : run_capture(cli, &a);
}
