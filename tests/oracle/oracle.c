/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle CAPTURE PACKING - is our reader the equal of libtracecmd and of kbuffer on this file?
 *
 * Record for record in merged order: CPU, stamp, size and payload, and the same number of them.
 * Page for page against kbuffer. Exit status 0 equal, 1 not, 77 the capture is not on this machine.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/kbuffer.h>
#include <trace-cmd/trace-cmd.h>

#include "capture/base/map.h"
#include "capture/read/tracedat.h"
#include "tests/oracle/oracle_files.h"

#define SKIP 77

struct compare {
	struct tracedat *td;
	uint64_t records;
	bool differs;
};

static int compare_record(struct tracecmd_input *handle, struct tep_record *theirs, int cpu,
			  void *data)
{
	struct compare *compare = data;
	const struct tracedat_record *ours;

	/* What is returned does not end the iteration. */
	if (compare->differs)
		return 1;
	if (tracedat_next(compare->td, &ours) != 1) {
		printf("our reader ends after %llu records\n",
		       (unsigned long long)compare->records);
		compare->differs = true;
		return 1;
	}
	compare->records++;
	if (ours->cpu == cpu && ours->ts == theirs->ts && ours->size == (uint32_t)theirs->size &&
	    memcmp(ours->data, theirs->data, ours->size) == 0)
		return 0;
	printf("record %llu: ours CPU %d, %llu ns, %u bytes; libtracecmd's CPU %d, %llu ns, %d bytes\n",
	       (unsigned long long)compare->records, ours->cpu, (unsigned long long)ours->ts,
	       ours->size, cpu, theirs->ts, theirs->size);
	compare->differs = true;
	return 1;
}

static int compare_merged(struct tracedat *td, const char *path)
{
	struct tracecmd_input *handle = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	struct compare compare = { .td = td };
	const struct tracedat_record *left;

	if (!handle) {
		printf("%s: libtracecmd does not open it\n", path);
		return 1;
	}
	tracecmd_iterate_events(handle, NULL, 0, compare_record, &compare);
	tracecmd_close(handle);
	if (compare.differs)
		return 1;
	if (tracedat_next(td, &left) != 0) {
		printf("our reader has more than libtracecmd's %llu records\n",
		       (unsigned long long)compare.records);
		return 1;
	}
	printf("%s: %llu records equal libtracecmd's\n", path, (unsigned long long)compare.records);
	return compare.records == 0;
}

/* One page by both decoders. */
static bool same_page(const struct ring_layout *layout, struct kbuffer *kbuf, const uint8_t *page,
		      uint64_t *records)
{
	struct ring_cursor ours;
	int64_t missed;
	unsigned long long stamp;
	void *data;

	kbuffer_load_subbuffer(kbuf, (void *)page);
	if (!ring_open_page(&ours, layout, page, &missed) || missed != kbuffer_missed_events(kbuf))
		return false;
	for (data = kbuffer_read_event(kbuf, &stamp); data;
	     data = kbuffer_next_event(kbuf, &stamp)) {
		if (ring_step(&ours) != RING_RECORD || ours.data != data || ours.stamp != stamp ||
		    ours.size != (uint32_t)kbuffer_event_size(kbuf))
			return false;
		++*records;
	}
	return ring_step(&ours) == RING_END;
}

static int compare_pages(struct tracedat *td, const struct rl_map *map)
{
	struct ring_layout layout = { .page_size = tracedat_buffer(td, 0)->page_size,
				      .commit_at = 8,
				      .commit_size = tracedat_long_size(td),
				      .data_at = 8 + tracedat_long_size(td) };
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	uint64_t records = 0;
	int ret = 0;

	for (unsigned int i = 0; i < tracedat_cpu_total(td) && !ret; i++) {
		struct tracedat_extent extent;

		tracedat_cpu_extent(tracedat_cpu_at(td, i), &extent);
		for (uint64_t at = 0; at < extent.size && !extent.compressed;
		     at += layout.page_size) {
			if (same_page(&layout, kbuf, map->data + extent.offset + at, &records))
				continue;
			printf("page at offset %llu: decoded otherwise than by kbuffer\n",
			       (unsigned long long)(extent.offset + at));
			ret = 1;
			break;
		}
	}
	kbuffer_free(kbuf);
	if (!ret && records)
		printf("%llu records equal kbuffer's\n", (unsigned long long)records);
	return ret;
}

static int compare_file(const char *path, const char *their_path)
{
	struct tracedat *td;
	struct rl_map map;
	struct rl_msg msg;
	size_t damages;
	int ret;

	if (tracedat_open(path, &td, &msg) || rl_map_open(path, &map, &msg)) {
		printf("%s\n", msg.text);
		return 1;
	}
	ret = compare_merged(td, their_path);
	if (!ret)
		ret = compare_pages(td, &map);
	if (tracedat_damages(td, &damages)->what && damages) {
		printf("damage in a sound file: %s\n", tracedat_damages(td, &damages)->what);
		ret = 1;
	}
	rl_map_close(&map);
	tracedat_close(td);
	return ret;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX], their_path[PATH_MAX];
	struct rl_msg msg;
	bool zlib;
	int ret;

	if (argc != 3) {
		fprintf(stderr, "usage: oracle CAPTURE PACKING\n");
		return 2;
	}
	/* Not every libtracecmd knows zlib: ours is held against the capture as it is. */
	zlib = strcmp(argv[2], "7-zlib") == 0;
	ret = oracle_file(argv[1], argv[2], path, &msg);
	if (!ret)
		ret = oracle_file(argv[1], zlib ? "as-is" : argv[2], their_path, &msg);
	if (ret) {
		printf("%s%s\n", ret == -ENOENT ? "skipped, the capture is not here: " : "",
		       msg.text);
		return ret == -ENOENT ? SKIP : 1;
	}
	return compare_file(path, their_path);
}
