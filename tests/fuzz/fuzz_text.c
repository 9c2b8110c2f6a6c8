/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a text trace and as a kernel log: no crash, no endless search, values within slots.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/read/dump.h"
#include "capture/read/source_ops.h"

static int pass_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	return 0;
}

static int pass_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	*(uint64_t *)ctx += strlen(value->scope) + strlen(value->name);
	return 0;
}

static void check_event(const struct event *ev)
{
	const struct vocab_entry *entry;
	uint64_t sum = 0;

	if (ev->id >= VOCAB_NR)
		abort();
	entry = vocab_entry(ev->id);
	if (ev->have >> entry->nr_fields)
		abort();
	for (unsigned int i = 0; i < entry->nr_fields; i++) {
		bool text = entry->fields[i].kind == VOCAB_STRING ||
			    entry->fields[i].kind == VOCAB_SYMBOL;

		if (text && event_has(ev, i) && ev->string[i].len)
			sum += (uint8_t)ev->string[i].text[0] +
			       (uint8_t)ev->string[i].text[ev->string[i].len - 1];
	}
	if (ev->comm.len)
		sum += (uint8_t)ev->comm.text[ev->comm.len - 1];
	__asm__ volatile("" : : "r"(sum));
}

static void read_as_trace(const char *path)
{
	struct source *source;
	struct rl_msg msg;
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	if (source_text_ops.open(path, NULL, &source, &msg))
		return;
	while (source_text_ops.next(source, &ev, &msg) > 0)
		check_event(&ev);
	source_text_ops.close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	struct counters_visitor visitor = { pass_snapshot, pass_value, &sum };
	struct rl_msg msg;
	char path[32];
	int fd;

	if (!source_text_ops.match(data, size))
		return 0;
	fd = memfd_create("text", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_as_trace(path);
	dump_read(path, &visitor, &msg);
	close(fd);
	return 0;
}
