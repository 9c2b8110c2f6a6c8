/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text as a source: values, wrapped lines, losses, what cannot be read, what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/read/source.h"
#include "capture/vocabulary/gfp.h"

#define MAX_EVENTS 64
#define TEXT_SIZE  64

/* All that an input gave. */
struct reading {
	struct source *source;
	struct event ev[MAX_EVENTS];
	char comm[MAX_EVENTS][TEXT_SIZE];
	char text[MAX_EVENTS][TEXT_SIZE]; /* of the first string of an event */
	unsigned int nr;
};

static char path[] = "/tmp/reclaimlab-text-XXXXXX";

static void write_input(const char *text, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void keep(char *to, struct event_string from)
{
	snprintf(to, TEXT_SIZE, "%.*s", (int)from.len, from.text ? from.text : "");
}

static void keep_strings(struct reading *r, const struct event *ev)
{
	const struct vocab_entry *entry = vocab_entry(ev->id);

	keep(r->comm[r->nr], ev->comm);
	r->text[r->nr][0] = '\0';
	for (unsigned int i = 0; i < entry->nr_fields && !r->text[r->nr][0]; i++)
		if (event_has(ev, i) && (entry->fields[i].kind == VOCAB_STRING ||
					 entry->fields[i].kind == VOCAB_SYMBOL))
			keep(r->text[r->nr], ev->string[i]);
}

static void read_bytes(struct reading *r, const char *text, size_t len)
{
	struct rl_msg msg;
	struct event ev;
	int ret;

	write_input(text, len);
	r->nr = 0;
	if (source_open(path, &r->source, &msg))
		fail_msg("%s", msg.text);
	while ((ret = source_next(r->source, &ev, &msg)) > 0) {
		assert_true(r->nr < MAX_EVENTS);
		keep_strings(r, &ev);
		r->ev[r->nr++] = ev;
	}
	if (ret)
		fail_msg("%s", msg.text);
}

static void read_text(struct reading *r, const char *text)
{
	read_bytes(r, text, strlen(text));
}

static void done(struct reading *r)
{
	source_close(r->source);
}

static int64_t loss_of(struct reading *r, const char *kind)
{
	struct source_loss loss;
	int64_t sum = 0;

	for (unsigned int i = 0; source_loss_at(r->source, i, &loss); i++)
		if (!strcmp(loss.kind, kind))
			sum = loss.count < 0 ? -1 : sum + loss.count;
	return sum;
}

static int64_t value_of(struct reading *r, unsigned int i, unsigned int slot)
{
	assert_true(i < r->nr);
	assert_true(event_has(&r->ev[i], slot));
	return r->ev[i].value[slot];
}

#define HEAD "  kswapd0-42    [001] d..1.   100.000001: "

static void values_of_the_grammar_s_examples(void **state)
{
	struct reading r;

	read_text(
		&r,
		"           <...>-4211  [000]   900.000100: mm_vmscan_direct_reclaim_begin: order=0 "
		"may_writepage=1 gfp_flags=GFP_NOFS|GFP_COLD\n"
		" Chrome_ChildIOT-2001  (  1999) [003] .N.2  900.000200: "
		"mm_vmscan_direct_reclaim_end: nr_reclaimed=32\n"
		"kworker/u16:3-ext4-731     [006] d..2.   900.000300: mm_vmscan_lru_isolate: "
		"classzone=2 order=0 nr_requested=32 nr_scanned=32 nr_skipped=0 nr_taken=32 "
		"lru=inactive_file\n"
		"CPU:2 [LOST 17 EVENTS]\n"
		" => shrink_node+0x1c/0x40\n"
		">  bash-1  [000] ....   1.000000: mm_compaction_end: zone_start=0x1 "
		"migrate_pfn=0x2 free_pfn=0x3 zone_end=0x4, mode=sync status=success\n");
	assert_int_equal(r.nr, 4);
	assert_int_equal(value_of(&r, 0, mm_vmscan_direct_reclaim_begin_gfp),
			 RL_GFP(DIRECT_RECLAIM) | RL_GFP(KSWAPD_RECLAIM) | RL_GFP(IO) |
				 RL_GFP(COLD));
	assert_int_equal(value_of(&r, 0, mm_vmscan_direct_reclaim_begin_may_writepage), 1);
	assert_int_equal(r.ev[0].pid, 4211);
	assert_string_equal(r.comm[0], "");
	assert_int_equal(value_of(&r, 1, mm_vmscan_direct_reclaim_end_nr_reclaimed), 32);
	assert_int_equal(r.ev[1].pid, 2001);
	assert_string_equal(r.comm[2], "kworker/u16:3-ext4");
	assert_int_equal(value_of(&r, 2, mm_vmscan_lru_isolate_highest_zoneidx), 2);
	assert_int_equal(value_of(&r, 2, mm_vmscan_lru_isolate_lru), 2);
	assert_int_equal(value_of(&r, 3, mm_compaction_end_zone_end), 4);
	assert_int_equal(value_of(&r, 3, mm_compaction_end_sync), 1);
	assert_int_equal(value_of(&r, 3, mm_compaction_end_status), 8);
	assert_int_equal(r.ev[3].where, 6);
	assert_int_equal(loss_of(&r, "missed"), 17);
	assert_int_equal(loss_of(&r, "unparsed"), 0);
	assert_string_equal(source_comm(r.source, 2001), "Chrome_ChildIOT");
	assert_null(source_comm(r.source, 4211));
	done(&r);
}

static void integer_stamps_have_no_unit(void **state)
{
	struct reading r;

	read_text(
		&r,
		"         a-b [1] c-12      [000] ..... 1234567: mm_vmscan_kswapd_sleep: nid=1\n");
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.ev[0].ts, 1234567);
	assert_int_equal(r.ev[0].flags, EVENT_NO_TIME_UNIT);
	assert_false(source_info(r.source)->time_known);
	assert_string_equal(r.comm[0], "a-b [1] c");
	done(&r);
}

static void texts_that_are_no_list_of_keys(void **state)
{
	struct reading r;

	read_text(&r, HEAD
		  "mm_shrink_slab_start: super_cache_scan+0x0/0x190 [xfs] 00000000deadbeef: nid: 1 "
		  "objects to shrink 4 gfp_flags GFP_KERNEL cache items 100 delta 12 total_scan "
		  "16 priority 12\n" HEAD
		  "mm_shrink_slab_end: super_cache_scan+0x0/0x190 00000000deadbeef: unused scan "
		  "count 1 new scan count 2 total_scan -3 last shrinker return val 4\n" HEAD
		  "mm_shrink_slab_start: prune_super+0x0 0xffff880012345678: objects to shrink 4 "
		  "gfp_flags GFP_NOFS pgs_scanned 32 lru_pgs 1000 cache items 9 delta 8 "
		  "total_scan 7\n" HEAD
		  "sched_switch: task kswapd0:42 [120] (S) ==> my task:7 [100]\n" HEAD
		  "sched_switch: kswapd0:42 [120] R+ ==> swapper/1:0 [120]\n" HEAD
		  "sched_switch: prev_comm=a b=c prev_pid=5 prev_prio=120 prev_state=D|K ==> "
		  "next_comm=x next_pid=6 next_prio=99\n" HEAD
		  "mm_filemap_add_to_page_cache: dev 254:16 ino fe00010 page=00000000aaaaaaaa "
		  "pfn=10295 ofs=8192\n" HEAD
		  "mm_filemap_get_pages: dev=8:1 ino=2f ofs=4096-12287\n" HEAD
		  "mm_compaction_isolate_freepages: range=(0x18c00 ~ 0x18e00) nr_scanned=512 "
		  "nr_taken=3\n" HEAD
		  "block_rq_issue: 254,0 WS 4096 () 123456 + 8 [kworker/u4:1]\n" HEAD
		  "mm_setup_per_zone_wmarks: node_id=0 zone name=Normal watermark min=1 low=2 "
		  "high=3 promo=4\n" HEAD
		  "balance_dirty_pages: bdi 8:0: limit=100 setpoint=90 dirty=80 bdi_setpoint=70 "
		  "bdi_dirty=60 dirty_ratelimit=50 task_ratelimit=40 dirtied=30 "
		  "dirtied_pause=20 paused=10 pause=-5 period=4 think=3 cgroup_ino=2\n");
	assert_int_equal(r.nr, 12);
	assert_string_equal(r.text[0], "super_cache_scan");
	assert_int_equal(value_of(&r, 0, mm_shrink_slab_start_shr), 0xdeadbeef);
	assert_int_equal(value_of(&r, 0, mm_shrink_slab_start_nid), 1);
	assert_int_equal(value_of(&r, 0, mm_shrink_slab_start_priority), 12);
	assert_int_equal(value_of(&r, 1, mm_shrink_slab_end_total_scan), -3);
	assert_int_equal(value_of(&r, 1, mm_shrink_slab_end_retval), 4);
	assert_false(event_has(&r.ev[2], mm_shrink_slab_start_nid));
	assert_int_equal(value_of(&r, 2, mm_shrink_slab_start_lru_pgs), 1000);
	assert_int_equal(value_of(&r, 3, sched_switch_prev_state), 1);
	assert_int_equal(value_of(&r, 3, sched_switch_next_pid), 7);
	assert_int_equal(value_of(&r, 4, sched_switch_prev_state), 0x100);
	assert_string_equal(r.text[5], "a b=c");
	assert_int_equal(value_of(&r, 5, sched_switch_prev_pid), 5);
	assert_int_equal(value_of(&r, 5, sched_switch_prev_state), 0x202);
	assert_int_equal(value_of(&r, 6, mm_filemap_add_to_page_cache_dev), 254 << 20 | 16);
	assert_int_equal(value_of(&r, 6, mm_filemap_add_to_page_cache_ino), 0xfe00010);
	assert_int_equal(value_of(&r, 6, mm_filemap_add_to_page_cache_pfn), 10295);
	assert_int_equal(value_of(&r, 6, mm_filemap_add_to_page_cache_index), 2);
	assert_int_equal(value_of(&r, 7, mm_filemap_get_pages_index), 1);
	assert_int_equal(value_of(&r, 7, mm_filemap_get_pages_last_index), 2);
	assert_int_equal(value_of(&r, 8, mm_compaction_isolate_freepages_end_pfn), 0x18e00);
	assert_int_equal(value_of(&r, 8, mm_compaction_isolate_freepages_nr_taken), 3);
	assert_int_equal(value_of(&r, 9, block_rq_issue_sector), 123456);
	assert_int_equal(value_of(&r, 10, mm_setup_per_zone_wmarks_watermark_promo), 4);
	assert_int_equal(value_of(&r, 11, balance_dirty_pages_wb_dirty), 60);
	assert_int_equal(value_of(&r, 11, balance_dirty_pages_pause), -5);
	assert_string_equal(r.text[11], "8:0");
	done(&r);
}

static void both_spellings_and_raw_output(void **state)
{
	struct reading r;

	read_text(
		&r, HEAD
		"mm_vmscan_throttled: nid=0 usec_timeout=100000 usect_delayed=56000 "
		"reason=VMSCAN_THROTTLE_WRITEBACK|0x2\n" HEAD
		"mm_vmscan_throttled:   nid=0 usec_timeout=100000 usec_delayed=56000 reason=8\n" HEAD
		"mm_vmscan_lru_shrink_inactive: [FAILED TO PARSE] nid=1 nr_scanned=32 "
		"nr_reclaimed=0x1f nr_activate0=3 nr_activate1=4 priority=12 reclaim_flags=10\n" HEAD
		"mm_page_alloc:         pfn=0xffffffffffffffff order=9 gfp_flags=0x140dca "
		"migratetype=1\n" HEAD
		"mm_page_alloc: page=(null) pfn=0 order=3 migratetype=0 gfp_flags=GFP_NOWAIT\n" HEAD
		"mm_page_alloc: page=00000000abcdef01 pfn=0 order=0 migratetype=0 "
		"gfp_flags=GFP_KERNEL\n" HEAD
		"mm_page_alloc_extfrag: page=0x1 pfn=0x7400 alloc_order=0 fallback_order=10 "
		"pageblock_order=9 alloc_migratetype=0 fallback_migratetype=1 fragmenting=10 "
		"change_ownership=1\n" HEAD
		"mark_victim: pid=12 comm=Web Content total-vm=100kB anon-rss=90kB "
		"file-rss:80kB shmem-rss:70kB uid=1000 pgtables=60kB oom_score_adj=-5\n" HEAD
		"print:                tracing_mark_write: SNAP before\n" HEAD
		"print:                 ip=tracing_mark_write buf=SNAP after\n" HEAD
		"tracing_mark_write: B|12|mm_vmscan_kswapd_wake: nid=0\n");
	assert_int_equal(r.nr, 11);
	assert_int_equal(value_of(&r, 0, mm_vmscan_throttled_usec_delayed), 56000);
	assert_int_equal(value_of(&r, 0, mm_vmscan_throttled_reason), 3);
	assert_int_equal(value_of(&r, 1, mm_vmscan_throttled_usec_delayed), 56000);
	assert_int_equal(value_of(&r, 1, mm_vmscan_throttled_reason), 8);
	assert_int_equal(value_of(&r, 2, mm_vmscan_lru_shrink_inactive_nr_reclaimed), 31);
	assert_int_equal(value_of(&r, 2, mm_vmscan_lru_shrink_inactive_nr_activate_file), 4);
	assert_int_equal(value_of(&r, 2, mm_vmscan_lru_shrink_inactive_flags), 10);
	assert_int_equal(value_of(&r, 3, mm_page_alloc_pfn), -1);
	assert_int_equal(value_of(&r, 4, mm_page_alloc_pfn), -1);
	assert_int_equal(value_of(&r, 5, mm_page_alloc_pfn), 0);
	assert_int_equal(value_of(&r, 6, mm_page_alloc_extfrag_fragmenting), 0);
	assert_string_equal(r.text[7], "Web Content");
	assert_int_equal(value_of(&r, 7, mark_victim_file_rss), 80);
	assert_int_equal(value_of(&r, 7, mark_victim_oom_score_adj), -5);
	assert_string_equal(r.text[8], "SNAP before");
	assert_string_equal(r.text[9], "SNAP after");
	assert_int_equal(r.ev[10].id, VOCAB_print);
	assert_string_equal(r.text[10], "B|12|mm_vmscan_kswapd_wake: nid=0");
	done(&r);
}

static void bare_gfp_numbers_are_read_where_the_kernel_is_proved(void **state)
{
	struct reading r;

	read_text(&r,
		  HEAD "mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=0xcc0\n" HEAD
		       "mm_vmscan_throttled: nid=0 usec_timeout=1 usec_delayed=1 reason=1\n" HEAD
		       "mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=0x1000cc0\n");
	assert_int_equal(value_of(&r, 0, mm_vmscan_direct_reclaim_begin_gfp),
			 RL_GFP(DIRECT_RECLAIM) | RL_GFP(KSWAPD_RECLAIM) | RL_GFP(IO) | RL_GFP(FS));
	assert_int_equal(value_of(&r, 2, mm_vmscan_direct_reclaim_begin_gfp),
			 RL_GFP(DIRECT_RECLAIM) | RL_GFP(KSWAPD_RECLAIM) | RL_GFP(IO) | RL_GFP(FS) |
				 RL_GFP(UNKNOWN));
	done(&r);
	read_text(&r, HEAD "mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=0xd0\n");
	assert_int_equal(value_of(&r, 0, mm_vmscan_direct_reclaim_begin_gfp), RL_GFP(UNKNOWN));
	done(&r);
}

static void names_cut_by_the_latency_format_are_whole(void **state)
{
	struct reading r;

	read_text(&r,
		  "kcompact-33      1d..2.     7.349096: mm_compaction_kcompactd_sleep: nid=0\n");
	assert_string_equal(r.comm[0], "kcompactd");
	done(&r);
}

static void wrapped_lines_are_joined(void **state)
{
	struct reading r;

	read_text(&r,
		  /* at a blank, by a mailer, in a quotation */
		  "> " HEAD "mm_vmscan_lru_isolate: isolate_mode=0\n"
		  "> classzone=1 order=0 nr_requested=32 nr_scanned=31\n"
		  "> nr_skipped=0 nr_taken=30 lru=inactive_file\n"
		  /* inside a key */
		  HEAD
		  "mm_vmscan_lru_shrink_inactive: nid=0 nr_scanned=32 nr_reclaimed=7 nr_activat\n"
		  "e=5 priority=12 flags=RECLAIM_WB_FILE|RECLAIM_WB_ASYNC\n"
		  /* inside a name */
		  HEAD "mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=GFP_KERNEL|__GF\n"
		  "P_COMP\n"
		  /* inside a number */
		  HEAD "mm_vmscan_direct_reclaim_end: nr_reclaimed=3\n"
		  "2\n"
		  /* before the event, and before the arguments */
		  "  kswapd0-42    [001] d..1.   100.000002:\n"
		  "mm_vmscan_kswapd_wake: nid=1 order=3\n" HEAD "mm_vmscan_kswapd_sleep:\n"
		  "nid=2\n");
	assert_int_equal(r.nr, 6);
	assert_int_equal(value_of(&r, 0, mm_vmscan_lru_isolate_nr_scanned), 31);
	assert_int_equal(value_of(&r, 0, mm_vmscan_lru_isolate_nr_taken), 30);
	assert_int_equal(value_of(&r, 0, mm_vmscan_lru_isolate_lru), 2);
	assert_string_equal(r.comm[0], "kswapd0");
	assert_int_equal(value_of(&r, 1, mm_vmscan_lru_shrink_inactive_nr_activate_anon), 5);
	assert_int_equal(value_of(&r, 1, mm_vmscan_lru_shrink_inactive_flags), 10);
	assert_int_equal(value_of(&r, 2, mm_vmscan_direct_reclaim_begin_gfp),
			 RL_GFP(DIRECT_RECLAIM) | RL_GFP(KSWAPD_RECLAIM) | RL_GFP(IO) | RL_GFP(FS) |
				 RL_GFP(COMP));
	assert_int_equal(value_of(&r, 3, mm_vmscan_direct_reclaim_end_nr_reclaimed), 32);
	assert_int_equal(value_of(&r, 4, mm_vmscan_kswapd_wake_order), 3);
	assert_int_equal(r.ev[4].ts, 100000002000);
	assert_int_equal(value_of(&r, 5, mm_vmscan_kswapd_sleep_nid), 2);
	assert_int_equal(loss_of(&r, "unparsed"), 0);
	done(&r);
}

static void lines_that_cannot_be_read_are_counted_with_their_numbers(void **state)
{
	struct reading r;

	read_text(&r,
		  "Hi all, I see this here:\n"
		  "\n" HEAD "mm_vmscan_kswapd_sleep: nid=0\n"
		  "Any idea what is going on?\n" HEAD "mm_vmscan_kswapd_wake: what is this\n" HEAD
		  "mm_vmscan_direct_reclaim_end: nr_reclaimed=32\n"
		  "foo bar baz\n");
	assert_int_equal(r.nr, 2);
	assert_int_equal(value_of(&r, 1, mm_vmscan_direct_reclaim_end_nr_reclaimed), 32);
	assert_int_equal(loss_of(&r, "unparsed"), 1);
	assert_int_equal(loss_of(&r, "unread"), 3);
	assert_non_null(strstr(source_damage_at(r.source, 0), "line 1: "));
	assert_non_null(strstr(source_damage_at(r.source, 1), "line 4: "));
	assert_non_null(strstr(source_damage_at(r.source, 2), "line 5: "));
	assert_non_null(strstr(source_damage_at(r.source, 3), "line 7: "));
	assert_null(source_damage_at(r.source, 4));
	done(&r);
}

#define AT(cpu, ts) "  bash-7     [" cpu "] d..1.   " ts ": mm_vmscan_kswapd_sleep: nid=0\n"

static void time_that_goes_back_is_told_once(void **state)
{
	struct reading r;

	/* Another CPU's clock is a little behind: lines 1 and 2. One CPU's cannot be: line 4. */
	read_text(&r, AT("000", "100.000500") AT("001", "100.000400") AT("000", "100.000600")
			      AT("000", "100.000550") AT("001", "100.000700"));
	assert_int_equal(r.nr, 5);
	assert_int_equal(loss_of(&r, "disorder"), 1);
	assert_string_equal(source_damage_at(r.source, 0), "line 4: time goes back, 1 time in all");
	assert_null(source_damage_at(r.source, 1));
	done(&r);
	/* Two recordings one behind the other, on different CPUs. */
	read_text(&r, AT("000", "100.000000") AT("001", "50.000000") AT("000", "50.000001"));
	assert_int_equal(loss_of(&r, "disorder"), 1);
	done(&r);
	read_text(&r, AT("000", "100.000500") AT("001", "100.000400") AT("000", "100.000500"));
	assert_int_equal(loss_of(&r, "disorder"), 0);
	assert_null(source_damage_at(r.source, 0));
	done(&r);
}

static void the_span_is_of_counted_events_too(void **state)
{
	uint64_t first = 0, last = 0;
	struct source *source;
	struct rl_msg msg;
	struct event ev;
	const char text[] = "  a-1  [000] d..1.  7.000001: mm_page_free: pfn=1 order=0\n" AT(
		"000", "8.000000") "  a-1  [000] d..1.  9.500000: no_such_event: x=1\n";

	write_input(text, strlen(text));
	assert_int_equal(source_open(path, &source, &msg), 0);
	source_want(source, VOCAB_mm_page_free, SOURCE_COUNT);
	assert_int_equal(source_next(source, &ev, &msg), 1);
	assert_int_equal(source_next(source, &ev, &msg), 0);
	assert_true(source_span(source, &first, &last));
	assert_int_equal(first, 7000001000);
	assert_int_equal(last, 9500000000);
	source_close(source);
}

static void a_stamp_behind_a_syslog_prefix_is_the_time(void **state)
{
	struct reading r;

	read_text(&r, "Nov 30 12:00:01 host kernel: [  155.123640] Out of memory: Killed process "
		      "811 (tool), UID 0, total-vm:4096kB, anon-rss:2048kB, file-rss:4kB, "
		      "shmem-rss:0kB\n");
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.ev[0].id, VOCAB_log_oom_kill);
	assert_int_equal(r.ev[0].ts, 155123640000);
	assert_int_equal(value_of(&r, 0, log_oom_kill_pid), 811);
	done(&r);
}

static void losses_stand_before_the_event_of_their_cpu(void **state)
{
	struct reading r;

	read_text(&r, "# tracer: nop\n"
		      "# entries-in-buffer/entries-written: 1000/5000   #P:8\n"
		      "CPU:1 [LOST 10 EVENTS]\n"
		      "CPU:2 [LOST EVENTS]\n"
		      "  a-1 [000] .... 1.000000: mm_vmscan_kswapd_sleep: nid=0\n"
		      "  a-1 [001] .... 2.000000: mm_vmscan_kswapd_sleep: nid=0\n"
		      "  a-1 [002] .... 3.000000: mm_vmscan_kswapd_sleep: nid=0\n"
		      "CPU:1 [5 EVENTS DROPPED]\n"
		      "  a-1 [001] .... 4.000000: mm_vmscan_kswapd_sleep: nid=0\n");
	assert_int_equal(r.nr, 4);
	assert_int_equal(r.ev[0].lost, 0);
	assert_int_equal(r.ev[1].lost, 10);
	assert_int_equal(r.ev[2].lost, -1);
	assert_int_equal(r.ev[3].lost, 5);
	assert_int_equal(loss_of(&r, "overrun"), 4000);
	assert_int_equal(loss_of(&r, "missed"), -1);
	assert_int_equal(loss_of(&r, "dropped"), 5);
	done(&r);
}

static void kernel_logs_are_events(void **state)
{
	struct reading r;

	read_text(
		&r,
		"[ 1234.567890] kworker/u8:2: page allocation failure: order:4, "
		"mode:0x40cc0(GFP_KERNEL|__GFP_COMP), nodemask=(null)\n"
		"Jan  1 00:00:00 host kernel: [ 5.000000] swapper/0: page allocation failure. "
		"order:1, mode:0x20\n"
		"[ 6.000000] dd: page allocation stalls for 10456ms, order:0, "
		"mode:0x14200ca(GFP_HIGHUSER_MOVABLE), nodemask=(null)\n"
		"[ 7.000000] my task invoked oom-killer: gfp_mask=0x6200ca(GFP_HIGHUSER_MOVABLE), "
		"order=0, oom_score_adj=-17\n"
		"[ 8.000000] Out of memory: Killed process 123 (Web Content) total-vm:100kB, "
		"anon-rss:90kB, file-rss:80kB, shmem-rss:0kB, UID:0 pgtables:60kB "
		"oom_score_adj:0\n");
	assert_int_equal(r.nr, 5);
	assert_int_equal(r.ev[0].ts, 1234567890000);
	assert_string_equal(r.text[0], "kworker/u8:2");
	assert_int_equal(value_of(&r, 0, log_alloc_failure_order), 4);
	assert_int_equal(value_of(&r, 1, log_alloc_failure_order), 1);
	assert_int_equal(value_of(&r, 2, log_alloc_stall_stalled), 10456);
	assert_string_equal(r.text[3], "my task");
	assert_int_equal(value_of(&r, 3, log_oom_invoked_oom_score_adj), -17);
	assert_int_equal(value_of(&r, 4, log_oom_kill_pid), 123);
	assert_int_equal(value_of(&r, 4, log_oom_kill_anon_rss), 90);
	assert_string_equal(source_info(r.source)->form_name, "kernel log");
	done(&r);
}

static void systrace_pages_hold_a_trace(void **state)
{
	struct reading r;

	read_text(&r, "<!DOCTYPE html>\n<html>\n<script>var x = 1;\nfunction f() { return x; }\n"
		      "</script>\n<script class=\"trace-data\" type=\"application/text\">\n"
		      "# tracer: nop\n"
		      "  RenderThread-5123  ( 5000) [003] ...1  900.000001: "
		      "mm_vmscan_direct_reclaim_end: nr_reclaimed=1\\n\\\n"
		      "</script>\n<p>text</p>\n</html>\n");
	assert_int_equal(r.nr, 1);
	assert_int_equal(value_of(&r, 0, mm_vmscan_direct_reclaim_end_nr_reclaimed), 1);
	assert_int_equal(loss_of(&r, "unparsed"), 0);
	done(&r);
}

static void unwanted_events_are_counted(void **state)
{
	struct source_count count;
	struct source *source;
	struct rl_msg msg;
	struct event ev;

	write_input(HEAD "mm_page_free: pfn=1 order=0\n" HEAD "mm_page_free: pfn=1 order=9\n" HEAD
			 "mm_vmscan_kswapd_sleep: nid=0\n" HEAD "some_event: a=1\n",
		    4 * strlen(HEAD) + 28 + 28 + 30 + 16);
	assert_int_equal(source_open(path, &source, &msg), 0);
	source_want_from(source, VOCAB_mm_page_free, mm_page_free_order, 5);
	source_want(source, VOCAB_mm_vmscan_kswapd_sleep, SOURCE_COUNT);
	assert_int_equal(source_next(source, &ev, &msg), 1);
	assert_int_equal(ev.value[mm_page_free_order], 9);
	assert_int_equal(source_next(source, &ev, &msg), 0);
	assert_true(source_count_at(source, 0, &count));
	assert_int_equal(count.records, 2);
	assert_true(source_count_at(source, 1, &count));
	assert_int_equal(count.records, 1);
	assert_string_equal(count.name, "mm_vmscan_kswapd_sleep");
	assert_true(source_count_at(source, 2, &count));
	assert_int_equal(count.id, VOCAB_UNKNOWN);
	assert_false(source_count_at(source, 3, &count));
	source_close(source);
}

/* A line of 300 KiB, and a file whose lines fall on every place of the reader's buffer. */
static void long_lines_and_large_files(void **state)
{
	const size_t big = 300 << 10, lines = 20000;
	char *text = malloc(big + lines * 160), *at = text;
	struct source *source;
	struct rl_msg msg;
	struct event ev;
	uint64_t sum = 0, n = 0;

	memset(at, 'x', big);
	at += big;
	*at++ = '\n';
	for (size_t i = 0; i < lines; i++)
		at += sprintf(at,
			      "  task %zu-%zu [000] .... %zu.000001: mm_vmscan_direct_reclaim_end: "
			      "nr_reclaimed=%zu\n",
			      i % 977, i + 1, i, i);
	write_input(text, (size_t)(at - text));
	free(text);
	assert_int_equal(source_open(path, &source, &msg), 0);
	while (source_next(source, &ev, &msg) > 0) {
		assert_int_equal(ev.value[mm_vmscan_direct_reclaim_end_nr_reclaimed], n);
		assert_int_equal(ev.where, n + 2);
		assert_memory_equal(ev.comm.text, "task ", 5);
		sum += (uint64_t)ev.pid;
		n++;
	}
	assert_int_equal(n, lines);
	assert_int_equal(sum, lines * (lines + 1) / 2);
	assert_non_null(strstr(source_damage_at(source, 0), "line 1: "));
	source_close(source);
}

static int refused(const char *text, struct rl_msg *msg)
{
	struct source *source;
	int ret;

	write_input(text, strlen(text));
	ret = source_open(path, &source, msg);
	if (!ret)
		source_close(source);
	return ret;
}

static void what_is_no_trace_is_refused_in_one_line(void **state)
{
	struct rl_msg msg;

	assert_int_equal(refused("first line\n\nsecond line\nthird line\nfourth line\n", &msg),
			 -EINVAL);
	assert_non_null(strstr(msg.text, "line 1 'first line'"));
	assert_non_null(strstr(msg.text, "line 4 'third line'"));
	assert_null(strstr(msg.text, "fourth"));
	assert_non_null(strstr(msg.text, "perf script"));
	assert_int_equal(refused("PERFILE2xxxxxxxxxxxx", &msg), -ENOTSUP);
	assert_non_null(strstr(msg.text, "perf script -i "));
	assert_int_equal(refused("capturing trace... done\nTRACE:\n\x78\x9c\x01\x02\x03\x04", &msg),
			 -ENOTSUP);
	assert_non_null(strstr(msg.text, "without -z"));
	assert_int_equal(refused("Linux 5.10.0 (host) \t01/02/23 \t_x86_64_\t(8 CPU)\n\n"
				 "00:00:01  pgpgin/s\n",
				 &msg),
			 -ENOTSUP);
	assert_non_null(strstr(msg.text, "sar"));
	assert_int_equal(refused("COMM           PID    NODE ZONE         ORDER MODE\n", &msg),
			 -ENOTSUP);
	assert_non_null(strstr(msg.text, "compactsnoop"));
}

static void a_trace_without_events_is_one(void **state)
{
	struct reading r;

	read_text(&r, "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n#\n"
		      "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		      "#              | |         |   |||||     |         |\n");
	assert_int_equal(r.nr, 0);
	assert_string_equal(source_info(r.source)->form_name, "ftrace text");
	assert_int_equal(loss_of(&r, "unparsed"), 0);
	done(&r);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_the_grammar_s_examples),
		cmocka_unit_test(integer_stamps_have_no_unit),
		cmocka_unit_test(texts_that_are_no_list_of_keys),
		cmocka_unit_test(both_spellings_and_raw_output),
		cmocka_unit_test(bare_gfp_numbers_are_read_where_the_kernel_is_proved),
		cmocka_unit_test(names_cut_by_the_latency_format_are_whole),
		cmocka_unit_test(wrapped_lines_are_joined),
		cmocka_unit_test(lines_that_cannot_be_read_are_counted_with_their_numbers),
		cmocka_unit_test(time_that_goes_back_is_told_once),
		cmocka_unit_test(the_span_is_of_counted_events_too),
		cmocka_unit_test(a_stamp_behind_a_syslog_prefix_is_the_time),
		cmocka_unit_test(losses_stand_before_the_event_of_their_cpu),
		cmocka_unit_test(kernel_logs_are_events),
		cmocka_unit_test(systrace_pages_hold_a_trace),
		cmocka_unit_test(unwanted_events_are_counted),
		cmocka_unit_test(long_lines_and_large_files),
		cmocka_unit_test(what_is_no_trace_is_refused_in_one_line),
		cmocka_unit_test(a_trace_without_events_is_one),
	};

	return cmocka_run_group_tests_name("text_source", tests, setup, teardown);
}
