/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values: what recorded numbers, recorded tables and printed names come to. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/gfp.h"
#include "capture/vocabulary/vocabulary.h"

#define COMMON                                                                                     \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define WAITS  (RL_GFP(DIRECT_RECLAIM) | RL_GFP(KSWAPD_RECLAIM))
#define KERNEL (WAITS | RL_GFP(IO) | RL_GFP(FS))
#define NOWAIT (RL_GFP(KSWAPD_RECLAIM) | RL_GFP(NOWARN))

/* One event in a recording of its own: what a record with the given words decodes to. */
struct bench {
	struct vocab_binder *binder;
	const struct vocab_bound *bound;
	struct event ev;
};

static void bench_open(struct bench *b, const char *system, const char *name, const char *fields,
		       const char *print)
{
	struct rl_msg msg;
	char text[8192];

	snprintf(text, sizeof(text), "name: %s\nID: 9\n" COMMON "%s\nprint fmt: %s\n", name, fields,
		 print);
	b->binder = vocab_binder_new(false, 8);
	if (vocab_binder_add(b->binder, system, text, strlen(text), &msg))
		fail_msg("%s", msg.text);
	b->bound = vocab_bound_by_type(b->binder, 9);
}

static void bench_close(struct bench *b)
{
	vocab_binder_free(b->binder);
}

static const struct event *bench_decode(struct bench *b, const void *payload, size_t size)
{
	static uint8_t data[256];

	memset(data, 0, sizeof(data));
	data[0] = 9;
	memcpy(data + 8, payload, size);
	assert_int_equal(vocab_decode(b->binder, b->bound, data, 8 + size, &b->ev), 0);
	return &b->ev;
}

static int64_t bench_word(struct bench *b, uint32_t word, unsigned int slot)
{
	const struct event *ev = bench_decode(b, &word, sizeof(word));

	assert_true(event_has(ev, slot));
	return ev->value[slot];
}

static int64_t gfp_text(const char *text)
{
	int64_t value;

	if (vocab_parse(VOCAB_GFP, text, strlen(text), &value))
		fail_msg("no gfp flags: %s", text);
	return value;
}

#define GFP_FIELD "\tfield:gfp_t gfp_flags;\toffset:8;\tsize:4;\tsigned:0;\n"

static void gfp_of_2_6_32_to_4_3(void **state)
{
	struct bench b;

	bench_open(&b, "vmscan", "mm_vmscan_direct_reclaim_begin", GFP_FIELD,
		   "\"gfp_flags=%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", "
		   "{(unsigned long)((( gfp_t)0x10u) | (( gfp_t)0x40u) | (( gfp_t)0x80u)), "
		   "\"GFP_KERNEL\"}, {(unsigned long)((( gfp_t)0x20u)), \"GFP_ATOMIC\"}, "
		   "{(unsigned long)(( gfp_t)0x20u), \"GFP_HIGH\"}, "
		   "{(unsigned long)(( gfp_t)0x10u), \"GFP_WAIT\"}, "
		   "{(unsigned long)(( gfp_t)0x40u), \"GFP_IO\"}, "
		   "{(unsigned long)(( gfp_t)0x80u), \"GFP_FS\"}, "
		   "{(unsigned long)(( gfp_t)0x200u), \"GFP_NOWARN\"}, "
		   "{(unsigned long)(( gfp_t)0x400u), \"GFP_REPEAT\"}, "
		   "{(unsigned long)(( gfp_t)0x400000u), \"GFP_NO_KSWAPD\"}) : \"GFP_NOWAIT\"");
	assert_int_equal(bench_word(&b, 0xd0, mm_vmscan_direct_reclaim_begin_gfp), KERNEL);
	assert_int_equal(bench_word(&b, 0x20, mm_vmscan_direct_reclaim_begin_gfp),
			 RL_GFP(HIGH) | RL_GFP(KSWAPD_RECLAIM));
	assert_int_equal(bench_word(&b, 0, mm_vmscan_direct_reclaim_begin_gfp), NOWAIT);
	assert_int_equal(bench_word(&b, 0x4000d0, mm_vmscan_direct_reclaim_begin_gfp),
			 RL_GFP(DIRECT_RECLAIM) | RL_GFP(IO) | RL_GFP(FS) | RL_GFP(NO_KSWAPD));
	assert_int_equal(bench_word(&b, 0x4d6, mm_vmscan_direct_reclaim_begin_gfp),
			 KERNEL | RL_GFP(RETRY_MAYFAIL) | RL_GFP(HIGHMEM) | RL_GFP(DMA32));
	/* No entry names 0x1000. */
	assert_int_equal(bench_word(&b, 0x10d0, mm_vmscan_direct_reclaim_begin_gfp),
			 KERNEL | RL_GFP(UNKNOWN));
	bench_close(&b);
}

static void gfp_of_4_10(void **state)
{
	struct bench b;

	bench_open(&b, "vmscan", "mm_vmscan_direct_reclaim_begin", GFP_FIELD,
		   "\"gfp_flags=%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", "
		   "{(unsigned long)((( gfp_t)(0x400000u|0x1000000u)) | (( gfp_t)0x40u)), "
		   "\"GFP_NOFS\"}, {(unsigned long)((( gfp_t)0x20u)|(( gfp_t)0x80000u)|"
		   "(( gfp_t)0x1000000u)), \"GFP_ATOMIC\"}, "
		   "{(unsigned long)(( gfp_t)0x20u), \"__GFP_HIGH\"}, "
		   "{(unsigned long)(( gfp_t)0x80000u), \"__GFP_ATOMIC\"}, "
		   "{(unsigned long)(( gfp_t)0x40u), \"__GFP_IO\"}, "
		   "{(unsigned long)(( gfp_t)0x10u), \"__GFP_RECLAIMABLE\"}, "
		   "{(unsigned long)(( gfp_t)0x100u), \"__GFP_COLD\"}, "
		   "{(unsigned long)(( gfp_t)0x400000u), \"__GFP_DIRECT_RECLAIM\"}, "
		   "{(unsigned long)(( gfp_t)0x1000000u), \"__GFP_KSWAPD_RECLAIM\"}) : \"none\"");
	assert_int_equal(bench_word(&b, 0x1400040, mm_vmscan_direct_reclaim_begin_gfp),
			 WAITS | RL_GFP(IO));
	assert_int_equal(bench_word(&b, 0x1080020, mm_vmscan_direct_reclaim_begin_gfp),
			 gfp_text("GFP_ATOMIC"));
	assert_int_equal(bench_word(&b, 0x1400150, mm_vmscan_direct_reclaim_begin_gfp),
			 gfp_text("GFP_NOFS|__GFP_COLD|__GFP_RECLAIMABLE"));
	assert_int_equal(bench_word(&b, 0x80000, mm_vmscan_direct_reclaim_begin_gfp),
			 RL_GFP(ATOMIC));
	assert_int_equal(bench_word(&b, 0, mm_vmscan_direct_reclaim_begin_gfp), 0);
	bench_close(&b);
}

static void gfp_of_6_12_with_bits_as_shifts(void **state)
{
	const char field[] = "\tfield:unsigned long gfp_flags;\toffset:8;\tsize:8;\tsigned:0;\n";
	uint64_t mask = 1u << 10 | 1u << 11 | 1u << 6 | 1u << 26;
	struct bench b;

	bench_open(
		&b, "vmscan", "mm_vmscan_direct_reclaim_begin", field,
		"\"gfp_flags=%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", "
		"{( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | "
		"(( gfp_t)((((1UL))) << (6)))), \"GFP_NOFS\"}, "
		"{( unsigned long)(( gfp_t)((((1UL))) << (6))), \"__GFP_IO\"}, "
		"{( unsigned long)(( gfp_t)((((1UL))) << (10))), \"__GFP_DIRECT_RECLAIM\"}, "
		"{( unsigned long)(( gfp_t)((((1UL))) << (11))), \"__GFP_KSWAPD_RECLAIM\"}, "
		"{( unsigned long)(( gfp_t)((((1UL))) << (___GFP_LAST_BIT))), \"__GFP_ODD\"}, "
		"{( unsigned long)(( gfp_t)((((1UL))) << (26))), \"__GFP_NOLOCKDEP\"}) : \"none\"");
	assert_int_equal(bench_decode(&b, &mask, 8)->value[mm_vmscan_direct_reclaim_begin_gfp],
			 WAITS | RL_GFP(IO) | RL_GFP(NOLOCKDEP));
	bench_close(&b);
}

static void gfp_names_of_all_times_are_read(void **state)
{
	assert_int_equal(gfp_text("GFP_KERNEL|__GFP_COMP"), KERNEL | RL_GFP(COMP));
	assert_int_equal(gfp_text("GFP_NOFS|GFP_COLD"), WAITS | RL_GFP(IO) | RL_GFP(COLD));
	assert_int_equal(gfp_text("GFP_NOWAIT"), NOWAIT);
	assert_int_equal(gfp_text("GFP_NOWAIT|__GFP_NOWARN"), NOWAIT);
	assert_int_equal(gfp_text("GFP_HIGH"), RL_GFP(HIGH) | RL_GFP(KSWAPD_RECLAIM));
	assert_int_equal(gfp_text("__GFP_HIGH"), RL_GFP(HIGH));
	assert_int_equal(gfp_text("GFP_TEMPORARY"), KERNEL | RL_GFP(RECLAIMABLE));
	assert_int_equal(gfp_text("none"), 0);
	assert_int_equal(gfp_text("0x6200ca(GFP_HIGHUSER_MOVABLE)"),
			 gfp_text("GFP_HIGHUSER_MOVABLE"));
	assert_int_equal(gfp_text("GFP_KERNEL|0x400000"), KERNEL | RL_GFP(UNKNOWN));
	assert_int_equal(gfp_text("GFP_KERNEL|0x2"), KERNEL | RL_GFP(HIGHMEM));
	assert_int_equal(gfp_text("GFP_NOFSGFP_COLD"), gfp_text("GFP_NOFS|GFP_COLD"));
	assert_int_equal(gfp_text("__GFP_HIGH__GFP_ZERO"), gfp_text("__GFP_HIGH|__GFP_ZERO"));
}

static void gfp_prints_as_the_newest_kernels_do(void **state)
{
	static const char *const texts[] = {
		"GFP_KERNEL|__GFP_COMP",
		"GFP_HIGHUSER_MOVABLE",
		"GFP_TRANSHUGE",
		"GFP_TRANSHUGE_LIGHT|__GFP_THISNODE",
		"GFP_ATOMIC",
		"GFP_NOWAIT|__GFP_COMP",
		"GFP_NOIO|__GFP_NOWARN",
		"GFP_USER|__GFP_ZERO",
		"GFP_KERNEL_ACCOUNT",
		"GFP_NOFS|__GFP_MOVABLE|__GFP_HARDWALL",
		"none",
		"GFP_DMA32|__GFP_NORETRY",
	};
	char buf[256];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(vocab_format(VOCAB_GFP, gfp_text(texts[i]), buf, sizeof(buf)),
				    texts[i]);
	assert_string_equal(vocab_format(VOCAB_GFP, gfp_text("GFP_KERNEL"), buf, 7), "GFP_KE");
}

static void garbage_is_no_gfp(void **state)
{
	int64_t value;

	assert_int_equal(vocab_parse(VOCAB_GFP, "", 0, &value), -EINVAL);
	assert_int_equal(vocab_parse(VOCAB_GFP, "GFP_KERNEL order=1", 18, &value), -EINVAL);
	assert_int_equal(vocab_parse(VOCAB_GFP, ")", 1, &value), -EINVAL);
}

static void throttle_reasons_are_integers_whatever_the_names_say(void **state)
{
	const char field[] = "\tfield:int reason;\toffset:8;\tsize:4;\tsigned:1;\n";
	struct bench b;
	char buf[128];

	bench_open(&b, "vmscan", "mm_vmscan_throttled", field,
		   "\"reason=%s\", (REC->reason) ? __print_flags(REC->reason, \"|\", "
		   "{(1 << VMSCAN_THROTTLE_WRITEBACK), \"VMSCAN_THROTTLE_WRITEBACK\"}, "
		   "{(1 << VMSCAN_THROTTLE_ISOLATED), \"VMSCAN_THROTTLE_ISOLATED\"} ) : "
		   "\"VMSCAN_THROTTLE_NONE\"");
	assert_int_equal(bench_word(&b, 6, mm_vmscan_throttled_reason), 6);
	assert_string_equal(vocab_format(VOCAB_REASON, 6, buf, sizeof(buf)),
			    "VMSCAN_THROTTLE_ISOLATED|VMSCAN_THROTTLE_NOPROGRESS");
	assert_string_equal(vocab_format(VOCAB_REASON, 0, buf, sizeof(buf)),
			    "VMSCAN_THROTTLE_NONE");
	bench_close(&b);
}

static void throttle_reasons_of_any_tool_are_read(void **state)
{
	int64_t value;

	assert_int_equal(vocab_parse(VOCAB_REASON, "VMSCAN_THROTTLE_WRITEBACK|0x2", 29, &value), 0);
	assert_int_equal(value, 3);
	assert_int_equal(vocab_parse(VOCAB_REASON, "0x4", 3, &value), 0);
	assert_int_equal(value, 4);
	assert_int_equal(vocab_parse(VOCAB_REASON, "VMSCAN_THROTTLE_NONE", 20, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(vocab_parse(VOCAB_REASON, "8", 1, &value), 0);
	assert_int_equal(value, 8);
}

static const char status_field[] = "\tfield:int status;\toffset:8;\tsize:4;\tsigned:1;\n";

static void compaction_status_by_recorded_name(void **state)
{
	struct bench b;

	bench_open(&b, "compaction", "mm_compaction_end", status_field,
		   "\"status=%s\", __print_symbolic(REC->status, {0, \"not_suitable_zone\"}, "
		   "{1, \"skipped\"}, {2, \"deferred\"}, {5, \"complete\"}, {8, \"partial\"})");
	assert_int_equal(bench_word(&b, 8, mm_compaction_end_status), 8);
	assert_int_equal(bench_word(&b, 1, mm_compaction_end_status), 1);
	assert_int_equal(bench_word(&b, 6, mm_compaction_end_status), VOCAB_RAW + 6);
	bench_close(&b);
}

static void compaction_status_of_4_0_and_before(void **state)
{
	struct bench b;
	char buf[32];

	/* 4.0 prints through an array of the kernel that begins with deferred. */
	bench_open(&b, "compaction", "mm_compaction_end", status_field,
		   "\"status=%s\", compaction_status_string[REC->status]");
	assert_int_equal(bench_word(&b, 0, mm_compaction_end_status), 2);
	assert_int_equal(bench_word(&b, 3, mm_compaction_end_status), 8);
	assert_string_equal(vocab_domain_name(VOCAB_COMPACT, 8), "success");
	bench_close(&b);
	/* 3.14 to 3.19 print a number of two families. */
	bench_open(&b, "compaction", "mm_compaction_end", status_field,
		   "\"status=%d\", REC->status");
	assert_int_equal(bench_word(&b, 1, mm_compaction_end_status), VOCAB_RAW + 1);
	assert_null(vocab_domain_name(VOCAB_COMPACT, VOCAB_RAW + 1));
	assert_string_equal(vocab_format(VOCAB_COMPACT, VOCAB_RAW + 1, buf, sizeof(buf)), "1");
	bench_close(&b);
}

static void zones_by_recorded_name(void **state)
{
	const char field[] = "\tfield:int zone_idx;\toffset:8;\tsize:4;\tsigned:1;\n";
	int64_t value;
	struct bench b;

	bench_open(&b, "oom", "reclaim_retry_zone", field,
		   "\"zone=%-8s\", __print_symbolic(REC->zone_idx, {0, \"DMA\"}, {1, \"Normal\"}, "
		   "{2, \"HighMem\"}, {3, \"Movable\"})");
	assert_int_equal(bench_word(&b, 1, reclaim_retry_zone_zone), 2);
	assert_int_equal(bench_word(&b, 3, reclaim_retry_zone_zone), 4);
	assert_int_equal(bench_word(&b, 4, reclaim_retry_zone_zone), 5);
	bench_close(&b);
	assert_int_equal(vocab_parse(VOCAB_ZONE, "Normal  ", 8, &value), 0);
	assert_int_equal(value, 2);
	assert_int_equal(vocab_parse(VOCAB_ZONE, "0x4", 3, &value), 0);
	assert_int_equal(value, 5);
	assert_int_equal(vocab_parse(VOCAB_ZONE, "1", 1, &value), 0);
	assert_int_equal(value, VOCAB_RAW + 1);
}

static void task_states_of_3_10_and_6_1(void **state)
{
	const char field[] = "\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n";
	uint64_t exit_dead = 0x20, zombie = 16, preempted = 1024;
	struct bench b;
	char buf[32];
	int64_t value;

	bench_open(&b, "sched", "sched_switch", field,
		   "\"prev_state=%s%s\", REC->prev_state & (1024-1) ? "
		   "__print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, "
		   "{ 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, "
		   "{ 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\", "
		   "REC->prev_state & 1024 ? \"+\" : \"\"");
	assert_int_equal(bench_decode(&b, &exit_dead, 8)->value[sched_switch_prev_state], 0x10);
	assert_int_equal(bench_decode(&b, &zombie, 8)->value[sched_switch_prev_state], 0x20);
	assert_int_equal(bench_decode(&b, &preempted, 8)->value[sched_switch_prev_state], 0x100);
	bench_close(&b);
	assert_string_equal(vocab_format(VOCAB_STATE, 0x100, buf, sizeof(buf)), "R+");
	assert_string_equal(vocab_format(VOCAB_STATE, 0x102, buf, sizeof(buf)), "D+");
	assert_string_equal(vocab_format(VOCAB_STATE, 0, buf, sizeof(buf)), "R");
	assert_int_equal(vocab_parse(VOCAB_STATE, "R+", 2, &value), 0);
	assert_int_equal(value, 0x100);
	assert_int_equal(vocab_parse(VOCAB_STATE, "D|K", 3, &value), 0);
	assert_int_equal(value, 0x202);
}

static void fragmenting_is_worked_out(void **state)
{
	struct {
		uint64_t pfn;
		int32_t alloc_order, fallback_order, alloc_type, fallback_type, change;
	} record = { 0x1000, 0, 3, 2, 0, 0 };
	struct bench b;
	const struct event *ev;

	bench_open(&b, "kmem", "mm_page_alloc_extfrag",
		   "\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:int alloc_order;\toffset:16;\tsize:4;\tsigned:1;\n"
		   "\tfield:int fallback_order;\toffset:20;\tsize:4;\tsigned:1;\n"
		   "\tfield:int alloc_migratetype;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int fallback_migratetype;\toffset:28;\tsize:4;\tsigned:1;\n"
		   "\tfield:int change_ownership;\toffset:32;\tsize:4;\tsigned:1;\n",
		   "\"page=%p pfn=0x%lx alloc_order=%d fallback_order=%d pageblock_order=%d "
		   "alloc_migratetype=%d fallback_migratetype=%d fragmenting=%d "
		   "change_ownership=%d\", (((struct page *)vmemmap_base) + (REC->pfn)), REC->pfn, "
		   "REC->alloc_order, REC->fallback_order, (((unsigned int)((21 - 12))) < "
		   "((unsigned int)(10)) ? ((unsigned int)((21 - 12))) : ((unsigned int)(10))), "
		   "REC->alloc_migratetype, REC->fallback_migratetype, REC->fallback_order < 9, "
		   "REC->change_ownership");
	ev = bench_decode(&b, &record, 28);
	assert_int_equal(ev->value[mm_page_alloc_extfrag_pageblock_order], 9);
	assert_int_equal(ev->value[mm_page_alloc_extfrag_fragmenting], 1);
	assert_true(event_has(ev, mm_page_alloc_extfrag_fragmenting));
	record.fallback_order = 9;
	ev = bench_decode(&b, &record, 28);
	assert_int_equal(ev->value[mm_page_alloc_extfrag_fragmenting], 0);
	assert_string_equal(b.bound->missing, "");
	bench_close(&b);
}

static void failed_allocation_of_a_32_bit_kernel(void **state)
{
	struct bench b;

	bench_open(&b, "kmem", "mm_page_alloc",
		   "\tfield:unsigned long pfn;\toffset:8;\tsize:4;\tsigned:0;\n", "\"pfn=%lu\", 0");
	assert_int_equal(bench_word(&b, UINT32_MAX, mm_page_alloc_pfn), -1);
	bench_close(&b);
}

static void shrinkers_have_names(void **state)
{
	static const char kallsyms[] = "ffffffff81200000 T super_cache_scan\n"
				       "ffffffffc0100000 t xfs_scan\t[xfs]\n"
				       "ffffffff81100000 T first_function\n"
				       "not a line\n";
	uint64_t address = 0xffffffff81200000;
	struct rl_msg msg;
	const struct event *ev;
	struct bench b;

	bench_open(&b, "vmscan", "mm_shrink_slab_start",
		   "\tfield:void * shrink;\toffset:8;\tsize:8;\tsigned:0;\n",
		   "\"%pS\", REC->shrink");
	ev = bench_decode(&b, &address, 8);
	assert_int_equal(ev->value[mm_shrink_slab_start_shrinker], (int64_t)address);
	assert_int_equal(ev->string[mm_shrink_slab_start_shrinker].len, 0);
	assert_int_equal(vocab_binder_kallsyms(b.binder, kallsyms, strlen(kallsyms), &msg), 0);
	ev = bench_decode(&b, &address, 8);
	assert_int_equal(ev->value[mm_shrink_slab_start_shrinker], 0);
	assert_memory_equal(ev->string[mm_shrink_slab_start_shrinker].text, "super_cache_scan", 16);
	address = 0xffffffffc0100010;
	ev = bench_decode(&b, &address, 8);
	assert_int_equal(ev->string[mm_shrink_slab_start_shrinker].len, 8);
	assert_memory_equal(ev->string[mm_shrink_slab_start_shrinker].text, "xfs_scan", 8);
	address = 4096;
	ev = bench_decode(&b, &address, 8);
	assert_int_equal(ev->value[mm_shrink_slab_start_shrinker], 4096);
	bench_close(&b);
}

static void strings_outside_the_record_are_refused(void **state)
{
	static uint8_t data[32] = { 9 };
	struct bench b;
	uint32_t word;

	bench_open(&b, "oom", "mark_victim",
		   "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n",
		   "\"comm=%s\", __get_str(comm)");
	memcpy(data + 16, "kthreadd", 9);
	word = 16 | 9u << 16;
	memcpy(data + 8, &word, 4);
	assert_int_equal(vocab_decode(b.binder, b.bound, data, 25, &b.ev), 0);
	assert_int_equal(b.ev.string[mark_victim_comm].len, 8);
	assert_memory_equal(b.ev.string[mark_victim_comm].text, "kthreadd", 8);
	assert_int_equal(vocab_decode(b.binder, b.bound, data, 24, &b.ev), -EBADMSG);
	word = 0xffff | 1u << 16;
	memcpy(data + 8, &word, 4);
	assert_int_equal(vocab_decode(b.binder, b.bound, data, 32, &b.ev), -EBADMSG);
	bench_close(&b);
}

static void relative_strings_count_from_their_word(void **state)
{
	static uint8_t data[32] = { 9 };
	struct bench b;
	uint32_t word = 4 | 5u << 16;

	bench_open(&b, "oom", "mark_victim",
		   "\tfield:__rel_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n", "\"\"");
	memcpy(data + 8, &word, 4);
	memcpy(data + 16, "bash", 5);
	assert_int_equal(vocab_decode(b.binder, b.bound, data, 21, &b.ev), 0);
	assert_int_equal(b.ev.string[mark_victim_comm].len, 4);
	assert_memory_equal(b.ev.string[mark_victim_comm].text, "bash", 4);
	bench_close(&b);
}

static void markers_run_to_the_end_of_the_record(void **state)
{
	static uint8_t data[32] = { 9 };
	struct bench b;

	bench_open(&b, "ftrace", "print",
		   "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n",
		   "\"%ps: %s\", (void *)REC->ip, REC->buf");
	memcpy(data + 16, "SNAP before\n", 13);
	assert_int_equal(vocab_decode(b.binder, b.bound, data, 32, &b.ev), 0);
	assert_int_equal(b.ev.string[print_buf].len, 12);
	assert_int_equal(vocab_decode(b.binder, b.bound, data, 20, &b.ev), 0);
	assert_int_equal(b.ev.string[print_buf].len, 4);
	bench_close(&b);
}

static void formats_that_are_none_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"name: x\n",
		"name: x\nID: 70000\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\n",
		"name: x\nID: 7\nformat:\n\tfield:int a;\toffset:65534;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 7\nformat:\n\tfield:int a;\toffset:99999999999;\tsize:4;\n",
		"name: x\nID: 7\nformat:\n\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n",
		"name: x\nID: 7\nformat:\n\tfield:int a;\toffset:8\n",
		"name: x\nID: 7\nformat:\n\tfield:__data_loc char[] a;\toffset:8;\tsize:8;\n",
	};
	struct vocab_binder *binder = vocab_binder_new(false, 8);
	struct rl_msg msg;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		msg.text[0] = '\0';
		assert_int_equal(vocab_binder_add(binder, "s", texts[i], strlen(texts[i]), &msg),
				 -EINVAL);
		assert_true(msg.text[0]);
	}
	assert_null(vocab_bound_at(binder, 0));
	vocab_binder_free(binder);
}

static int64_t parse_form(enum vocab_kind kind, enum vocab_form form, const char *text)
{
	int64_t value;

	if (vocab_parse_form(kind, form, 4096, text, strlen(text), &value))
		fail_msg("no value: %s", text);
	return value;
}

static void numbers_as_lines_print_them(void **state)
{
	int64_t value;

	assert_int_equal(parse_form(VOCAB_INT, VOCAB_FORM_PLAIN, "-32"), -32);
	assert_int_equal(parse_form(VOCAB_INT, VOCAB_FORM_PLAIN, "0x20"), 32);
	assert_int_equal(parse_form(VOCAB_INT, VOCAB_FORM_PLAIN, "18446744073709551615"), -1);
	assert_int_equal(parse_form(VOCAB_INT, VOCAB_FORM_PLAIN, "4096B"), 4096);
	assert_int_equal(parse_form(VOCAB_INT, VOCAB_FORM_PLAIN, "129356kB"), 129356);
	assert_int_equal(parse_form(VOCAB_HEX, VOCAB_FORM_PLAIN, "0x1a"), 26);
	assert_int_equal(parse_form(VOCAB_HEX, VOCAB_FORM_PLAIN, "26"), 26);
	assert_int_equal(parse_form(VOCAB_HEX, VOCAB_FORM_PLAIN, "0x4,"), 4);
	assert_int_equal(parse_form(VOCAB_HEX, VOCAB_FORM_PLAIN, "(nil)"), 0);
	assert_int_equal(parse_form(VOCAB_HEX, VOCAB_FORM_HEX, "26"), 0x26);
	assert_int_equal(parse_form(VOCAB_INT, VOCAB_FORM_BYTES, "8192"), 2);
	assert_int_equal(parse_form(VOCAB_INT, VOCAB_FORM_SHIFTED, "64"), 6);
	assert_int_equal(parse_form(VOCAB_DEV, VOCAB_FORM_PLAIN, "8:1"), 8 << 20 | 1);
	assert_int_equal(parse_form(VOCAB_DEV, VOCAB_FORM_PLAIN, "254,16"), 254 << 20 | 16);
	assert_int_equal(parse_form(VOCAB_BOOL, VOCAB_FORM_PLAIN, "sync"), 1);
	assert_int_equal(parse_form(VOCAB_PAGE, VOCAB_FORM_PLAIN, "Ma b B"), 0x53);
	assert_int_equal(parse_form(VOCAB_PAGE, VOCAB_FORM_PLAIN, " f    "), 0);
	assert_int_equal(vocab_parse(VOCAB_INT, "", 0, &value), -EINVAL);
	assert_int_equal(vocab_parse(VOCAB_INT, "12x", 3, &value), -EINVAL);
	assert_int_equal(vocab_parse(VOCAB_INT, "99999999999999999999", 20, &value), -EINVAL);
	assert_int_equal(vocab_parse(VOCAB_LRU, "inactive", 8, &value), -EINVAL);
}

static int collect(void *ctx, int64_t recorded, const char *name)
{
	char *text = ctx;

	sprintf(text + strlen(text), "%d=%s ", (int)recorded, name);
	return 0;
}

static void recorded_names_are_kept(void **state)
{
	const char field[] = "\tfield:int zone_idx;\toffset:8;\tsize:4;\tsigned:1;\n";
	char text[128] = "";
	struct bench b;

	bench_open(&b, "oom", "reclaim_retry_zone", field,
		   "\"zone=%-8s\", __print_symbolic(REC->zone_idx, {0, \"DMA\"}, {1, \"Normal\"})");
	vocab_binder_names(b.binder, VOCAB_ZONE, collect, text);
	assert_string_equal(text, "0=DMA 1=Normal ");
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gfp_of_2_6_32_to_4_3),
		cmocka_unit_test(gfp_of_4_10),
		cmocka_unit_test(gfp_of_6_12_with_bits_as_shifts),
		cmocka_unit_test(gfp_names_of_all_times_are_read),
		cmocka_unit_test(gfp_prints_as_the_newest_kernels_do),
		cmocka_unit_test(garbage_is_no_gfp),
		cmocka_unit_test(throttle_reasons_are_integers_whatever_the_names_say),
		cmocka_unit_test(throttle_reasons_of_any_tool_are_read),
		cmocka_unit_test(compaction_status_by_recorded_name),
		cmocka_unit_test(compaction_status_of_4_0_and_before),
		cmocka_unit_test(zones_by_recorded_name),
		cmocka_unit_test(task_states_of_3_10_and_6_1),
		cmocka_unit_test(fragmenting_is_worked_out),
		cmocka_unit_test(failed_allocation_of_a_32_bit_kernel),
		cmocka_unit_test(shrinkers_have_names),
		cmocka_unit_test(strings_outside_the_record_are_refused),
		cmocka_unit_test(relative_strings_count_from_their_word),
		cmocka_unit_test(markers_run_to_the_end_of_the_record),
		cmocka_unit_test(formats_that_are_none_are_refused),
		cmocka_unit_test(numbers_as_lines_print_them),
		cmocka_unit_test(recorded_names_are_kept),
	};

	return cmocka_run_group_tests_name("vocabulary_values", tests, NULL, NULL);
}
