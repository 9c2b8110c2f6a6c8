/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <stdlib.h>

#define TAG_SIZE 10

struct instance {
	uint64_t offset;
	const char *name;
};

struct v6 {
	struct tracedat *td;
	uint32_t cpus;
	struct instance instances[TRACEDAT_BUFFERS_MAX];
	unsigned int instance_count;
	bool clock_behind; /* the clock's text follows the table of CPUs */
};

static int read_text4(struct tracedat *td, struct tracedat_span *span, const char *what,
		      struct tracedat_text *text, struct rl_msg *msg)
{
	return tracedat_span_text4(span, text) ? 0 : tracedat_span_short(td, span, what, msg);
}

static int read_meta(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	int ret = tracedat_meta_headers(td, span, msg);

	if (!ret)
		ret = tracedat_meta_ftrace(td, span, msg);
	if (!ret)
		ret = tracedat_meta_events(td, span, msg);
	if (!ret)
		ret = read_text4(td, span, "kallsyms", &td->kallsyms, msg);
	if (!ret)
		ret = read_text4(td, span, "printk formats", &td->printk, msg);
	if (!ret)
		ret = tracedat_meta_cmdlines(td, span, msg);
	return ret;
}

static int add_instance(struct v6 *v6, const uint8_t *data, uint32_t size, struct rl_msg *msg)
{
	struct tracedat_span span = { .data = data,
				      .size = size,
				      .big_endian = v6->td->big_endian };
	struct instance *instance = &v6->instances[v6->instance_count];

	if (v6->instance_count == TRACEDAT_BUFFERS_MAX - 1 ||
	    !tracedat_span_u64(&span, &instance->offset) ||
	    !tracedat_span_string(&span, &instance->name))
		return rl_fail(msg, EBADMSG,
			       "%s: BUFFER option of %u bytes: expected offset and name",
			       v6->td->path, size);
	v6->instance_count++;
	return 0;
}

static int read_option(struct v6 *v6, struct tracedat_span *span, uint16_t id, struct rl_msg *msg)
{
	const uint8_t *data;
	uint32_t size;
	int ret;

	if (!tracedat_span_u32(span, &size) || !tracedat_span_bytes(span, size, &data))
		return tracedat_span_short(v6->td, span, "option", msg);
	ret = tracedat_option_add(v6->td, id, data, size, msg);
	if (ret)
		return ret;
	if (id == TRACEDAT_OPTION_BUFFER)
		return add_instance(v6, data, size, msg);
	if (id == TRACEDAT_OPTION_CPUCOUNT && size >= 4)
		v6->cpus = ring_load32(data, v6->td->big_endian);
	if (id == TRACEDAT_OPTION_TRACECLOCK)
		v6->clock_behind = true;
	return 0;
}

static int read_options(struct v6 *v6, struct tracedat_span *span, struct rl_msg *msg)
{
	uint16_t id;
	int ret;

	for (;;) {
		if (!tracedat_span_u16(span, &id))
			return tracedat_span_short(v6->td, span, "option", msg);
		if (id == TRACEDAT_OPTION_DONE)
			return 0;
		ret = read_option(v6, span, id, msg);
		if (ret)
			return ret;
	}
}

/* Read up to the tag that says what kind of data follows. */
static int read_tag(struct v6 *v6, struct tracedat_span *span, const uint8_t **tag,
		    struct rl_msg *msg)
{
	int ret;

	if (!tracedat_span_bytes(span, TAG_SIZE, tag))
		return tracedat_span_short(v6->td, span, "tag of the trace data", msg);
	if (memcmp(*tag, "options", 7) != 0)
		return 0;
	ret = read_options(v6, span, msg);
	if (ret)
		return ret;
	if (!tracedat_span_bytes(span, TAG_SIZE, tag))
		return tracedat_span_short(v6->td, span, "tag of the trace data", msg);
	return 0;
}

static void read_clock_behind(struct v6 *v6, struct tracedat_span *span, struct rl_msg *msg)
{
	struct tracedat_text text;

	if (v6->clock_behind && tracedat_span_text8(span, &text) && text.size < 4096)
		tracedat_clock_set(v6->td, text.data, text.size, msg);
}

static int read_table(struct v6 *v6, struct tracedat_span *span, const char *name,
		      struct rl_msg *msg)
{
	struct tracedat_extent *extents;
	struct tracedat_buffer_place place = { .name = name,
					       .page_size = v6->td->layout.page_size };
	int ret;

	if (v6->cpus > TRACEDAT_CPUS_MAX)
		return rl_fail(msg, EBADMSG, "%s: offset %" PRIu64 ": %u CPUs, expected at most %u",
			       v6->td->path, tracedat_span_offset(span), v6->cpus,
			       TRACEDAT_CPUS_MAX);
	extents = calloc(v6->cpus + 1, sizeof(*extents));
	if (!extents)
		return rl_fail(msg, ENOMEM, "%s: out of memory", v6->td->path);
	for (uint32_t i = 0; i < v6->cpus; i++) {
		extents[i].cpu = (int)i;
		if (!tracedat_span_u64(span, &extents[i].offset) ||
		    !tracedat_span_u64(span, &extents[i].claimed)) {
			ret = tracedat_span_short(v6->td, span, "table of CPUs", msg);
			goto out;
		}
	}
	place.extents = extents;
	place.extent_count = v6->cpus;
	ret = tracedat_buffer_add(v6->td, &place, msg);
out:
	free(extents);
	return ret;
}

static int read_buffer(struct v6 *v6, struct tracedat_span *span, const char *name,
		       struct rl_msg *msg)
{
	const uint8_t *tag;
	int ret = read_tag(v6, span, &tag, msg);

	if (ret)
		return ret;
	if (memcmp(tag, "latency", 7) == 0)
		return rl_fail(msg, EPROTONOSUPPORT,
			       "%s: offset %" PRIu64
			       ": a latency trace (text), expected flyrecord data",
			       v6->td->path, tracedat_span_offset(span) - TAG_SIZE);
	if (memcmp(tag, "flyrecord", 9) != 0)
		return rl_fail(msg, EBADMSG,
			       "%s: offset %" PRIu64 ": expected the tag \"flyrecord\"",
			       v6->td->path, tracedat_span_offset(span) - TAG_SIZE);
	return read_table(v6, span, name, msg);
}

static void read_instances(struct v6 *v6)
{
	/* Instances can name instances no further. */
	unsigned int count = v6->instance_count;

	for (unsigned int i = 0; i < count; i++) {
		const struct instance *instance = &v6->instances[i];
		struct tracedat_span span =
			tracedat_span_file(v6->td, instance->offset, UINT64_MAX);
		struct rl_msg msg;

		if (read_buffer(v6, &span, instance->name, &msg)) {
			rl_msg_prefix(&msg, "buffer \"%.64s\"", instance->name);
			tracedat_damage_meta(v6->td, instance->offset, &msg);
		}
	}
}

int tracedat_read_v6(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	struct v6 *v6;
	int ret = read_meta(td, span, msg);

	if (ret)
		return ret;
	v6 = calloc(1, sizeof(*v6));
	if (!v6)
		return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
	v6->td = td;
	if (!tracedat_span_u32(span, &v6->cpus))
		ret = tracedat_span_short(td, span, "number of CPUs", msg);
	if (!ret)
		ret = read_buffer(v6, span, "", msg);
	if (!ret) {
		read_clock_behind(v6, span, msg);
		read_instances(v6);
	}
	free(v6);
	return ret;
}
