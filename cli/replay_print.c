/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/replay_print.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "capture/base/utf8.h"
#include "replay/explain.h"

#define NS_PER_S  1e9
#define NS_PER_MS 1e6

/* The notes for people: those that carry the machine have a key with a point in it. */
static void print_notes(const char *notes)
{
	for (const char *line = notes; *line;) {
		const char *end = strchrnul(line, '\n');

		if (!memchr(line, '.', strcspn(line, " \n")))
			printf("%.*s\n", (int)(end - line), line);
		line = *end ? end + 1 : end;
	}
}

void print_explanation(const struct recording *rec)
{
	struct explain_row rows[EXPLAIN_MAX_ROWS];
	unsigned int nr = rec->is_demand ? 0 : explain_recording(rec, rows);

	utf8_print(stdout, rec->path, UINT_MAX);
	printf(": kernel %s, %.3f s%s\n", *rec->kernel ? rec->kernel : "unknown",
	       (double)(rec->end - rec->start) / NS_PER_S,
	       rec->marked	    ? " between the markers SNAP before and SNAP after"
	       : rec->sampled	    ? " from the first complete sample of counters to the last"
	       : rec->begin_unknown ? "; the machine is taken as it was at the end, where its "
				      "counters are"
				    : "");
	if (rec->lost)
		printf("events were lost: every figure is at least what it says\n");
	if (nr)
		printf("%-9s %-48s %14s %-9s %s\n", "", "", "recording", "", "/proc/vmstat");
	for (unsigned int i = 0; i < nr; i++) {
		bool same_part = i && !strcmp(rows[i].part, rows[i - 1].part);

		printf("%-9s %-48s %14" PRIu64 " %-9s", same_part ? "" : rows[i].part, rows[i].what,
		       rows[i].value, rows[i].unit);
		if (rows[i].has_counter)
			printf(" %s %" PRId64 "%s", rows[i].counter, rows[i].counted,
			       rows[i].counted == (int64_t)rows[i].value ? " equal" : "");
		printf("\n");
	}
	printf("%zu demand records of %u tasks, %u files, %u logical pages\n",
	       rec->demand->nr_records, rec->demand->nr_tasks, rec->demand->nr_files,
	       rec->demand->nr_pages);
	print_notes(rec->demand->notes);
}

static void print_count(const char *name, const struct decision_count *count)
{
	if (count->events)
		printf("%-42s %6u recorded %6u asked %6u agree\n", name, count->events,
		       count->asked, count->agreed);
}

void print_decisions(const struct recording *rec, const struct machine *machine)
{
	struct decisions d;

	if (!rec->nr_decisions)
		return;
	decisions_check(rec, machine, &d);
	printf("\nthe kernel's decisions put to the engine's rules\n");
	print_count("reclaim_retry_zone, single pages", &d.retry_single);
	print_count("reclaim_retry_zone, blocks", &d.retry_block);
	print_count("compact_retry", &d.compact);
	print_count("mm_compaction_suitable", &d.suitable);
}

void print_machine(const struct recording *rec, const struct machine *m)
{
	const struct reclaim_machine *mm = &m->machine;
	const struct calibration *c = &rec->calibration;
	const struct reclaim_costs *costs = &mm->costs;

	printf("\nmachine: %" PRIu64 " pages in %u zones, %u CPUs, profile %s; %s\n",
	       machine_pages(m), mm->nr_zones, mm->cpus, reclaim_profile_name(m->profile),
	       m->words);
	printf("costs, ns: scan %u, reclaim +%u, write +%u a page, batch %u, pass %u, alloc %u, cache add %u, "
	       "free %u, hit %u\n",
	       costs->scan_page, costs->reclaim_page, costs->pageout_page, costs->reclaim_batch,
	       costs->reclaim_pass, costs->alloc_fast, costs->cache_add, costs->free_page,
	       costs->cache_hit);
	printf("pauses: %" PRIu64 " in %.3f s of CPU time looked at", c->pauses,
	       (double)c->covered_ns / NS_PER_S);
	if (!c->pause_gap_ns)
		printf(", too little to go by");
	else
		printf(", median %.2f ms, one every %.1f ms",
		       (double)c->pause_quantile[CALIBRATE_QUANTILES / 2] / NS_PER_MS,
		       (double)c->pause_gap_ns / NS_PER_MS);
	printf("\nscheduling: %.1f %% of wakes look for an idle CPU, %.1f %% of waits end on one, first "
	       "run after %.0f us\n",
	       mm->wake_spread_ppm / 1e4, mm->idle_pull_ppm / 1e4,
	       (double)mm->wake_latency_ns / 1e3);
	for (uint32_t i = 0; i < mm->nr_devices; i++)
		printf("device %u: read %.1f MB/s + %.0f us, write %.1f MB/s + %.0f us%s\n", i,
		       (double)mm->devices[i].read_bytes_per_s / 1e6,
		       (double)mm->devices[i].read_latency_ns / 1e3,
		       (double)mm->devices[i].write_bytes_per_s / 1e6,
		       (double)mm->devices[i].write_latency_ns / 1e3,
		       mm->devices[i].rotational ? ", rotating" : "");
	printf("swappiness %u, swap %" PRIu64
	       " pages read up to %u at once, dirty limits %u and %u %%\n",
	       mm->swappiness, mm->swap_pages, 1u << mm->page_cluster, mm->dirty_background_ratio,
	       mm->dirty_ratio);
	if (c->anon_looks)
		printf("hidden references: %" PRIu64 " of %" PRIu64
		       " looks at anonymous pages found one\n",
		       c->anon_referenced, c->anon_looks);
}

static void print_histogram(const struct replay *replay)
{
	uint64_t real[GRADE_WAKE_BUCKETS], model[GRADE_WAKE_BUCKETS];
	const struct run_result *result = &replay->variants[0].results[0][0];

	if (result->error || !replay->recording->answered)
		return;
	grade_wake_histogram(&replay->recording->response, real);
	grade_wake_histogram(&result->response, model);
	printf("\npages reclaimed a wake of kswapd (replay: first member)\n%-10s", "below");
	for (int i = 0; i < GRADE_WAKE_BUCKETS; i++)
		if (grade_wake_bounds[i] == UINT64_MAX)
			printf(" %7s", "more");
		else
			printf(" %7" PRIu64, grade_wake_bounds[i]);
	printf("\n%-10s", "recorded");
	for (int i = 0; i < GRADE_WAKE_BUCKETS; i++)
		printf(" %7" PRIu64, real[i]);
	printf("\n%-10s", "replayed");
	for (int i = 0; i < GRADE_WAKE_BUCKETS; i++)
		printf(" %7" PRIu64, model[i]);
	printf("\n");
}

static void print_grade_row(enum grade_metric metric, const struct grade_row *row)
{
	if (!row->range.known || (row->known && row->recorded <= 0 && row->range.max <= 0))
		return;
	printf("%-24s", grade_metric_name(metric));
	if (row->known)
		printf(" %12.0f", row->recorded);
	else
		printf(" %12s", "unknown");
	printf(" %12.0f [%.0f..%.0f] %s", row->range.median, row->range.min, row->range.max,
	       grade_metric_unit(metric));
	if (row->has_error)
		printf(" %+.1f %% (goal %u %%)%s", row->error, row->goal,
		       row->reached ? "" : " not reached");
	printf("\n");
}

void print_grade(const struct replay *replay)
{
	static const char *const series[GRADE_NR_SERIES] = { "kswapd scan", "direct scan",
							     "wakes" };
	const struct grade *grade = &replay->grade;
	char basis[256] = "";

	demand_note_find(replay->recording->demand, "basis", basis, sizeof(basis));
	printf("\ngrade: the recorded policy replayed, %u members, against what happened\n",
	       grade->members);
	printf("rests on: %s; %.0f %% of the waits of unknown cause kept, so that the work takes as "
	       "long as it took\n",
	       basis, replay->wait_ppm / 1e4);
	if (replay->recording->begin_unknown)
		printf("the recording has counters of its end only: the machine is taken as it was "
		       "then\n");
	if (before_pages(replay->before))
		printf("%" PRIu64
		       " pages that come back were read in before the recording; they are "
		       "spread over the first reads\n",
		       before_pages(replay->before));
	if (!replay->recording->answered)
		printf("what a kernel did about this demand is not known: not graded\n");
	if (replay->recording->lost)
		printf("events were lost in the recording: the figures are no grade\n");
	for (unsigned int i = 0; i < grade->members; i++)
		if (replay->variants[0].results[0][i].error)
			printf("member %u failed: %s\n", i,
			       replay->variants[0].results[0][i].msg.text);
	printf("%-24s %12s %12s\n", "", "recorded", "replayed");
	for (int metric = 0; metric < GRADE_NR_METRICS; metric++)
		print_grade_row(metric, &grade->row[metric]);
	if (!replay->variants[0].results[0][0].error) {
		const uint64_t *counters = replay->variants[0].results[0][0].counters;

		printf("tasks waited in the first member: stalls %.3f s, reads %.3f s, dirty limits "
		       "%.3f s\n",
		       (double)counters[RECLAIM_VM_STALL_NS] / NS_PER_S,
		       (double)counters[RECLAIM_VM_IO_WAIT_NS] / NS_PER_S,
		       (double)counters[RECLAIM_VM_DIRTY_PAUSE_NS] / NS_PER_S);
	}
	printf("r by the second:");
	for (int i = 0; i < GRADE_NR_SERIES; i++)
		if (grade->has_r[i])
			printf(" %s %.2f", series[i], grade->r[i]);
	printf("\n");
	print_histogram(replay);
}

void print_variant_name(const struct replay_variant *variant)
{
	if (*variant->policy)
		printf("%s%s", variant->policy, *variant->changes ? " " : "");
	else if (!*variant->changes)
		printf("as recorded");
	printf("%s", variant->changes);
}

static void print_comparison(const struct replay *replay, unsigned int v, enum grade_metric metric)
{
	const struct replay_variant *base = &replay->variants[0], *variant = &replay->variants[v];
	struct grade_range a, b;
	const char *word = "does not separate";

	grade_ensemble(base->results[0], replay->ensemble, metric, &a);
	grade_ensemble(variant->results[0], replay->ensemble, metric, &b);
	if (!a.known || !b.known || (a.max <= 0 && b.max <= 0))
		return;
	if (replay->ensemble < 2)
		word = "one member tells no range";
	else if (grade_separates(&a, &b))
		word = replay->sensitivity && !replay_ranking(replay, 0, v, metric)
			       ? "separates, but flips with other costs"
			       : "separates";
	printf("%-24s %12.0f [%.0f..%.0f] %12.0f [%.0f..%.0f] %s", grade_metric_name(metric),
	       a.median, a.min, a.max, b.median, b.min, b.max, grade_metric_unit(metric));
	if (a.median > 0)
		printf(" %+.1f %%", (b.median - a.median) * 100 / a.median);
	printf(" %s\n", word);
}

void print_variants(const struct replay *replay)
{
	for (unsigned int v = 1; v < replay->nr_variants; v++) {
		printf("\n");
		print_variant_name(&replay->variants[v]);
		printf(", against the recorded policy replayed\n");
		for (unsigned int i = 0; i < replay->ensemble; i++)
			if (replay->variants[v].results[0][i].error)
				printf("member %u failed: %s\n", i,
				       replay->variants[v].results[0][i].msg.text);
		for (int metric = 0; metric < GRADE_NR_METRICS; metric++)
			print_comparison(replay, v, metric);
	}
}
