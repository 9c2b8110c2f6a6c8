/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/waits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "replay/run.h"

#define FIT_STEPS    8
#define FIT_PERCENT  2
#define OWN_REQUESTS 1000 /* a task of so many has a share of its own */
#define PPM	     1000000
#define FINE_PPM     5000
#define LATE_PARTS   4

/* Tasks with one share: group 0 are those of few requests. */
struct group {
	struct feed_pace recorded;
	uint64_t writes; /* requests that make pages dirty */
	uint32_t low, high, at;
	bool done;
};

struct fit {
	struct group *groups;
	uint32_t *of; /* group by task */
	uint32_t nr;
	uint32_t *ppm;		 /* share by task */
	struct feed_pace *paces; /* of a replay, by task */
};

static int make_groups(struct fit *fit, const struct demand *demand)
{
	struct feed_pace *recorded = calloc((size_t)demand->nr_tasks + 1, sizeof(*recorded));

	fit->groups = calloc((size_t)demand->nr_tasks + 1, sizeof(*fit->groups));
	fit->of = calloc((size_t)demand->nr_tasks + 1, sizeof(*fit->of));
	fit->ppm = calloc((size_t)demand->nr_tasks + 1, sizeof(*fit->ppm));
	fit->paces = calloc((size_t)demand->nr_tasks + 1, sizeof(*fit->paces));
	if (!recorded || !fit->groups || !fit->of || !fit->ppm || !fit->paces) {
		free(recorded);
		return -ENOMEM;
	}
	feed_recorded_paces(demand, recorded);
	fit->nr = 1;
	for (uint32_t i = 0; i < demand->nr_tasks; i++) {
		if (recorded[i].requests >= OWN_REQUESTS)
			fit->of[i] = fit->nr++;
		feed_pace_add(&fit->groups[fit->of[i]].recorded, &recorded[i]);
	}
	for (size_t i = 0; i < demand->nr_records; i++)
		if (demand->records[i].op == DEMAND_DIRTY)
			fit->groups[fit->of[demand->records[i].task]].writes++;
	free(recorded);
	return 0;
}

/* One replay with the shares as they are. The caller owns *@feed. */
static int try_shares(struct fit *fit, const struct recording *recording,
		      const struct machine *machine, const struct rl_progress *progress,
		      struct feed **feed, struct rl_msg *msg)
{
	struct run_job job = {
		.demand = recording->demand, .machine = machine, .seed = 1, .paces = fit->paces
	};
	struct run_result result = { 0 };
	int ret;

	for (uint32_t i = 0; i < recording->demand->nr_tasks; i++) {
		fit->ppm[i] = fit->groups[fit->of[i]].at;
		fit->paces[i] = (struct feed_pace){ 0 };
	}
	ret = feed_new(recording->demand, fit->ppm, feed, msg);
	if (ret)
		return ret;
	job.feed = *feed;
	ret = run_all(&job, &result, 1, 1, progress);
	if (!ret)
		ret = result.error;
	if (ret)
		*msg = result.msg;
	run_result_clear(&result);
	return ret;
}

/* Halve the interval of a group by how it went. Pace grows with the share. */
static void judge(struct group *group, int64_t pace)
{
	int64_t want = feed_pace_mean(&group->recorded);

	if (pace * 100 >= want * (100 - FIT_PERCENT) && pace * 100 <= want * (100 + FIT_PERCENT)) {
		group->done = true;
		return;
	}
	group->done = false;
	if (pace > want)
		group->high = group->at;
	else
		group->low = group->at;
	if (group->high < FINE_PPM || group->high - group->low < FINE_PPM)
		group->done = true;
	else
		group->at = group->low + (group->high - group->low) / 2;
}

/* Judge all groups by the last replay. Returns whether every one is done. */
static bool judge_all(struct fit *fit, uint32_t nr_tasks)
{
	bool done = true;

	for (uint32_t g = 0; g < fit->nr; g++) {
		struct feed_pace pace = { 0 };

		for (uint32_t i = 0; i < nr_tasks; i++)
			if (fit->of[i] == g)
				feed_pace_add(&pace, &fit->paces[i]);
		if (!fit->groups[g].recorded.requests)
			continue;
		judge(&fit->groups[g], feed_pace_mean(&pace));
		done &= fit->groups[g].done;
	}
	return done;
}

/* Has the group no more waits to give up? */
static bool spent(const struct group *group)
{
	return group->at < FINE_PPM;
}

/*
 * How long a request took at the last replay, in percent of what it should take: of the whole, or
 * of the groups that have spent their waits. 100 when there is none.
 */
static int64_t pace_percent(const struct fit *fit, uint32_t nr_tasks, bool spent_only)
{
	struct feed_pace want = { 0 }, pace = { 0 };

	for (uint32_t g = 0; g < fit->nr; g++)
		if (!spent_only || spent(&fit->groups[g]))
			feed_pace_add(&want, &fit->groups[g].recorded);
	for (uint32_t i = 0; i < nr_tasks; i++)
		if (!spent_only || spent(&fit->groups[fit->of[i]]))
			feed_pace_add(&pace, &fit->paces[i]);
	if (!feed_pace_mean(&want))
		return 100;
	return feed_pace_mean(&pace) * 100 / feed_pace_mean(&want);
}

/*
 * What a writer waits at the dirty limits gives way to every wait of its own: its pace is the
 * device's, and does not tell that waits are missing. It keeps at most those recorded.
 */
static uint32_t most_waits(const struct group *group)
{
	return group->writes * 2 > group->recorded.requests ? FEED_WAIT_ALL : FEED_WAIT_MOST;
}

static void forget(struct fit *fit)
{
	for (uint32_t g = 0; g < fit->nr; g++) {
		fit->groups[g].low = 0;
		fit->groups[g].high = most_waits(&fit->groups[g]);
		fit->groups[g].at = FEED_WAIT_ALL;
		fit->groups[g].done = !fit->groups[g].recorded.requests;
	}
}

/* Find the shares on @machine. */
static int fit_shares(struct fit *fit, const struct recording *recording,
		      const struct machine *machine, const struct rl_progress *progress,
		      struct feed **feed, struct rl_msg *msg)
{
	int ret = 0;

	forget(fit);
	for (int step = 0; step < FIT_STEPS && !ret; step++) {
		feed_free(*feed);
		*feed = NULL;
		ret = try_shares(fit, recording, machine, progress, feed, msg);
		if (!ret && judge_all(fit, recording->demand->nr_tasks))
			break;
	}
	return ret;
}

/* Give devices back what was taken off them for too much, by replays with all waits as recorded. */
static int give_back(struct fit *fit, const struct recording *recording, struct machine *machine,
		     const struct rl_progress *progress, struct feed **feed, struct rl_msg *msg)
{
	int64_t part = (int64_t)calibration_delay(&recording->calibration) / LATE_PARTS;
	int ret = 0;

	forget(fit);
	for (int given = 0; given < LATE_PARTS && part && !ret; given++) {
		feed_free(*feed);
		*feed = NULL;
		ret = try_shares(fit, recording, machine, progress, feed, msg);
		if (ret ||
		    pace_percent(fit, recording->demand->nr_tasks, false) >= 100 - FIT_PERCENT)
			break;
		for (uint32_t i = 0; i < machine->machine.nr_devices; i++)
			machine->machine.devices[i].read_latency_ns += part;
	}
	return ret;
}

/*
 * Where work takes too long even without such waits, tasks lost less of their CPUs to pauses
 * while they thought than reclaimers did, of whom the pauses were seen: find how much less.
 */
static int fit_thought(struct fit *fit, const struct recording *recording, struct machine *machine,
		       const struct rl_progress *progress, struct feed **feed, struct rl_msg *msg)
{
	struct reclaim_pauses *pauses = &machine->machine.pauses;
	uint32_t low = 0, high = PPM;
	int ret = 0;

	if (!pauses->mean_gap_ns)
		return 0;
	for (int step = 0; step < FIT_STEPS && !ret; step++) {
		int64_t percent = pace_percent(fit, recording->demand->nr_tasks, true);

		if (percent <= 100 + FIT_PERCENT && (!step || percent >= 100 - FIT_PERCENT))
			break;
		if (percent > 100)
			high = pauses->think_ppm;
		else
			low = pauses->think_ppm;
		pauses->think_ppm = low + (high - low) / 2;
		feed_free(*feed);
		*feed = NULL;
		ret = try_shares(fit, recording, machine, progress, feed, msg);
	}
	return ret;
}

static uint32_t kept(const struct demand *demand, const uint32_t *ppm)
{
	unsigned __int128 all = 0, part = 0;

	for (size_t i = 0; i < demand->nr_records; i++) {
		const struct demand_record *rec = &demand->records[i];

		if (rec->op != DEMAND_NOP || !rec->object)
			continue;
		all += rec->think;
		part += (unsigned __int128)rec->think * ppm[rec->task];
	}
	return all ? (uint32_t)(part / all) : FEED_WAIT_ALL;
}

int waits_fit(const struct recording *recording, struct machine *machine,
	      const struct rl_progress *progress, struct feed **feed, uint32_t *kept_ppm,
	      struct rl_msg *msg)
{
	const struct demand *demand = recording->demand;
	struct fit fit = { 0 };
	int ret = make_groups(&fit, demand);

	if (ret)
		rl_fail_errno(msg, -ret, "waits of %u tasks", demand->nr_tasks);
	else
		ret = give_back(&fit, recording, machine, progress, feed, msg);
	if (!ret)
		ret = fit_shares(&fit, recording, machine, progress, feed, msg);
	if (!ret)
		ret = fit_thought(&fit, recording, machine, progress, feed, msg);
	if (!ret)
		*kept_ppm = kept(demand, fit.ppm);
	free(fit.groups);
	free(fit.of);
	free(fit.ppm);
	free(fit.paces);
	return ret;
}
