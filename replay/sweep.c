/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/base/map.h"

#define AXIS_VALUES 1000
#define TEXT_SIZE   512
#define LINE_SIZE   2048
#define MAX_AT_ONCE 256

/* One axis: a key and the values that it goes through. */
struct axis {
	char *key;
	char **values;
	unsigned int nr;
};

struct sweep {
	const struct recording *recording;
	struct axis axes[SWEEP_MAX_AXES];
	unsigned int nr_axes;
	struct sweep_point *points;
	unsigned int nr_points;
	unsigned int ensemble;
};

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	for (unsigned int i = 0; i < sweep->nr_axes; i++) {
		for (unsigned int j = 0; j < sweep->axes[i].nr; j++)
			free(sweep->axes[i].values[j]);
		free(sweep->axes[i].values);
		free(sweep->axes[i].key);
	}
	for (unsigned int i = 0; i < sweep->nr_points; i++) {
		free(sweep->points[i].policy);
		free(sweep->points[i].changes);
	}
	free(sweep->points);
	free(sweep);
}

static int axis_value(struct axis *axis, const char *value, struct rl_msg *msg)
{
	if (axis->nr == AXIS_VALUES)
		return rl_fail(msg, EINVAL, "grid: %s has more than %d values", axis->key,
			       AXIS_VALUES);
	axis->values[axis->nr] = strdup(value);
	if (!axis->values[axis->nr])
		return rl_fail_errno(msg, ENOMEM, "grid");
	axis->nr++;
	return 0;
}

/* "10:200:10" */
static int axis_range(struct axis *axis, const char *text, bool *is_range, struct rl_msg *msg)
{
	long long from, to, step;
	char value[32];
	int used = 0, ret = 0;

	*is_range = sscanf(text, "%lld:%lld:%lld%n", &from, &to, &step, &used) == 3 && !text[used];
	if (!*is_range)
		return 0;
	if (step <= 0 || to < from || (to - from) / step >= AXIS_VALUES)
		return rl_fail(msg, EINVAL,
			       "grid: %s=%s: expected from:to:step with from <= to, step > 0 and "
			       "at most %d values",
			       axis->key, text, AXIS_VALUES);
	for (long long v = from; v <= to && !ret; v += step) {
		snprintf(value, sizeof(value), "%lld", v);
		ret = axis_value(axis, value, msg);
	}
	return ret;
}

static int parse_axis(struct axis *axis, char *word, struct rl_msg *msg)
{
	char *equals = strchr(word, '='), *save = NULL;
	bool is_range;
	int ret;

	if (!equals || equals == word || !equals[1])
		return rl_fail(msg, EINVAL, "grid: \"%s\": expected key=value,value", word);
	*equals = '\0';
	axis->key = strdup(word);
	axis->values = calloc(AXIS_VALUES, sizeof(*axis->values));
	if (!axis->key || !axis->values)
		return rl_fail_errno(msg, ENOMEM, "grid");
	ret = axis_range(axis, equals + 1, &is_range, msg);
	if (ret || is_range)
		return ret;
	for (char *v = strtok_r(equals + 1, ",", &save); v && !ret; v = strtok_r(NULL, ",", &save))
		ret = axis_value(axis, v, msg);
	return ret;
}

/* Parameters need a policy that they are of. */
static int check_axes(const struct sweep *sweep, struct rl_msg *msg)
{
	const char *parameter = NULL;

	for (unsigned int i = 0; i < sweep->nr_axes; i++) {
		if (!strcmp(sweep->axes[i].key, "policy"))
			return 0;
		if (!machine_has_key(sweep->axes[i].key))
			parameter = sweep->axes[i].key;
	}
	return parameter ? rl_fail(msg, EINVAL,
				   "grid: %s is no property of the machine; a parameter needs its "
				   "policy, as in \"policy=linear wsf=10,20\"",
				   parameter)
			 : 0;
}

static int parse_grid(struct sweep *sweep, const char *grid, struct rl_msg *msg)
{
	char *copy = strdup(grid), *save = NULL;
	int ret = 0;

	if (!copy)
		return rl_fail_errno(msg, ENOMEM, "grid");
	for (char *word = strtok_r(copy, " \t", &save); word && !ret;
	     word = strtok_r(NULL, " \t", &save)) {
		if (sweep->nr_axes == SWEEP_MAX_AXES)
			ret = rl_fail(msg, EINVAL, "grid: more than %d axes", SWEEP_MAX_AXES);
		else
			ret = parse_axis(&sweep->axes[sweep->nr_axes++], word, msg);
	}
	free(copy);
	if (!ret)
		ret = check_axes(sweep, msg);
	if (!ret && !sweep->nr_axes)
		ret = rl_fail(msg, EINVAL,
			      "grid: expected \"policy=linear,gap-sqrt wsf=10:200:10\"");
	return ret;
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_demand(const struct demand *demand)
{
	return hash_bytes(UINT64_C(0xcbf29ce484222325), demand->records,
			  demand->nr_records * sizeof(*demand->records));
}

/* The contents of the shared objects among the parts of @policy. */
static uint64_t hash_plugins(uint64_t hash, const char *policy)
{
	struct rl_map map;
	struct rl_msg msg;
	char *copy = strdup(policy), *save = NULL;

	for (char *part = copy ? strtok_r(copy, "+", &save) : NULL; part;
	     part = strtok_r(NULL, "+", &save)) {
		part[strcspn(part, ":")] = '\0';
		if (access(part, R_OK) || rl_map_open(part, &map, &msg))
			continue;
		hash = hash_bytes(hash, map.data, map.size);
		rl_map_close(&map);
	}
	free(copy);
	return hash;
}

/* What decides a point's outcome beside its recording (@hash): the point and the ensemble. */
static uint64_t point_id(const struct sweep *sweep, uint64_t hash, const struct sweep_point *point)
{
	hash = hash_bytes(hash, point->policy, strlen(point->policy) + 1);
	hash = hash_plugins(hash, point->policy);
	hash = hash_bytes(hash, point->changes, strlen(point->changes) + 1);
	return hash_bytes(hash, &sweep->ensemble, sizeof(sweep->ensemble));
}

/*
 * Give every point its id. The recording is its demand and what the recorded policy does with it:
 * an engine with other rules, or a machine read otherwise, does something else, and what is in the
 * journal of it counts no more.
 */
static int make_ids(struct sweep *sweep, const struct replay *replay,
		    const struct rl_progress *progress, struct rl_msg *msg)
{
	struct run_result result = { 0 };
	struct run_job job;
	uint64_t hash;
	int ret;

	replay_job(replay, 0, 0, &job);
	ret = run_all(&job, &result, 1, 1, progress);
	if (!ret)
		ret = result.error;
	if (ret)
		*msg = result.msg;
	hash = hash_bytes(hash_demand(sweep->recording->demand), &result.hash, sizeof(result.hash));
	for (unsigned int i = 0; i < sweep->nr_points && !ret; i++)
		sweep->points[i].id = point_id(sweep, hash, &sweep->points[i]);
	run_result_clear(&result);
	return ret;
}

/* The point at which axis i has the value (number / product of sizes before i) % size. */
static int make_point(struct sweep *sweep, unsigned int number, struct sweep_point *point)
{
	char policy[TEXT_SIZE] = "", params[TEXT_SIZE] = "", changes[TEXT_SIZE] = "";
	char full[2 * TEXT_SIZE + 2];

	for (unsigned int i = 0; i < sweep->nr_axes; i++) {
		const struct axis *axis = &sweep->axes[i];
		const char *value = axis->values[number % axis->nr];
		bool machine = machine_has_key(axis->key);
		char *to = machine ? changes : params;
		size_t len = strlen(to);

		number /= axis->nr;
		if (!strcmp(axis->key, "policy"))
			snprintf(policy, sizeof(policy), "%s", value);
		else
			snprintf(to + len, TEXT_SIZE - len, "%s%s=%s",
				 len ? (machine ? " " : ",") : "", axis->key, value);
	}
	snprintf(full, sizeof(full), "%s%s%s", policy, *params ? ":" : "", params);
	point->policy = strdup(full);
	point->changes = strdup(changes);
	return point->policy && point->changes ? 0 : -ENOMEM;
}

static int make_points(struct sweep *sweep, struct rl_msg *msg)
{
	uint64_t total = 1;

	for (unsigned int i = 0; i < sweep->nr_axes; i++) {
		total *= sweep->axes[i].nr;
		if (total > SWEEP_MAX_POINTS)
			return rl_fail(msg, EINVAL, "grid: more than %d points", SWEEP_MAX_POINTS);
	}
	sweep->points = calloc(total, sizeof(*sweep->points));
	if (!sweep->points)
		return rl_fail_errno(msg, ENOMEM, "sweep of %" PRIu64 " points", total);
	while (sweep->nr_points < total) {
		struct sweep_point *point = &sweep->points[sweep->nr_points];

		if (make_point(sweep, sweep->nr_points++, point))
			return rl_fail_errno(msg, ENOMEM, "sweep");
	}
	return 0;
}

static int make_sweep(const struct recording *recording, const char *grid, unsigned int ensemble,
		      struct sweep **out, struct rl_msg *msg)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));
	int ret;

	if (!sweep)
		return rl_fail_errno(msg, ENOMEM, "sweep");
	sweep->recording = recording;
	sweep->ensemble = ensemble;
	ret = parse_grid(sweep, grid, msg);
	if (!ret)
		ret = make_points(sweep, msg);
	if (ret)
		sweep_free(sweep);
	else
		*out = sweep;
	return ret;
}

int sweep_new(const struct recording *recording, const char *grid, unsigned int ensemble,
	      struct sweep **out, struct rl_msg *msg)
{
	return make_sweep(recording, grid, ensemble, out, msg);
}

int sweep_check(const char *grid, struct rl_msg *msg)
{
	struct sweep *sweep = NULL;
	struct rl_msg first, later;
	int ret = make_sweep(NULL, grid, 1, &sweep, msg);
	bool sound = false;

	if (ret)
		return ret;
	for (unsigned int i = 0; i < sweep->nr_points && !sound; i++)
		sound = !replay_check(sweep->points[i].policy, sweep->points[i].changes,
				      i ? &later : &first);
	if (!sound)
		ret = rl_fail(msg, EINVAL, "grid: %s", first.text);
	sweep_free(sweep);
	return ret;
}

unsigned int sweep_nr(const struct sweep *sweep)
{
	return sweep->nr_points;
}

const struct sweep_point *sweep_at(const struct sweep *sweep, unsigned int i)
{
	return &sweep->points[i];
}

/* A line of the journal: id, values. Damaged lines (a kill while writing) are passed over. */
static void take_line(struct sweep *sweep, const char *line)
{
	struct sweep_point p = { 0 };

	if (sscanf(line, "%" SCNx64 " %lf %lf %lf %lf %lf %lf .", &p.id, &p.stalls, &p.refaults,
		   &p.stall_ms, &p.wakes, &p.steal_kswapd, &p.steal_direct) != 7 ||
	    !strstr(line, " .\n"))
		return;
	for (unsigned int i = 0; i < sweep->nr_points; i++) {
		struct sweep_point *to = &sweep->points[i];

		if (to->id != p.id)
			continue;
		to->stalls = p.stalls;
		to->refaults = p.refaults;
		to->stall_ms = p.stall_ms;
		to->wakes = p.wakes;
		to->steal_kswapd = p.steal_kswapd;
		to->steal_direct = p.steal_direct;
		to->done = to->restored = true;
	}
}

static int read_journal(struct sweep *sweep, const char *path, struct rl_msg *msg)
{
	FILE *file = fopen(path, "re");
	char line[LINE_SIZE];

	if (!file)
		return errno == ENOENT ? 0 : rl_fail_errno(msg, errno, "%s", path);
	while (fgets(line, sizeof(line), file))
		take_line(sweep, line);
	fclose(file);
	return 0;
}

/* For appending, behind a line of its own where a kill cut the last one. */
static int open_journal(const char *path, FILE **out, struct rl_msg *msg)
{
	FILE *file = fopen(path, "a+e");

	if (!file)
		return rl_fail_errno(msg, errno, "%s", path);
	if (!fseek(file, -1, SEEK_END)) {
		bool whole = fgetc(file) == '\n';

		fseek(file, 0, SEEK_END);
		if (!whole)
			fputc('\n', file);
	}
	*out = file;
	return 0;
}

static int append_journal(const struct sweep_point *p, FILE *file)
{
	if (!file || p->error[0])
		return 0;
	fprintf(file, "%016" PRIx64 " %.1f %.1f %.3f %.1f %.1f %.1f .\n", p->id, p->stalls,
		p->refaults, p->stall_ms, p->wakes, p->steal_kswapd, p->steal_direct);
	return fflush(file) ? -errno : 0;
}

static double median_of(const struct replay *replay, unsigned int variant, enum grade_metric metric)
{
	struct grade_range range;

	grade_ensemble(replay->variants[variant].results[0], replay->ensemble, metric, &range);
	return range.known ? range.median : 0;
}

static void take_results(const struct replay *replay, unsigned int variant,
			 struct sweep_point *point)
{
	const struct run_result *results = replay->variants[variant].results[0];

	point->done = true;
	for (unsigned int i = 0; i < replay->ensemble; i++)
		if (results[i].error)
			snprintf(point->error, sizeof(point->error), "%.127s", results[i].msg.text);
	point->stalls = median_of(replay, variant, GRADE_STALLS);
	point->stall_ms = median_of(replay, variant, GRADE_STALL_TIME);
	point->refaults = median_of(replay, variant, GRADE_REFAULT_FILE) +
			  median_of(replay, variant, GRADE_REFAULT_ANON);
	point->wakes = median_of(replay, variant, GRADE_WAKES);
	point->steal_kswapd = median_of(replay, variant, GRADE_STEAL_KSWAPD);
	point->steal_direct = median_of(replay, variant, GRADE_STEAL_DIRECT);
}

static void mark_front(struct sweep *sweep)
{
	for (unsigned int i = 0; i < sweep->nr_points; i++) {
		struct sweep_point *p = &sweep->points[i];

		p->pareto = p->done && !p->error[0];
		for (unsigned int j = 0; j < sweep->nr_points && p->pareto; j++) {
			const struct sweep_point *q = &sweep->points[j];

			if (q->done && !q->error[0] && q->stalls <= p->stalls &&
			    q->refaults <= p->refaults &&
			    (q->stalls < p->stalls || q->refaults < p->refaults))
				p->pareto = false;
		}
	}
}

/* Replays of one point report as the sweep does, by points. */
struct point_progress {
	const struct rl_progress *sweep;
	unsigned int at, nr;
};

static int report_point(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	const struct point_progress *p = ctx;

	return rl_progress_step(p->sweep, "points", p->at, p->nr);
}

/*
 * Some points at once, so that small ensembles keep every CPU busy. A point's policy or machine
 * that the replay refuses is that point's error alone.
 */
static int run_points(struct replay *replay, struct sweep_point **points, unsigned int nr,
		      unsigned int threads, const struct rl_progress *progress, struct rl_msg *msg)
{
	unsigned int variant = 1;
	int ret = 0;

	for (unsigned int i = 0; i < nr && !ret; i++) {
		ret = replay_add(replay, points[i]->policy, points[i]->changes, msg);
		if (ret != -EINVAL)
			continue;
		snprintf(points[i]->error, sizeof(points[i]->error), "%.127s", msg->text);
		points[i]->done = true;
		ret = 0;
	}
	if (!ret)
		ret = replay_run_since(replay, 1, threads, progress, msg);
	for (unsigned int i = 0; i < nr && !ret; i++)
		if (!points[i]->done)
			take_results(replay, variant++, points[i]);
	replay_drop_since(replay, 1);
	return ret;
}

/* How many points give every thread a replay. */
static unsigned int points_at_once(const struct sweep *sweep, unsigned int threads)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!threads)
		threads = cpus > 0 ? (unsigned int)cpus : 1;
	if (threads > MAX_AT_ONCE)
		threads = MAX_AT_ONCE;
	return (threads + sweep->ensemble - 1) / sweep->ensemble;
}

static int run_missing(struct sweep *sweep, struct replay *replay, FILE *journal,
		       unsigned int threads, const struct rl_progress *progress, struct rl_msg *msg)
{
	unsigned int at_once = points_at_once(sweep, threads), i = 0;
	int ret = 0;

	while (i < sweep->nr_points && !ret) {
		struct sweep_point *points[MAX_AT_ONCE];
		struct point_progress place = { progress, i, sweep->nr_points };
		const struct rl_progress here = { report_point, &place };
		unsigned int nr = 0;

		if (rl_progress_step(&here, NULL, 0, 0))
			return rl_fail(msg, EINTR, "interrupted");
		for (; i < sweep->nr_points && nr < at_once; i++)
			if (!sweep->points[i].done)
				points[nr++] = &sweep->points[i];
		if (nr)
			ret = run_points(replay, points, nr, threads, &here, msg);
		for (unsigned int k = 0; k < nr && !ret; k++)
			if (append_journal(points[k], journal))
				ret = rl_fail_errno(msg, EIO, "journal");
	}
	return ret;
}

int sweep_run(struct sweep *sweep, const char *path, unsigned int threads,
	      const struct rl_progress *progress, struct rl_msg *msg)
{
	struct replay *replay = NULL;
	FILE *journal = NULL;
	int ret = replay_new(sweep->recording, sweep->ensemble, false, progress, &replay, msg);

	if (!ret)
		ret = make_ids(sweep, replay, progress, msg);
	if (!ret && path)
		ret = read_journal(sweep, path, msg);
	if (!ret && path)
		ret = open_journal(path, &journal, msg);
	if (!ret)
		ret = run_missing(sweep, replay, journal, threads, progress, msg);
	if (journal)
		fclose(journal);
	replay_free(replay);
	mark_front(sweep);
	return ret;
}
