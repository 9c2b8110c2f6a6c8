/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Excerpts as people post them, one a family, damaged in its own way; figures counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "capture/read/dump.h"
#include "capture/read/source.h"

struct excerpt {
	const char *file;
	unsigned int events;
	int64_t unread;	   /* lines */
	int64_t lost;	   /* events, of gaps of known size */
	unsigned int gaps; /* of unknown size */
	int64_t back;	   /* how often time goes back */
	bool time_known;
	const char *form;
};

static const struct excerpt excerpts[] = {
	{ "ftrace-2.6.36-mail.txt", 5, 3, 0, 0, 0, true, "ftrace text" },
	{ "ftrace-tgid-crlf.txt", 4, 0, 50, 0, 0, true, "ftrace text" },
	{ "trace-pipe-lost.txt", 4, 1, 1234, 1, 1, true, "ftrace text" },
	{ "ftrace-integers.txt", 2, 0, 0, 0, 0, false, "ftrace text" },
	{ "trace-cmd-latency.txt", 3, 0, 17, 0, 0, true, "trace-cmd report" },
	{ "trace-cmd-raw.txt", 4, 0, 0, 0, 0, true, "trace-cmd report" },
	{ "perf-script-callchain.txt", 4, 0, 12, 0, 0, true, "perf script" },
	{ "systrace-page.html", 3, 0, 0, 0, 0, true, "systrace page" },
	{ "oom-report-wrapped.txt", 2, 0, 0, 0, 0, true, "kernel log" },
	{ "failure-journal.txt", 1, 0, 0, 0, 0, false, "kernel log" },
};

static struct source *open_excerpt(const char *file)
{
	struct source *source;
	struct rl_msg msg;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", RL_EXCERPTS_DIR, file);
	if (source_open(path, &source, &msg))
		fail_msg("%s", msg.text);
	return source;
}

static void check(const struct excerpt *e)
{
	struct source *source = open_excerpt(e->file);
	int64_t unread = 0, lost = 0, back = 0;
	unsigned int events = 0, gaps = 0;
	struct source_loss loss;
	struct rl_msg msg;
	struct event ev;

	print_message("%s\n", e->file);
	while (source_next(source, &ev, &msg) > 0)
		events++;
	for (unsigned int i = 0; source_loss_at(source, i, &loss); i++) {
		if (!strcmp(loss.kind, "unparsed") || !strcmp(loss.kind, "unread"))
			unread += loss.count;
		else if (!source_loss_is_gap(&loss))
			back += loss.count;
		else if (loss.count < 0)
			gaps++;
		else
			lost += loss.count;
	}
	assert_int_equal(events, e->events);
	assert_int_equal(unread, e->unread);
	assert_int_equal(lost, e->lost);
	assert_int_equal(gaps, e->gaps);
	assert_int_equal(back, e->back);
	assert_int_equal(source_info(source)->time_known, e->time_known);
	assert_string_equal(source_info(source)->form_name, e->form);
	source_close(source);
}

static void excerpts_give_what_was_counted(void **state)
{
	for (size_t i = 0; i < sizeof(excerpts) / sizeof(excerpts[0]); i++)
		check(&excerpts[i]);
}

static void next_of(struct source *source, enum vocab_id id, struct event *ev)
{
	struct rl_msg msg;

	do
		assert_int_equal(source_next(source, ev, &msg), 1);
	while (ev->id != id);
}

static void wrapped_values_are_whole(void **state)
{
	struct source *source = open_excerpt("ftrace-2.6.36-mail.txt");
	char buf[64];
	struct event ev;

	next_of(source, VOCAB_mm_vmscan_lru_isolate, &ev);
	assert_int_equal(ev.value[mm_vmscan_lru_isolate_nr_taken], 40);
	assert_int_equal(ev.value[mm_vmscan_lru_isolate_nr_lumpy_failed], 24);
	next_of(source, VOCAB_mm_vmscan_write_folio, &ev);
	assert_int_equal(ev.value[mm_vmscan_write_folio_pfn], 78187);
	assert_int_equal(ev.value[mm_vmscan_write_folio_flags], 9);
	next_of(source, VOCAB_mm_vmscan_direct_reclaim_begin, &ev);
	assert_string_equal(vocab_format(VOCAB_GFP, ev.value[mm_vmscan_direct_reclaim_begin_gfp],
					 buf, sizeof(buf)),
			    "GFP_KERNEL|__GFP_RETRY_MAYFAIL");
	source_close(source);
}

static int count_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	++*(unsigned int *)ctx;
	return 0;
}

static int pass_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	return 0;
}

static void logs_hold_states_of_memory(void **state)
{
	unsigned int snapshots = 0;
	struct counters_visitor visitor = { count_snapshot, pass_value, &snapshots };
	struct source *source = open_excerpt("failure-journal.txt");
	struct rl_msg msg;
	struct event ev;

	while (source_next(source, &ev, &msg) > 0)
		;
	assert_true(source_info(source)->has_reports);
	assert_int_equal(source_reports(source, &visitor, &msg), 1);
	assert_int_equal(snapshots, 1);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(excerpts_give_what_was_counted),
		cmocka_unit_test(wrapped_values_are_whole),
		cmocka_unit_test(logs_hold_states_of_memory),
	};

	return cmocka_run_group_tests_name("text_excerpts", tests, NULL, NULL);
}
