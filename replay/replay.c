/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "reclaim/policy.h"
#include "replay/uml.h"
#include "replay/waits.h"

#define ANY_KERNEL "6.12"
#define ANY_SIZE   "16G"

static const char *const cost_factors[REPLAY_COSTS] = { "1x", "0.5x", "2x" };

static void variant_clear(struct replay_variant *variant, unsigned int ensemble)
{
	for (int cost = 0; cost < REPLAY_COSTS; cost++) {
		for (unsigned int i = 0; variant->results[cost] && i < ensemble; i++)
			run_result_clear(&variant->results[cost][i]);
		free(variant->results[cost]);
	}
	free(variant->policy);
	free(variant->changes);
	free(variant->machine);
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	for (unsigned int i = 0; i < replay->nr_variants; i++)
		variant_clear(&replay->variants[i], replay->ensemble);
	free(replay->variants);
	feed_free(replay->feed);
	uml_close(replay->uml);
	before_free(replay->before);
	future_free(replay->future);
	free(replay);
}

static int add_variant(struct replay *replay, const char *policy, const char *changes,
		       const struct machine *machine, struct rl_msg *msg)
{
	struct replay_variant *variant;

	if (replay->nr_variants == REPLAY_MAX_VARIANTS)
		return rl_fail(msg, E2BIG, "more than %d variants", REPLAY_MAX_VARIANTS);
	if (rl_array_room(&replay->variants, &replay->room_variants, replay->nr_variants,
			  sizeof(*replay->variants)))
		return rl_fail_errno(msg, ENOMEM, "replay");
	variant = &replay->variants[replay->nr_variants];
	*variant = (struct replay_variant){ .policy = strdup(policy),
					    .changes = strdup(changes),
					    .machine = malloc(sizeof(*machine)) };
	if (!variant->policy || !variant->changes || !variant->machine) {
		variant_clear(variant, 0);
		return rl_fail_errno(msg, ENOMEM, "replay");
	}
	*variant->machine = *machine;
	machine_fix(variant->machine);
	replay->nr_variants++;
	return 0;
}

int replay_new(const struct recording *recording, unsigned int ensemble, bool sensitivity,
	       const struct rl_progress *progress, struct replay **out, struct rl_msg *msg)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	struct machine *machine = malloc(sizeof(*machine));
	int ret = -ENOMEM;

	if (!replay || !machine) {
		rl_fail_errno(msg, ENOMEM, "replay");
		goto out;
	}
	replay->recording = recording;
	replay->ensemble = ensemble;
	replay->sensitivity = sensitivity;
	if (!ensemble || ensemble > REPLAY_MAX_ENSEMBLE) {
		ret = rl_fail(msg, EINVAL, "an ensemble of %u: expected 1..%d", ensemble,
			      REPLAY_MAX_ENSEMBLE);
		goto out;
	}
	ret = machine_from_recording(recording, machine, msg);
	if (!ret)
		ret = waits_fit(recording, machine, progress, &replay->feed, &replay->wait_ppm,
				msg);
	if (!ret)
		ret = before_new(recording->demand, &replay->before, msg);
	if (!ret)
		ret = add_variant(replay, "", "", machine, msg);
out:
	free(machine);
	if (ret)
		replay_free(replay);
	else
		*out = replay;
	return ret;
}

int replay_use_uml(struct replay *replay, const char *kernel, struct rl_msg *msg)
{
	return uml_open(replay->recording->demand, replay->feed, kernel, &replay->uml, msg);
}

static struct reclaim_policy *make_policy(const char *policy, struct rl_msg *msg)
{
	struct reclaim_error error = { "" };
	struct reclaim_policy *made = reclaim_policy_create(policy, &error);

	if (!made)
		rl_fail(msg, EINVAL, "%s", error.text);
	return made;
}

static int check_policy(struct replay *replay, const char *policy, struct rl_msg *msg)
{
	struct reclaim_policy *made;
	int ret = 0;

	if (!*policy)
		return 0;
	made = make_policy(policy, msg);
	if (!made)
		return -EINVAL;
	if (reclaim_policy_needs_future(made) && !replay->future)
		ret = future_new(replay->recording->demand, &replay->future, msg);
	reclaim_policy_free(made);
	if (!ret && replay->uml)
		ret = uml_check_policy(policy, msg);
	return ret;
}

int replay_check(const char *policy, const char *changes, struct rl_msg *msg)
{
	struct machine *machine = malloc(sizeof(*machine));
	struct reclaim_policy *made;
	int ret;

	if (!machine)
		return rl_fail_errno(msg, ENOMEM, "replay");
	ret = machine_of_size(ANY_KERNEL, ANY_SIZE, machine, msg);
	if (!ret)
		ret = machine_apply(machine, changes, msg);
	free(machine);
	if (ret || !*policy)
		return ret;
	made = make_policy(policy, msg);
	reclaim_policy_free(made);
	return made ? 0 : -EINVAL;
}

int replay_add(struct replay *replay, const char *policy, const char *changes, struct rl_msg *msg)
{
	struct machine *machine = malloc(sizeof(*machine));
	int ret;

	if (!machine)
		return rl_fail_errno(msg, ENOMEM, "replay");
	*machine = *replay->variants[0].machine;
	ret = check_policy(replay, policy, msg);
	if (!ret)
		ret = machine_apply(machine, changes, msg);
	if (!ret)
		ret = add_variant(replay, policy, changes, machine, msg);
	free(machine);
	return ret;
}

static void ensemble_job(const struct replay *replay, unsigned int variant, struct run_job *job)
{
	*job = (struct run_job){
		.demand = replay->recording->demand,
		.feed = replay->feed,
		.before = replay->before,
		.future = replay->future,
		.uml = replay->uml,
		.machine = replay->variants[variant].machine,
		.policy = replay->variants[variant].policy,
	};
}

void replay_job(const struct replay *replay, unsigned int variant, unsigned int member,
		struct run_job *job)
{
	struct run_job one, all[REPLAY_MAX_ENSEMBLE];

	ensemble_job(replay, variant, &one);
	run_ensemble(&one, all, replay->ensemble);
	*job = all[member];
}

struct batch {
	struct run_job *jobs;
	struct run_result *results;
	struct machine *machines; /* with other costs */
	unsigned int nr;
};

static int make_batch(const struct replay *replay, struct batch *batch, struct rl_msg *msg)
{
	unsigned int costs = replay->sensitivity ? REPLAY_COSTS : 1, n = replay->ensemble;
	size_t total = (size_t)replay->nr_variants * costs * n;
	int ret = 0;

	batch->jobs = calloc(total, sizeof(*batch->jobs));
	batch->results = calloc(total, sizeof(*batch->results));
	batch->machines = calloc((size_t)replay->nr_variants * costs, sizeof(*batch->machines));
	if (!batch->jobs || !batch->results || !batch->machines)
		return rl_fail_errno(msg, ENOMEM, "%zu replays", total);
	for (unsigned int v = 0; v < replay->nr_variants; v++)
		for (unsigned int c = 0; c < costs && !ret; c++) {
			struct machine *machine = &batch->machines[v * costs + c];
			struct run_job job;

			*machine = *replay->variants[v].machine;
			machine_fix(machine);
			ret = machine_change(machine, "costs", cost_factors[c], msg);
			ensemble_job(replay, v, &job);
			job.machine = machine;
			run_ensemble(&job, &batch->jobs[batch->nr], n);
			batch->nr += n;
		}
	return ret;
}

/* Hand the results to their variants. */
static int deal_results(struct replay *replay, const struct batch *batch, struct rl_msg *msg)
{
	unsigned int costs = replay->sensitivity ? REPLAY_COSTS : 1, n = replay->ensemble, at = 0;

	for (unsigned int v = 0; v < replay->nr_variants; v++)
		for (unsigned int c = 0; c < costs; c++, at += n) {
			struct run_result **to = &replay->variants[v].results[c];

			*to = calloc(n, sizeof(**to));
			if (!*to)
				return rl_fail_errno(msg, ENOMEM, "replay");
			memcpy(*to, &batch->results[at], n * sizeof(**to));
			memset(&batch->results[at], 0, n * sizeof(**to));
		}
	return 0;
}

int replay_run(struct replay *replay, unsigned int threads, const struct rl_progress *progress,
	       struct rl_msg *msg)
{
	const struct recording *rec = replay->recording;
	struct batch batch = { 0 };
	int ret = make_batch(replay, &batch, msg);

	if (!ret && run_all(batch.jobs, batch.results, batch.nr, threads, progress))
		ret = rl_fail(msg, EINTR, "interrupted");
	if (!ret)
		ret = deal_results(replay, &batch, msg);
	if (!ret)
		grade_compute(rec->answered ? &rec->response : NULL, replay->feed->pace,
			      replay->variants[0].results[0], replay->ensemble, &replay->grade);
	for (unsigned int i = 0; batch.results && i < batch.nr; i++)
		run_result_clear(&batch.results[i]);
	free(batch.jobs);
	free(batch.results);
	free(batch.machines);
	return ret;
}

int replay_run_since(struct replay *replay, unsigned int first, unsigned int threads,
		     const struct rl_progress *progress, struct rl_msg *msg)
{
	unsigned int n = replay->ensemble, nr = (replay->nr_variants - first) * n;
	struct run_job one, *jobs = calloc(nr + 1, sizeof(*jobs));
	struct run_result *results = calloc(nr + 1, sizeof(*results));
	int ret = 0;

	if (!jobs || !results)
		ret = rl_fail_errno(msg, ENOMEM, "%u replays", nr);
	for (unsigned int v = first; v < replay->nr_variants && !ret; v++) {
		ensemble_job(replay, v, &one);
		run_ensemble(&one, &jobs[(v - first) * n], n);
		replay->variants[v].results[0] = calloc(n, sizeof(*results));
		if (!replay->variants[v].results[0])
			ret = rl_fail_errno(msg, ENOMEM, "%u replays", nr);
	}
	if (!ret && run_all(jobs, results, nr, threads, progress))
		ret = rl_fail(msg, EINTR, "interrupted");
	for (unsigned int i = 0; results && i < nr; i++)
		if (!ret)
			replay->variants[first + i / n].results[0][i % n] = results[i];
		else
			run_result_clear(&results[i]);
	free(jobs);
	free(results);
	return ret;
}

void replay_drop_since(struct replay *replay, unsigned int first)
{
	while (replay->nr_variants > first && replay->nr_variants > 1)
		variant_clear(&replay->variants[--replay->nr_variants], replay->ensemble);
}

int replay_ranking(const struct replay *replay, unsigned int a, unsigned int b,
		   enum grade_metric metric)
{
	unsigned int costs = replay->sensitivity ? REPLAY_COSTS : 1;
	int answer = 0;

	for (unsigned int c = 0; c < costs; c++) {
		struct grade_range ra, rb;
		int here;

		grade_ensemble(replay->variants[a].results[c], replay->ensemble, metric, &ra);
		grade_ensemble(replay->variants[b].results[c], replay->ensemble, metric, &rb);
		if (!grade_separates(&ra, &rb))
			return 0;
		here = ra.median < rb.median ? 1 : -1;
		if (answer && here != answer)
			return 0;
		answer = here;
	}
	return answer;
}
