// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - the trace of a replay, from the ring buffer straight to a file of the host
 *
 * A reader in the guest would make page-cache events of its own and feed on them. Whole pages of
 * the buffer are taken between two requests and whenever reclaim has taken a batch from a list (one
 * request can make it go through all of memory), and written by the host; what is left over at the
 * end follows.
 */
#include <linux/moduleparam.h>
#include <linux/ring_buffer.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/trace_events.h>
#include <trace/events/vmscan.h>

#include "host.h"
#include "replay.h"
#include "trace.h"

#define INSTANCE      "replay"
#define DRAIN_PAGES   16
#define DATA_OFFSET   (sizeof(u64) + sizeof(local_t))
#define COMMIT_MASK   0x07ffffffUL
#define MISSED_STORED BIT(30)

static char events[512] =
	"vmscan,compaction,oom,migrate,kmem:mm_page_alloc,kmem:mm_page_free,pagemap,filemap";
module_param_string(events, events, sizeof(events), 0644);
MODULE_PARM_DESC(events, "what is traced: system or system:event, separated by commas");

static struct trace_array *instance;
static void *page;
static int file = -1;
static int failed;
static u64 written;

static int enable_events(struct trace_array *tr)
{
	char list[sizeof(events)];
	char *rest = list;
	char *name;

	strscpy(list, strim(events), sizeof(list));
	while ((name = strsep(&rest, ","))) {
		char *event = strchr(name, ':');
		int err;

		if (event)
			*event++ = 0;
		if (!*name)
			continue;
		err = trace_array_set_clr_event(tr, name, event, true);
		if (err)
			return err;
	}
	return 0;
}

static void batch_isolated(void *unused, int highest_zoneidx, int order, unsigned long requested,
			   unsigned long scanned, unsigned long skipped, unsigned long taken,
			   isolate_mode_t mode, int lru)
{
	replay_trace_drain(false);
}

int replay_trace_start(const char *path)
{
	int err;

	written = 0;
	failed = 0;
	if (!strcmp(path, "-"))
		return 0;
	instance = trace_array_get_by_name(INSTANCE);
	if (!instance)
		return -ENOMEM;
	err = trace_array_init_printk(instance);
	if (!err)
		err = tracing_set_clock(instance, "mono");
	if (!err)
		err = enable_events(instance);
	if (err)
		return err;
	page = ring_buffer_alloc_read_page(instance->array_buffer.buffer, 0);
	if (IS_ERR(page))
		return PTR_ERR(page);
	file = replay_host_create(path);
	if (file < 0)
		return file;
	return register_trace_mm_vmscan_lru_isolate(batch_isolated, NULL);
}

/* Old bytes behind the end would make equal traces differ. */
static void clear_tail(void)
{
	unsigned long commit = *(unsigned long *)(page + sizeof(u64));
	unsigned long end = DATA_OFFSET + (commit & COMMIT_MASK);

	if (commit & MISSED_STORED)
		end += sizeof(unsigned long);
	if (end < PAGE_SIZE)
		memset(page + end, 0, PAGE_SIZE - end);
}

void replay_trace_drain(bool all)
{
	struct trace_buffer *buffer;

	if (file < 0)
		return;
	buffer = instance->array_buffer.buffer;
	if (!all && ring_buffer_nr_dirty_pages(buffer, 0) < DRAIN_PAGES)
		return;
	while (ring_buffer_read_page(buffer, &page, PAGE_SIZE, 0, !all) >= 0) {
		int err;

		clear_tail();
		err = replay_host_write(file, page, PAGE_SIZE);
		if (err)
			failed = err;
		written += PAGE_SIZE;
	}
}

void replay_trace_mark(const char *text)
{
	if (file >= 0)
		trace_array_printk(instance, _THIS_IP_, "%s\n", text);
}

int replay_trace_stop(u64 *bytes, u64 *lost)
{
	*bytes = 0;
	*lost = 0;
	if (file < 0)
		return 0;
	unregister_trace_mm_vmscan_lru_isolate(batch_isolated, NULL);
	trace_array_set_clr_event(instance, NULL, NULL, false);
	replay_trace_drain(true);
	*bytes = written;
	*lost = ring_buffer_overruns(instance->array_buffer.buffer);
	ring_buffer_free_read_page(instance->array_buffer.buffer, 0, page);
	replay_host_close(file);
	file = -1;
	return failed;
}
