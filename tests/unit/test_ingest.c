/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "sql/ingest.h"

struct bench {
	char path[512];
	struct store *store;
	struct ingest *ingest;
	uint64_t now; /* ns; every event is 100 ns behind the one before */
	struct rl_msg msg;
};

static void must(struct bench *b, int ret)
{
	if (ret)
		fail_msg("%s", b->msg.text);
}

static void begin(struct bench *b, const char *name)
{
	struct store_run run = { .kind = "recorded",
				 .source = "test",
				 .form = "test",
				 .time_known = true,
				 .parent = STORE_NULL,
				 .seed = STORE_NULL };
	int64_t number;

	memset(b, 0, sizeof(*b));
	snprintf(b->path, sizeof(b->path), "%s/ingest_%s.db", RL_BUILD_DIR, name);
	must(b, store_open(b->path, STORE_CREATE, &b->store, &b->msg));
	must(b, store_run_begin(b->store, &run, &number, &b->msg));
	must(b, ingest_open(b->store, number, &b->ingest, &b->msg));
	b->now = 900;
}

/* One event of @pid on CPU 0, pairs of slot and value, ended by -1. */
static void emit(struct bench *b, int32_t pid, enum vocab_id id, ...)
{
	struct event ev = { .id = id, .pid = pid, .cpu = 0 };
	va_list ap;
	int slot;

	b->now += 100;
	ev.ts = b->now;
	va_start(ap, id);
	while ((slot = va_arg(ap, int)) >= 0) {
		ev.value[slot] = va_arg(ap, int);
		ev.have |= 1u << slot;
	}
	va_end(ap);
	must(b, ingest_event(b->ingest, &ev, &b->msg));
}

static void emit_text(struct bench *b, int32_t pid, enum vocab_id id, unsigned int slot,
		      const char *text, int slot2, int value2)
{
	struct event ev = { .id = id, .pid = pid, .cpu = 0 };

	b->now += 100;
	ev.ts = b->now;
	ev.have = 1u << slot;
	ev.string[slot] = (struct event_string){ text, (uint32_t)strlen(text) };
	if (slot2 >= 0) {
		ev.have |= 1u << slot2;
		ev.value[slot2] = value2;
	}
	must(b, ingest_event(b->ingest, &ev, &b->msg));
}

static void finish(struct bench *b)
{
	uint64_t start, end;

	must(b, ingest_finish(b->ingest, &start, &end, &b->msg));
	must(b, store_run_end(b->store, start, end, &b->msg));
	ingest_close(b->ingest);
}

/* The rows of @sql, columns separated by blanks and rows by "; ". */
static void expect(struct bench *b, const char *sql, const char *expected)
{
	char got[1024] = "";
	sqlite3_stmt *stmt;
	size_t len = 0;

	if (sqlite3_prepare_v2(store_db(b->store), sql, -1, &stmt, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(store_db(b->store)));
	while (sqlite3_step(stmt) == SQLITE_ROW && len < sizeof(got)) {
		for (int i = 0; i < sqlite3_column_count(stmt) && len < sizeof(got); i++) {
			const unsigned char *text = sqlite3_column_text(stmt, i);

			len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%s",
						i ? " " : (len ? "; " : ""),
						text ? (const char *)text : "-");
		}
	}
	sqlite3_finalize(stmt);
	assert_string_equal(got, expected);
}

static void end(struct bench *b)
{
	store_close(b->store);
	unlink(b->path);
}

#define DIRECT_BEGIN(b, pid, order)                                                                \
	emit(b, pid, VOCAB_mm_vmscan_direct_reclaim_begin, mm_vmscan_direct_reclaim_begin_order,   \
	     order, -1)
#define DIRECT_END(b, pid, nr)                                                                     \
	emit(b, pid, VOCAB_mm_vmscan_direct_reclaim_end,                                           \
	     mm_vmscan_direct_reclaim_end_nr_reclaimed, nr, -1)
#define ISOLATE(b, pid, lru, scanned, taken)                                                       \
	emit(b, pid, VOCAB_mm_vmscan_lru_isolate, mm_vmscan_lru_isolate_lru, lru,                  \
	     mm_vmscan_lru_isolate_nr_scanned, scanned, mm_vmscan_lru_isolate_nr_taken, taken, -1)
#define INACTIVE(b, pid, scanned, reclaimed)                                                       \
	emit(b, pid, VOCAB_mm_vmscan_lru_shrink_inactive, mm_vmscan_lru_shrink_inactive_nid, 0,    \
	     mm_vmscan_lru_shrink_inactive_nr_scanned, scanned,                                    \
	     mm_vmscan_lru_shrink_inactive_nr_reclaimed, reclaimed,                                \
	     mm_vmscan_lru_shrink_inactive_priority, 10, mm_vmscan_lru_shrink_inactive_flags, 2,   \
	     -1)
#define WAKE(b, pid, order)                                                                        \
	emit(b, pid, VOCAB_mm_vmscan_kswapd_wake, mm_vmscan_kswapd_wake_nid, 0,                    \
	     mm_vmscan_kswapd_wake_order, order, -1)
#define SLEEP(b, pid) emit(b, pid, VOCAB_mm_vmscan_kswapd_sleep, mm_vmscan_kswapd_sleep_nid, 0, -1)
#define WAKEUP(b, pid)                                                                             \
	emit(b, pid, VOCAB_mm_vmscan_wakeup_kswapd, mm_vmscan_wakeup_kswapd_nid, 0, -1)

/* Two tasks reclaim on one CPU at once: each end belongs to the begin of its own task. */
static void pairs_are_by_task(void **state)
{
	struct bench b;

	begin(&b, "pairs");
	DIRECT_BEGIN(&b, 10, 0); /* 1000 */
	DIRECT_BEGIN(&b, 20, 3); /* 1100 */
	DIRECT_END(&b, 10, 32);	 /* 1200 */
	DIRECT_END(&b, 20, 64);	 /* 1300 */
	finish(&b);
	expect(&b, "SELECT ts, dur, \"order\", reclaimed, paired, depth FROM reclaim ORDER BY ts",
	       "1000 200 0 32 3 0; 1100 200 3 64 3 0");
	end(&b);
}

static void what_has_no_partner_is_kept(void **state)
{
	struct bench b;

	begin(&b, "partner");
	DIRECT_END(&b, 10, 5);	 /* 1000: began before the recording */
	DIRECT_BEGIN(&b, 10, 1); /* 1100: its end is lost */
	DIRECT_BEGIN(&b, 10, 2); /* 1200 */
	DIRECT_END(&b, 10, 7);	 /* 1300 */
	DIRECT_BEGIN(&b, 10, 4); /* 1400: ends after the recording */
	finish(&b);
	expect(&b, "SELECT ts, dur, \"order\", reclaimed, paired FROM reclaim ORDER BY ts",
	       "1000 - - 5 2; 1100 - 1 - 1; 1200 100 2 7 3; 1400 - 4 - 1");
	end(&b);
}

/* Text may be out of the order of time: what ends before it began is two halves. */
static void an_end_before_its_begin_does_not_pair(void **state)
{
	struct bench b;

	begin(&b, "before");
	b.now = 4900;
	DIRECT_BEGIN(&b, 10, 1);						   /* 5000 */
	emit(&b, 10, VOCAB_mm_compaction_begin, mm_compaction_begin_sync, 1, -1);  /* 5100 */
	emit(&b, 11, VOCAB_mm_shrink_slab_start, mm_shrink_slab_start_nid, 0, -1); /* 5200 */
	b.now = 900;
	emit(&b, 10, VOCAB_mm_compaction_end, mm_compaction_end_status, 0, -1);	  /* 1000 */
	DIRECT_END(&b, 10, 32);							  /* 1100 */
	emit(&b, 11, VOCAB_mm_shrink_slab_end, mm_shrink_slab_end_retval, 3, -1); /* 1200 */
	finish(&b);
	expect(&b, "SELECT ts, dur, reclaimed, paired, compact_dur FROM reclaim ORDER BY ts",
	       "1100 - 32 2 -; 5000 - - 1 0");
	expect(&b, "SELECT ts, dur, paired FROM compaction ORDER BY ts", "1000 - 2; 5100 - 1");
	expect(&b, "SELECT ts, dur, freed, paired FROM slab ORDER BY ts", "1200 - 3 2; 5200 - - 1");
	end(&b);
}

/* Memory cgroup reclaim inside direct reclaim: its scans are memcg's, and inside both episodes. */
static void episodes_nest(void **state)
{
	struct bench b;

	begin(&b, "nest");
	DIRECT_BEGIN(&b, 10, 0); /* 1000 */
	emit(&b, 10, VOCAB_mm_vmscan_memcg_reclaim_begin, mm_vmscan_memcg_reclaim_begin_order, 0,
	     -1);
	ISOLATE(&b, 10, 2, 32, 30);
	INACTIVE(&b, 10, 32, 20);
	emit(&b, 10, VOCAB_mm_vmscan_memcg_reclaim_end, mm_vmscan_memcg_reclaim_end_nr_reclaimed,
	     20, -1); /* 1400 */
	ISOLATE(&b, 10, 2, 8, 0);
	DIRECT_END(&b, 10, 20); /* 1600 */
	finish(&b);
	expect(&b,
	       "SELECT a.name, depth, scanned, stolen, batches, dur FROM reclaim JOIN enum_name AS "
	       "a ON domain = 'actor' AND value = actor ORDER BY depth",
	       "direct 0 40 20 2 600; memcg 1 32 20 1 300");
	expect(&b,
	       "SELECT a.name, scanned, reclaimed, parts FROM scan JOIN enum_name AS a ON domain = "
	       "'actor' AND value = actor ORDER BY ts",
	       "memcg 32 20 3; direct 8 - 1");
	end(&b);
}

static void a_batch_is_one_row(void **state)
{
	struct bench b;

	begin(&b, "batch");
	ISOLATE(&b, 10, 2, 32, 32);
	ISOLATE(&b, 20, 0, 7, 0); /* another task, nothing taken */
	INACTIVE(&b, 10, 32, 30);
	ISOLATE(&b, 10, 3, 16, 16);
	emit(&b, 10, VOCAB_mm_vmscan_lru_shrink_active, mm_vmscan_lru_shrink_active_nid, 0,
	     mm_vmscan_lru_shrink_active_nr_taken, 16, mm_vmscan_lru_shrink_active_nr_active, 2,
	     mm_vmscan_lru_shrink_active_nr_deactivated, 14, -1);
	INACTIVE(&b, 20, 9, 4); /* its isolate is lost: what was scanned is not known */
	finish(&b);
	expect(&b,
	       "SELECT lru, scanned, taken, reclaimed, active, deactivated, parts, priority FROM "
	       "scan ORDER BY ts",
	       "2 32 32 30 - - 3 10; 0 7 0 - - - 1 -; 3 16 16 - 2 14 5 -; 2 - - 4 - - 2 10");
	end(&b);
}

static void without_isolate_the_shrink_event_tells_what_was_scanned(void **state)
{
	struct bench b;

	begin(&b, "shrink");
	INACTIVE(&b, 10, 32, 30);
	finish(&b);
	expect(&b, "SELECT scanned, reclaimed, lru, parts FROM scan", "32 30 2 2");
	end(&b);
}

/* 3.4 to 4.10 say whether a list holds files; what no inactive event follows was an active list. */
static void old_isolate_events_find_their_list(void **state)
{
	struct bench b;

	begin(&b, "old");
	emit(&b, 10, VOCAB_mm_vmscan_lru_isolate, mm_vmscan_lru_isolate_file, 1,
	     mm_vmscan_lru_isolate_nr_scanned, 32, mm_vmscan_lru_isolate_nr_taken, 32, -1);
	INACTIVE(&b, 10, 32, 30);
	emit(&b, 10, VOCAB_mm_vmscan_lru_isolate, mm_vmscan_lru_isolate_file, 1,
	     mm_vmscan_lru_isolate_nr_scanned, 16, mm_vmscan_lru_isolate_nr_taken, 16, -1);
	emit(&b, 10, VOCAB_mm_vmscan_lru_isolate, mm_vmscan_lru_isolate_file, 0,
	     mm_vmscan_lru_isolate_nr_scanned, 5, mm_vmscan_lru_isolate_nr_taken, 0, -1);
	finish(&b);
	expect(&b, "SELECT lru, scanned, parts FROM scan ORDER BY ts", "2 32 3; 3 16 1; - 5 1");
	end(&b);
}

static void lumpy_kernels_count_their_modes(void **state)
{
	static const int modes[2][3] = { { 0, 1, 2 }, { 1, 2, 3 } };
	struct bench b;

	for (int k = 0; k < 2; k++) {
		begin(&b, "lumpy");
		for (int i = 0; i < 3; i++)
			emit(&b, 10, VOCAB_mm_vmscan_lru_isolate, mm_vmscan_lru_isolate_file, 1,
			     mm_vmscan_lru_isolate_nr_scanned, 32 + i,
			     mm_vmscan_lru_isolate_nr_taken, 0,
			     mm_vmscan_lru_isolate_nr_lumpy_taken, 0,
			     mm_vmscan_lru_isolate_isolate_mode, modes[k][i], -1);
		finish(&b);
		expect(&b, "SELECT scanned, lru FROM scan ORDER BY ts", "32 2; 33 3; 34 2");
		end(&b);
	}
}

static void kswapd_cycles_have_a_waker(void **state)
{
	struct bench b;

	begin(&b, "cycle");
	WAKEUP(&b, 10);		    /* 1000 */
	WAKE(&b, 42, 0);	    /* 1100 */
	ISOLATE(&b, 42, 2, 32, 32); /* 1200 */
	INACTIVE(&b, 42, 32, 30);   /* 1300 */
	WAKEUP(&b, 11);		    /* 1400: it is awake */
	WAKEUP(&b, 11);		    /* 1500: it dozes */
	WAKE(&b, 42, 3);	    /* 1600 */
	SLEEP(&b, 42);		    /* 1700 */
	WAKE(&b, 42, 0);	    /* 1800 */
	ISOLATE(&b, 42, 2, 8, 0);   /* 1900 */
	finish(&b);
	expect(&b,
	       "SELECT k.ts, awake, scanned, reclaimed, rewakes, end_kind, w.tid, wake_delay,"
	       " min_priority FROM kswapd_cycle AS k LEFT JOIN task AS w ON w.task = k.waker"
	       " ORDER BY k.ts",
	       "1100 200 32 30 1 1 10 100 10; 1600 0 0 0 0 0 11 100 -; 1800 100 8 0 0 2 - - -");
	expect(&b, "SELECT DISTINCT actor FROM scan", "0");
	expect(&b, "SELECT tid, kind FROM task WHERE kind = 'kswapd'", "42 kswapd");
	end(&b);
}

static const char *one_name(void *ctx, int32_t pid)
{
	return pid == 42 ? "kswapd0" : NULL;
}

static void a_cycle_that_began_before_is_marked(void **state)
{
	struct bench b;

	begin(&b, "before");
	ingest_names(b.ingest, one_name, NULL);
	ISOLATE(&b, 42, 2, 32, 32); /* 1000 */
	INACTIVE(&b, 42, 32, 30);   /* 1100 */
	SLEEP(&b, 42);
	finish(&b);
	expect(&b, "SELECT ts, awake, scanned, end_kind FROM kswapd_cycle", "1000 100 32 3");
	expect(&b, "SELECT actor FROM scan", "0");
	end(&b);
}

static void throttles_keep_what_the_kernel_measured(void **state)
{
	struct bench b;

	begin(&b, "throttle");
	DIRECT_BEGIN(&b, 10, 0);
	emit(&b, 10, VOCAB_mm_vmscan_throttled, mm_vmscan_throttled_nid, 0,
	     mm_vmscan_throttled_usec_timeout, 20000, mm_vmscan_throttled_usec_delayed, 4000,
	     mm_vmscan_throttled_reason, 4, -1);
	emit(&b, 10, VOCAB_writeback_congestion_wait, writeback_congestion_wait_usec_timeout,
	     100000, writeback_congestion_wait_usec_delayed, 3000, -1);
	emit(&b, 10, VOCAB_writeback_wait_iff_congested, writeback_wait_iff_congested_usec_timeout,
	     100000, writeback_wait_iff_congested_usec_delayed, 0, -1);
	DIRECT_END(&b, 10, 0);
	finish(&b);
	expect(&b, "SELECT kind, reason, timeout, delayed, actor FROM throttle ORDER BY ts",
	       "0 4 20000 4000 1; 1 - 100000 3000 1; 2 - 100000 0 1");
	expect(&b, "SELECT throttle_dur FROM reclaim", "7000000");
	end(&b);
}

static void compaction_sums_what_is_inside(void **state)
{
	struct bench b;

	begin(&b, "compact");
	emit(&b, 10, VOCAB_mm_compaction_isolate_migratepages,
	     mm_compaction_isolate_migratepages_nr_scanned, 99, -1); /* outside: not ours */
	emit(&b, 10, VOCAB_mm_compaction_begin, mm_compaction_begin_sync, 1, -1); /* 1100 */
	emit(&b, 10, VOCAB_mm_compaction_isolate_migratepages,
	     mm_compaction_isolate_migratepages_nr_scanned, 512,
	     mm_compaction_isolate_migratepages_nr_taken, 32, -1);
	emit(&b, 20, VOCAB_mm_compaction_isolate_freepages,
	     mm_compaction_isolate_freepages_nr_scanned, 7, -1); /* another task */
	emit(&b, 10, VOCAB_mm_compaction_isolate_freepages,
	     mm_compaction_isolate_freepages_nr_scanned, 1024,
	     mm_compaction_isolate_freepages_nr_taken, 40, -1);
	emit(&b, 10, VOCAB_mm_compaction_migratepages, mm_compaction_migratepages_nr_migrated, 30,
	     mm_compaction_migratepages_nr_failed, 2, -1);
	emit(&b, 10, VOCAB_mm_compaction_end, mm_compaction_end_status, 8, -1); /* 1600 */
	finish(&b);
	expect(&b,
	       "SELECT migrate_scanned, free_scanned, isolated, migrated, failed, dur, paired,"
	       " status, sync FROM compaction",
	       "512 1024 72 30 2 500 3 8 1");
	end(&b);
}

static void slab_calls_pair_by_shrinker(void **state)
{
	struct bench b;

	begin(&b, "slab");
	emit_text(&b, 10, VOCAB_mm_shrink_slab_start, mm_shrink_slab_start_shrinker, "one",
		  mm_shrink_slab_start_total_scan, 100);
	emit_text(&b, 10, VOCAB_mm_shrink_slab_end, mm_shrink_slab_end_shrinker, "one",
		  mm_shrink_slab_end_retval, 60);
	emit_text(&b, 10, VOCAB_mm_shrink_slab_start, mm_shrink_slab_start_shrinker, "one",
		  mm_shrink_slab_start_total_scan, 7);
	emit_text(&b, 10, VOCAB_mm_shrink_slab_end, mm_shrink_slab_end_shrinker, "two",
		  mm_shrink_slab_end_retval, 8);
	finish(&b);
	expect(&b,
	       "SELECT text, total_scan, freed, dur, paired FROM slab JOIN symbol ON symbol ="
	       " shrinker ORDER BY ts",
	       "one 100 60 100 3; one 7 - - 1; two - 8 - 2");
	end(&b);
}

/* A thread id that is used again is another task; a new name alone is not. */
static void lives_are_rows(void **state)
{
	struct bench b;

	begin(&b, "lives");
	emit_text(&b, 1, VOCAB_sched_process_fork, sched_process_fork_child_comm, "sh",
		  sched_process_fork_child_pid, 10);
	DIRECT_BEGIN(&b, 10, 0);
	DIRECT_END(&b, 10, 1);
	emit_text(&b, 0, VOCAB_sched_switch, sched_switch_next_comm, "dd", sched_switch_next_pid,
		  10); /* exec */
	emit_text(&b, 10, VOCAB_sched_process_exit, sched_process_exit_comm, "dd", -1, 0);
	DIRECT_BEGIN(&b, 10, 1); /* an exiting task still frees and allocates */
	DIRECT_END(&b, 10, 1);
	emit_text(&b, 1, VOCAB_sched_process_fork, sched_process_fork_child_comm, "make",
		  sched_process_fork_child_pid, 10);
	DIRECT_BEGIN(&b, 10, 2);
	DIRECT_END(&b, 10, 1);
	finish(&b);
	expect(&b,
	       "SELECT comm, count(*) FROM reclaim JOIN task USING (task) GROUP BY task ORDER BY"
	       " task",
	       "dd 2; make 1");
	end(&b);
}

/* Pages that were taken have a fate; where no event tells it, the events are not recorded. */
static void shrinks_that_are_not_recorded_are_noticed(void **state)
{
	struct bench b;

	begin(&b, "lacks");
	ISOLATE(&b, 10, 2, 32, 0);
	ISOLATE(&b, 10, 1, 32, 32);
	ISOLATE(&b, 10, 2, 32, 32); /* its event may come yet */
	assert_false(ingest_lacks_shrinks(b.ingest));
	ISOLATE(&b, 10, 2, 32, 0);
	assert_true(ingest_lacks_shrinks(b.ingest));
	ISOLATE(&b, 11, 2, 32, 32);
	INACTIVE(&b, 11, 32, 8);
	assert_false(ingest_lacks_shrinks(b.ingest));
	finish(&b);
	end(&b);
}

static void markers_lose_their_newline(void **state)
{
	struct bench b;

	begin(&b, "marker");
	emit_text(&b, 10, VOCAB_print, print_buf, "SNAP before\n", -1, 0);
	finish(&b);
	expect(&b, "SELECT ts, text FROM marker", "1000 SNAP before");
	end(&b);
}

/* One absurd number is damage that the run names; the other values of its event stay. */
static void absurd_counts_are_damage(void **state)
{
	struct event ev = { .id = VOCAB_mm_vmscan_lru_isolate, .pid = 10, .cpu = 1, .ts = 2000000 };
	struct bench b;

	begin(&b, "absurd");
	ev.have = 1u << mm_vmscan_lru_isolate_lru | 1u << mm_vmscan_lru_isolate_nr_scanned |
		  1u << mm_vmscan_lru_isolate_nr_taken;
	ev.value[mm_vmscan_lru_isolate_lru] = 2;
	ev.value[mm_vmscan_lru_isolate_nr_scanned] = INT64_MAX;
	ev.value[mm_vmscan_lru_isolate_nr_taken] = 7;
	must(&b, ingest_event(b.ingest, &ev, &b.msg));
	ev.value[mm_vmscan_lru_isolate_nr_scanned] = (INT64_C(1) << 40) - 1;
	must(&b, ingest_event(b.ingest, &ev, &b.msg));
	ISOLATE(&b, 11, 2, 32, -1);
	finish(&b);
	expect(&b, "SELECT scanned, taken FROM scan ORDER BY scanned",
	       "- 7; 32 -; 1099511627775 7");
	expect(&b, "SELECT ts, cpu, kind, what FROM loss ORDER BY ts",
	       "1000 0 damaged 0.000001: mm_vmscan_lru_isolate: nr_taken is -1, which is no count "
	       "of pages; 2000000 1 damaged 0.002000: mm_vmscan_lru_isolate: nr_scanned is "
	       "9223372036854775807, which is no count of pages");
	end(&b);
}

static void emit_wide(struct bench *b, enum vocab_id id, unsigned int slot, int64_t value)
{
	struct event ev = { .id = id, .pid = 10, .have = 1u << slot };

	b->now += 1000;
	ev.ts = b->now;
	ev.value[slot] = value;
	must(b, ingest_event(b->ingest, &ev, &b->msg));
}

/* As are numbers of objects, waits and orders beyond what a machine can have. */
static void absurd_numbers_are_damage(void **state)
{
	const int64_t limit = INT64_C(1) << 40;
	struct bench b;

	begin(&b, "absurd-numbers");
	emit_wide(&b, VOCAB_mm_vmscan_throttled, mm_vmscan_throttled_usec_delayed, limit);
	emit_wide(&b, VOCAB_mm_vmscan_throttled, mm_vmscan_throttled_usec_delayed, limit - 1);
	emit_wide(&b, VOCAB_mm_shrink_slab_start, mm_shrink_slab_start_delta, -limit);
	emit_wide(&b, VOCAB_mm_shrink_slab_start, mm_shrink_slab_start_delta, 1 - limit);
	emit_wide(&b, VOCAB_mm_page_free, mm_page_free_order, 64);
	emit_wide(&b, VOCAB_mm_page_free, mm_page_free_order, 10);
	finish(&b);
	expect(&b, "SELECT delayed FROM throttle ORDER BY ts", "-; 1099511627775");
	expect(&b, "SELECT delta FROM slab ORDER BY ts", "-; -1099511627775");
	expect(&b, "SELECT \"order\" FROM page_free ORDER BY ts", "-; 10");
	expect(&b, "SELECT substr(what, instr(what, 'mm_')) FROM loss ORDER BY ts",
	       "mm_vmscan_throttled: usec_delayed is 1099511627776, which is no time that a task "
	       "waits; mm_shrink_slab_start: delta is -1099511627776, which is no count of "
	       "objects; mm_page_free: order is 64, which is no order");
	end(&b);
}

/* Years between a begin and an end are a damaged stamp: neither is the other's. */
static void far_ends_are_no_ends(void **state)
{
	struct bench b;

	begin(&b, "far");
	DIRECT_BEGIN(&b, 10, 0);
	b.now += UINT64_C(1) << 50;
	emit(&b, 10, VOCAB_mm_vmscan_direct_reclaim_end, mm_vmscan_direct_reclaim_end_nr_reclaimed,
	     3, -1);
	finish(&b);
	expect(&b, "SELECT dur, paired FROM reclaim ORDER BY ts", "- 1; - 2");
	end(&b);
}

/* A batch of kswapd that took nothing is on kswapd's node; that of another task may be on any. */
static void batches_of_kswapd_have_its_node(void **state)
{
	struct bench b;

	begin(&b, "node");
	emit(&b, 50, VOCAB_mm_vmscan_kswapd_wake, mm_vmscan_kswapd_wake_nid, 3, -1);
	ISOLATE(&b, 50, 2, 32, 0);
	DIRECT_BEGIN(&b, 10, 0);
	ISOLATE(&b, 10, 2, 16, 0);
	finish(&b);
	expect(&b, "SELECT node, scanned FROM scan ORDER BY ts", "3 32; - 16");
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_by_task),
		cmocka_unit_test(what_has_no_partner_is_kept),
		cmocka_unit_test(an_end_before_its_begin_does_not_pair),
		cmocka_unit_test(episodes_nest),
		cmocka_unit_test(a_batch_is_one_row),
		cmocka_unit_test(without_isolate_the_shrink_event_tells_what_was_scanned),
		cmocka_unit_test(old_isolate_events_find_their_list),
		cmocka_unit_test(lumpy_kernels_count_their_modes),
		cmocka_unit_test(absurd_counts_are_damage),
		cmocka_unit_test(absurd_numbers_are_damage),
		cmocka_unit_test(far_ends_are_no_ends),
		cmocka_unit_test(batches_of_kswapd_have_its_node),
		cmocka_unit_test(kswapd_cycles_have_a_waker),
		cmocka_unit_test(a_cycle_that_began_before_is_marked),
		cmocka_unit_test(throttles_keep_what_the_kernel_measured),
		cmocka_unit_test(compaction_sums_what_is_inside),
		cmocka_unit_test(slab_calls_pair_by_shrinker),
		cmocka_unit_test(lives_are_rows),
		cmocka_unit_test(shrinks_that_are_not_recorded_are_noticed),
		cmocka_unit_test(markers_lose_their_newline),
	};

	return cmocka_run_group_tests_name("ingest", tests, NULL, NULL);
}
