/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/tracedat_cut.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/read/tracedat.h"
#include "capture/record/tracedat_writer.h"

struct cutter {
	const struct tracedat_cut *cut;
	struct tracedat *td;
	struct tracedat_writer *w;
	uint64_t *kept; /* bitmap of the ids that occur in the window */
	struct tracedat_cut_result result;
	struct rl_msg *msg;
};

static bool in_window(const struct cutter *c, const struct tracedat_record *rec)
{
	return rec->ts >= c->cut->from && rec->ts < c->cut->to;
}

/*
 * Call @take for the records of the window, CPU by CPU. The stamps of one CPU never run backwards,
 * so that the first one behind the window ends its walk.
 */
static int each_record(struct cutter *c,
		       int (*take)(struct cutter *c, const struct tracedat_cpu *cpu,
				   const struct tracedat_record *rec))
{
	tracedat_rewind(c->td);
	for (unsigned int i = 0; i < tracedat_cpu_total(c->td); i++) {
		struct tracedat_cpu *cpu = tracedat_cpu_at(c->td, i);
		const struct tracedat_record *rec;
		int ret;

		while ((ret = tracedat_cpu_next(cpu, &rec)) > 0 && rec->ts < c->cut->to) {
			ret = in_window(c, rec) ? take(c, cpu, rec) : 0;
			if (ret)
				return ret;
		}
		if (ret < 0)
			return rl_fail(c->msg, -ret, "%s: out of memory", tracedat_path(c->td));
	}
	return 0;
}

static int note_record(struct cutter *c, const struct tracedat_cpu *cpu,
		       const struct tracedat_record *rec)
{
	struct tracedat_cut_result *result = &c->result;

	c->kept[rec->id / 64] |= 1ull << rec->id % 64;
	if (!result->records || rec->ts < result->first)
		result->first = rec->ts;
	if (!result->records || rec->ts > result->last)
		result->last = rec->ts;
	result->records++;
	return 0;
}

static int copy_record(struct cutter *c, const struct tracedat_cpu *cpu,
		       const struct tracedat_record *rec)
{
	return tracedat_writer_record(c->w, rec->buffer, (unsigned int)rec->cpu,
				      tracedat_cpu_raw_stamp(cpu), rec->data, rec->size,
				      rec->missed, c->msg);
}

static bool system_occurs(const struct cutter *c, const char *system)
{
	size_t count;
	const struct tracedat_event *events = tracedat_events(c->td, &count);

	for (size_t i = 0; i < count; i++)
		if ((c->kept[events[i].id / 64] >> events[i].id % 64 & 1) &&
		    strcmp(events[i].system, system) == 0)
			return true;
	return false;
}

/* Whole systems: an event that did not happen in the window is not one that the kernel lacks. */
static int copy_formats(struct cutter *c)
{
	const char *system = "";
	bool kept = false;
	size_t count;
	const struct tracedat_event *events = tracedat_events(c->td, &count);

	for (size_t i = 0; i < count; i++) {
		const struct tracedat_event *event = &events[i];
		bool ftrace = strcmp(event->system, "ftrace") == 0;
		int ret;

		if (strcmp(system, event->system)) {
			system = event->system;
			kept = system_occurs(c, system);
		}
		if (!kept && !ftrace)
			continue;
		ret = tracedat_writer_event(c->w, event->system, event->format.data,
					    event->format.size, c->msg);
		if (ret)
			return ret;
		c->result.events += !ftrace;
	}
	return 0;
}

static bool option_stays(uint16_t id)
{
	switch (id) {
	case TRACEDAT_OPTION_DATE:
	case TRACEDAT_OPTION_TRACECLOCK:
	case TRACEDAT_OPTION_UNAME:
	case TRACEDAT_OPTION_OFFSET:
	case TRACEDAT_OPTION_VERSION:
	case TRACEDAT_OPTION_TRACEID:
	case TRACEDAT_OPTION_TIME_SHIFT:
	case TRACEDAT_OPTION_TSC2NSEC:
		return true;
	default:
		return false;
	}
}

static int copy_options(struct cutter *c)
{
	size_t count;
	const struct tracedat_option *options = tracedat_options(c->td, &count);
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		if (option_stays(options[i].id))
			ret = tracedat_writer_option(c->w, options[i].id, options[i].data,
						     options[i].size, c->msg);
	return ret;
}

static int copy_texts(struct cutter *c)
{
	struct tracedat_text page = tracedat_header_page(c->td);
	struct tracedat_text event = tracedat_header_event(c->td);
	struct tracedat_text printk = tracedat_printk(c->td);
	struct tracedat_text cmdlines = tracedat_cmdlines_text(c->td);
	struct tracedat_text kallsyms = tracedat_kallsyms(c->td);
	int ret =
		tracedat_writer_headers(c->w, page.data, page.size, event.data, event.size, c->msg);

	if (!ret)
		ret = tracedat_writer_printk(c->w, printk.data, printk.size, c->msg);
	if (!ret)
		ret = tracedat_writer_cmdlines(c->w, cmdlines.data, cmdlines.size, c->msg);
	if (!ret && c->cut->kallsyms)
		ret = tracedat_writer_kallsyms(c->w, kallsyms.data, kallsyms.size, c->msg);
	return ret;
}

/* The number of CPUs that makes room for the highest CPU number of the buffer. */
static unsigned int cpus_of(struct cutter *c, unsigned int buffer)
{
	unsigned int count = tracedat_buffer(c->td, buffer)->cpu_count;
	struct tracedat_extent extent;

	if (!count)
		return 0;
	tracedat_cpu_extent(tracedat_cpu(c->td, buffer, count - 1), &extent);
	return (unsigned int)extent.cpu + 1;
}

static int copy_buffers(struct cutter *c)
{
	for (unsigned int i = 0; i < tracedat_buffer_count(c->td); i++) {
		const struct tracedat_buffer *buffer = tracedat_buffer(c->td, i);
		const char *clock = *buffer->clock ? buffer->clock : "local";
		int ret = tracedat_writer_buffer(c->w, buffer->name, clock, buffer->page_size,
						 cpus_of(c, i), c->msg);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static int open_writer(struct cutter *c, const char *out)
{
	struct tracedat_writer_format format = {
		.version = c->cut->version,
		.compression = c->cut->compression,
		.big_endian = tracedat_big_endian(c->td),
		.long_size = tracedat_long_size(c->td),
		.page_size = tracedat_buffer(c->td, 0)->page_size,
	};

	return tracedat_writer_open(out, &format, &c->w, c->msg);
}

static int run(struct cutter *c, const char *out)
{
	int ret;

	if (!tracedat_buffer_count(c->td))
		return rl_fail(c->msg, ENODATA, "%s: no records", tracedat_path(c->td));
	ret = each_record(c, note_record);
	if (ret)
		return ret;
	if (!c->result.records)
		return rl_fail(c->msg, ENODATA,
			       "%s: no record between %" PRIu64 " and %" PRIu64 " ns",
			       tracedat_path(c->td), c->cut->from, c->cut->to);
	ret = open_writer(c, out);
	if (!ret)
		ret = copy_texts(c);
	if (!ret)
		ret = copy_formats(c);
	if (!ret)
		ret = copy_options(c);
	if (!ret)
		ret = copy_buffers(c);
	if (!ret)
		ret = each_record(c, copy_record);
	return ret ? ret : tracedat_writer_finish(c->w, c->msg);
}

int tracedat_cut(const char *in, const char *out, const struct tracedat_cut *cut,
		 struct tracedat_cut_result *result, struct rl_msg *msg)
{
	struct cutter c = { .cut = cut, .msg = msg };
	int ret = tracedat_open(in, &c.td, msg);

	if (ret)
		return ret;
	c.kept = calloc(TRACEDAT_IDS / 64, sizeof(*c.kept));
	ret = c.kept ? run(&c, out) : rl_fail(msg, ENOMEM, "%s: out of memory", in);
	if (!ret && result)
		*result = c.result;
	tracedat_writer_close(c.w);
	free(c.kept);
	tracedat_close(c.td);
	return ret;
}
