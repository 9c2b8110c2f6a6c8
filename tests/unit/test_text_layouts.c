/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a line of text is: layouts, hostile names, prefixes, and the two ways to read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/read/text_line.h"

static struct text_patterns *patterns;

struct expectation {
	const char *line;
	const char *comm;
	int32_t pid, cpu;
	uint64_t ts; /* ns, or a count */
	bool has_unit;
	const char *system, *event, *args;
};

static const struct expectation records[] = {
	/* ftrace of 2.6.32 to 3.2, without flags */
	{ "           foo-123   [001]  1234.567890: mm_vmscan_kswapd_sleep: nid=0", "foo", 123, 1,
	  1234567890000, true, "", "mm_vmscan_kswapd_sleep", "nid=0" },
	/* 4 and 5 flags, tgid, unknown tgid */
	{ "         bash-42      [003] d..1     7.000001: ev: a=1", "bash", 42, 3, 7000001000, true,
	  "", "ev", "a=1" },
	{ " Chrome_ChildIOT-2001  (  1999) [003] .N.2  900.000200: mm_vmscan_direct_reclaim_end: "
	  "nr_reclaimed=32",
	  "Chrome_ChildIOT", 2001, 3, 900000200000, true, "", "mm_vmscan_direct_reclaim_end",
	  "nr_reclaimed=32" },
	{ "          app-7     (-----) [000] ..... 1.5: ev: x", "app", 7, 0, 1500000000, true, "",
	  "ev", "x" },
	{ "kworker/u16:3-ext4-731     [006] d..2.   900.000300: ev: classzone=2",
	  "kworker/u16:3-ext4", 731, 6, 900000300000, true, "", "ev", "classzone=2" },
	/* names with brackets, dashes, colons, nothing */
	{ "         a-b [1] c-12      [000] ..... 1234567: mm_vmscan_kswapd_sleep: nid=1",
	  "a-b [1] c", 12, 0, 1234567, false, "", "mm_vmscan_kswapd_sleep", "nid=1" },
	{ "       x: y-9     [000] .... 1.000000: ev: ", "x: y", 9, 0, 1000000000, true, "", "ev",
	  "" },
	{ "          -1-5     [000] .... 1.000000: ev: b", "-1", 5, 0, 1000000000, true, "", "ev",
	  "b" },
	{ "-5972 [006] .... 1.000000: ev: b", "", 5972, 6, 1000000000, true, "", "ev", "b" },
	{ "  <...>-42    [000] ..... 4.993383: ev: b", "", 42, 0, 4993383000, true, "", "ev", "b" },
	{ "  <idle>-0    [000] dNs4. 4.993383: ev: b", "<idle>", 0, 0, 4993383000, true, "", "ev",
	  "b" },
	/* a marker that quotes an event is a marker */
	{ "  app-7  [000] ...1 1.000000: tracing_mark_write: x-1 [000] .... 2.0: mm_y: z=1", "app",
	  7, 0, 1000000000, true, "", "tracing_mark_write", "x-1 [000] .... 2.0: mm_y: z=1" },
	/* trace-cmd report: padded name, nanoseconds, difference, latency format */
	{ "         kswapd0-42    [001]    13.291257326: mm_vmscan_lru_isolate: lru=1", "kswapd0",
	  42, 1, 13291257326, true, "", "mm_vmscan_lru_isolate", "lru=1" },
	{ "          memhog-205   [000]     8.000001: sched_switch:         a:1 [1] S ==> b:2 [1]",
	  "memhog", 205, 0, 8000001000, true, "", "sched_switch", "a:1 [1] S ==> b:2 [1]" },
	{ "     foo-1     [000]   8.000001:  (+12) ev:                   a=1", "foo", 1, 0,
	  8000001000, true, "", "ev", "a=1" },
	{ "trace-cm-173     1d..2.     7.349096: mm_lru_insertion:     pfn=0x282b", "trace-cm", 173,
	  1, 7349096000, true, "", "mm_lru_insertion", "pfn=0x282b" },
	/* latency-format of ftrace */
	{ "  kswapd-42      0d..2.   12us+: mm_vmscan_kswapd_sleep: nid=0", "kswapd", 42, 0, 12000,
	  true, "", "mm_vmscan_kswapd_sleep", "nid=0" },
	{ "  kswapd-42     10d..2  123us : ev: nid=0", "kswapd", 42, 10, 123000, true, "", "ev",
	  "nid=0" },
	/* perf script */
	{ "         kswapd0    45 [002]  1234.567890: vmscan:mm_vmscan_kswapd_wake: nid=0 order=0",
	  "kswapd0", 45, 2, 1234567890000, true, "vmscan", "mm_vmscan_kswapd_wake",
	  "nid=0 order=0" },
	{ "kworker/u4:1-ev 12/34     [000] 5.5:          1   kmem:mm_page_free:   pfn=1",
	  "kworker/u4:1-ev", 34, 0, 5500000000, true, "kmem", "mm_page_free", "pfn=1" },
	{ "dd  1234  1234.567890: vmscan:mm_vmscan_kswapd_sleep: nid=0", "dd", 1234, -1,
	  1234567890000, true, "vmscan", "mm_vmscan_kswapd_sleep", "nid=0" },
	{ " my task 3  1234 [001] 1.000000000: mm_vmscan_kswapd_sleep: nid=0", "my task 3", 1234, 1,
	  1000000000, true, "", "mm_vmscan_kswapd_sleep", "nid=0" },
	{ "[001] 1.000000: vmscan:mm_vmscan_kswapd_sleep: nid=0", "", -1, 1, 1000000000, true,
	  "vmscan", "mm_vmscan_kswapd_sleep", "nid=0" },
	/* prefixes: mail, line number, printk, syslog, journal, both */
	{ ">  bash-1  [000] ....   1.000000: ev: a", "bash", 1, 0, 1000000000, true, "", "ev",
	  "a" },
	{ "> > bash-1  [000] ....   1.000000: ev: a", "bash", 1, 0, 1000000000, true, "", "ev",
	  "a" },
	{ "12:  bash-1  [000] ....   1.000000: ev: a", "bash", 1, 0, 1000000000, true, "", "ev",
	  "a" },
	{ "[  123.456789] bash-1  [000] ....   1.000000: ev: a", "bash", 1, 0, 1000000000, true, "",
	  "ev", "a" },
	{ "<6>[  123.456789][   T45]  bash-1  [000] ....   1.000000: ev: a", "bash", 1, 0,
	  1000000000, true, "", "ev", "a" },
	{ "Jan  1 00:00:00 host kernel: [ 123.400000] bash-1 [000] .... 1.000000: ev: a", "bash", 1,
	  0, 1000000000, true, "", "ev", "a" },
	{ "2024-01-01T00:00:00.000000+00:00 host kernel: bash-1 [000] .... 1.000000: ev: a\r",
	  "bash", 1, 0, 1000000000, true, "", "ev", "a" },
	{ "trace.dat:          bash-1 [000] .... 1.000000: ev: a", "bash", 1, 0, 1000000000, true,
	  "", "ev", "a" },
};

static void check_text(struct event_string text, const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.text, expected, text.len);
}

static void records_of_every_layout_are_read(void **state)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		const struct expectation *e = &records[i];
		struct text_line line;

		text_classify(patterns, e->line, strlen(e->line), &line);
		if (line.class != TEXT_RECORD)
			fail_msg("no record: %s", e->line);
		check_text(line.record.comm, e->comm);
		assert_int_equal(line.record.pid, e->pid);
		assert_int_equal(line.record.cpu, e->cpu);
		assert_int_equal(line.record.ts, e->ts);
		assert_int_equal(line.record.has_unit, e->has_unit);
		check_text(line.record.system, e->system);
		check_text(line.record.event, e->event);
		check_text(line.record.args, e->args);
	}
}

static void check_same(const char *text, size_t len)
{
	struct text_record fast, slow;

	if (!text_scan(text, len, &fast))
		return;
	if (!text_scan_patterns(patterns, text, len, &slow))
		fail_msg("only the scanner reads: %.*s", (int)len, text);
	assert_int_equal(fast.form, slow.form);
	assert_int_equal(fast.pid, slow.pid);
	assert_int_equal(fast.cpu, slow.cpu);
	assert_int_equal(fast.ts, slow.ts);
	assert_int_equal(fast.has_ts, slow.has_ts);
	assert_int_equal(fast.has_unit, slow.has_unit);
	assert_int_equal(fast.comm.len, slow.comm.len);
	if (fast.comm.len)
		assert_ptr_equal(fast.comm.text, slow.comm.text);
	assert_ptr_equal(fast.event.text, slow.event.text);
	assert_int_equal(fast.event.len, slow.event.len);
	assert_int_equal(fast.system.len, slow.system.len);
	assert_int_equal(fast.args.len, slow.args.len);
}

/* The scanner reads what the patterns read, and what one reads of a damaged line the other does. */
static void scanner_and_patterns_agree(void **state)
{
	char text[256];

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		size_t len = strlen(records[i].line);

		check_same(records[i].line, len);
		for (size_t cut = 0; cut < len; cut++) {
			check_same(records[i].line, cut);
			check_same(records[i].line + cut, len - cut);
			memcpy(text, records[i].line, cut);
			memcpy(text + cut, records[i].line + cut + 1, len - cut - 1);
			check_same(text, len - 1);
			for (const char *c = "[]:- .(0x"; *c; c++) {
				memcpy(text, records[i].line, len);
				text[cut] = *c;
				check_same(text, len);
			}
		}
	}
}

static enum text_class class_of(const char *text)
{
	struct text_line line;

	text_classify(patterns, text, strlen(text), &line);
	return line.class;
}

static void noise_is_told_from_what_is_not_understood(void **state)
{
	static const char *const noise[] = {
		"# tracer: nop",
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION",
		"",
		"   ",
		"cpus=8",
		"CPU 3 is empty",
		" => shrink_node+0x1c/0x40",
		" => shrink_node <ffffffff81234567>",
		"\tffffffff811a2b3c shrink_node+0x1c ([kernel.kallsyms])",
		"            bash-12    [000] d..1.   1.000000: <stack trace>",
		"            bash-12    [000] d..1.   1.000000: shrink_node <-do_try_to_free_pages",
		"##### CPU 2 buffer started ####",
		"capturing trace... done",
		"<!DOCTYPE html>",
	};

	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (class_of(noise[i]) != TEXT_NOISE)
			fail_msg("no noise: %s", noise[i]);
	assert_int_equal(class_of("Hello, I see this on my machine:"), TEXT_UNKNOWN);
	assert_int_equal(class_of("nr_taken=32 lru=inactive_file"), TEXT_UNKNOWN);
	assert_int_equal(class_of("CPU:3 [LOST 1234 EVENTS]"), TEXT_LOSS);
	assert_int_equal(class_of("CPU:3 [LOST EVENTS]"), TEXT_LOSS);
	assert_int_equal(class_of("CPU:3 [12 EVENTS DROPPED]"), TEXT_LOSS);
	assert_int_equal(class_of("# entries-in-buffer/entries-written: 1000/5000   #P:8"),
			 TEXT_LOSS);
	assert_int_equal(
		class_of("[ 12.345678] dd invoked oom-killer: gfp_mask=0x6200ca(GFP_KERNEL), "
			 "order=0, oom_score_adj=0"),
		TEXT_LOG);
}

static void times_keep_every_digit(void **state)
{
	uint64_t ts;
	bool unit;

	assert_true(text_time("1.5", 3, &ts, &unit));
	assert_int_equal(ts, 1500000000);
	assert_true(text_time("18446744073.709551615", 21, &ts, &unit));
	assert_int_equal(ts, UINT64_MAX);
	assert_true(text_time("18446744073709551615", 20, &ts, &unit));
	assert_false(unit);
	assert_false(text_time("18446744073.709551616", 21, &ts, &unit));
	assert_false(text_time("18446744073709551616", 20, &ts, &unit));
	assert_false(text_time("1.", 2, &ts, &unit));
	assert_false(text_time(".5", 2, &ts, &unit));
	assert_false(text_time("1.2.3", 5, &ts, &unit));
	assert_false(text_time("1.1234567890", 12, &ts, &unit));
	assert_false(text_time("", 0, &ts, &unit));
}

static int setup(void **state)
{
	patterns = text_patterns_new();
	return patterns && text_patterns_compile(patterns) ? 0 : -1;
}

static int teardown(void **state)
{
	text_patterns_free(patterns);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_every_layout_are_read),
		cmocka_unit_test(scanner_and_patterns_agree),
		cmocka_unit_test(noise_is_told_from_what_is_not_understood),
		cmocka_unit_test(times_keep_every_digit),
	};

	return cmocka_run_group_tests_name("text_layouts", tests, setup, teardown);
}
