/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reclaim/policy.h"
#include "replay/engine_event.h"
#include "replay/uml.h"

#define MAX_THREADS	256
#define ENSEMBLE_PPM	10000
#define PPM		1000000
#define NS_PER_S	INT64_C(1000000000)
#define OVERTIME_FACTOR 50 /* a replay longer than this many recordings is given up */
#define OVERTIME_MIN_NS (600 * NS_PER_S)
#define POLL_NS		20000000

struct listener {
	const struct run_job *job;
	struct response_reader *reader;
	struct event ev;
	struct rl_msg msg;
	int error;
};

static void on_event(void *ctx, const struct reclaim_event *from)
{
	struct listener *l = ctx;

	if (l->error || !engine_event_translate(l->job->demand, from, &l->ev))
		return;
	l->error = response_event(l->reader, &l->ev);
	if (!l->error && l->job->event)
		l->error = l->job->event(l->job->ctx, &l->ev, &l->msg);
}

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* The job's machine with its share of the ensemble's spread. */
static struct machine *machine_of(const struct run_job *job, struct run_result *result)
{
	struct machine *machine = malloc(sizeof(*machine));
	int64_t pages;

	if (!machine) {
		result->error = rl_fail_errno(&result->msg, ENOMEM, "machine");
		return NULL;
	}
	*machine = *job->machine;
	machine_fix(machine);
	pages = (int64_t)machine_pages(machine);
	pages += pages * job->memory_ppm / PPM;
	if (job->memory_ppm)
		result->error = machine_resize(machine, (uint64_t)pages, &result->msg);
	return machine;
}

static int populate(struct reclaim_engine *engine, const struct machine *machine,
		    struct reclaim_error *error)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < machine->machine.nr_zones; i++)
		ret = reclaim_engine_populate(engine, i, &machine->initial[i], error);
	return ret;
}

static void take_counters(struct run_result *result, const struct reclaim_engine *engine)
{
	struct response *res = &result->response;

	memcpy(result->counters, reclaim_engine_counters(engine), sizeof(result->counters));
	result->ended = reclaim_engine_now(engine);
	result->hash = reclaim_engine_hash(engine);
	result->records = result->counters[RECLAIM_VM_DEMAND_RECORDS];
	res->refault_anon = result->counters[RECLAIM_VM_WORKINGSET_REFAULT_ANON];
	res->refault_file = result->counters[RECLAIM_VM_WORKINGSET_REFAULT_FILE];
	res->activate_file = result->counters[RECLAIM_VM_WORKINGSET_ACTIVATE_FILE];
}

static int64_t time_limit(const struct run_job *job)
{
	int64_t limit = job->feed->duration;

	limit = limit > INT64_MAX / OVERTIME_FACTOR / 2 ? INT64_MAX / 2 : limit * OVERTIME_FACTOR;
	return limit < OVERTIME_MIN_NS ? OVERTIME_MIN_NS : limit;
}

static void drive(const struct run_job *job, const struct machine *machine,
		  struct reclaim_policy *policy, struct listener *listener,
		  struct feed_cursor *cursor, const struct reclaim_future *future,
		  struct run_result *result)
{
	const struct reclaim_config config = {
		.machine = &machine->machine,
		.profile = machine->profile,
		.policy = policy,
		.seed = job->seed,
		.tasks = job->feed->tasks,
		.nr_tasks = job->feed->nr_tasks,
		.next = feed_next,
		.next_ctx = cursor,
		.future = future,
		.event = on_event,
		.event_ctx = listener,
		.expect_pages = job->feed->nr_pages,
		.expect_files = job->feed->nr_files,
		.stop = job->stop,
		.file_device = machine->machine.nr_devices > FEED_DEVICE_WRITTEN
				       ? job->feed->file_device
				       : NULL,
		.nr_files = job->feed->nr_files,
	};
	struct reclaim_engine *engine = NULL;
	struct reclaim_error error = { "" };
	int ret = reclaim_engine_create(&engine, &config, &error);

	cursor->engine = engine;
	if (!ret)
		ret = populate(engine, machine, &error);
	if (!ret && job->before)
		ret = before_tell(job->before, engine);
	if (!ret)
		ret = reclaim_engine_run(engine, time_limit(job), &error);
	if (ret == -EINTR)
		result->error = rl_fail(&result->msg, EINTR, "interrupted");
	else if (ret < 0)
		result->error = rl_fail(&result->msg, -ret, "replay: %s", error.text);
	else if (listener->error)
		result->error =
			rl_fail(&result->msg, -listener->error, "replay: %s", listener->msg.text);
	else if (!ret)
		result->error = rl_fail(&result->msg, ETIMEDOUT,
					"replay: the work was not done after %lld s",
					(long long)(time_limit(job) / NS_PER_S));
	else
		take_counters(result, engine);
	result->pace = feed_cursor_pace(cursor);
	for (uint32_t i = 0; job->paces && i < job->feed->nr_tasks; i++)
		job->paces[i] = cursor->paces[i];
	reclaim_engine_free(engine);
}

void run_one(const struct run_job *job, struct run_result *result)
{
	struct listener listener = { .job = job };
	struct reclaim_error error = { "" };
	struct reclaim_policy *policy = NULL;
	struct machine *machine = NULL;
	struct feed_cursor cursor = { 0 };
	struct future_cursor future = { 0 };
	int64_t begin = clock_ns();

	memset(result, 0, sizeof(*result));
	result->response.start = job->demand->start;
	result->response.end = UINT64_MAX;
	machine = machine_of(job, result);
	if (result->error)
		goto out;
	if (job->uml) {
		uml_run(job->uml, job, machine, result);
		goto out;
	}
	if (job->policy && *job->policy) {
		policy = reclaim_policy_create(job->policy, &error);
		if (!policy) {
			result->error = rl_fail(&result->msg, EINVAL, "%s", error.text);
			goto out;
		}
	}
	listener.reader = response_reader_new(&result->response);
	if (!listener.reader || feed_cursor_init(&cursor, job->feed)) {
		result->error = rl_fail_errno(&result->msg, ENOMEM, "replay");
		goto out;
	}
	if (policy && reclaim_policy_needs_future(policy) && job->future &&
	    future_cursor_init(&future, job->future, &cursor)) {
		result->error = rl_fail_errno(&result->msg, ENOMEM, "future of the demand");
		goto out;
	}
	drive(job, machine, policy, &listener, &cursor, future.uses ? &future.engine : NULL,
	      result);
out:
	future_cursor_clear(&future);
	feed_cursor_clear(&cursor);
	response_reader_free(listener.reader);
	reclaim_policy_free(policy);
	free(machine);
	result->wall_ns = clock_ns() - begin;
}

void run_result_clear(struct run_result *result)
{
	response_clear(&result->response);
}

struct pool {
	const struct run_job *jobs;
	struct run_result *results;
	unsigned int nr;
	atomic_uint next, done;
	int stop; /* as in struct reclaim_config */
};

static void *worker(void *ctx)
{
	struct pool *pool = ctx;
	unsigned int i;

	while ((i = atomic_fetch_add(&pool->next, 1)) < pool->nr) {
		struct run_job job = pool->jobs[i];

		if (__atomic_load_n(&pool->stop, __ATOMIC_RELAXED)) {
			pool->results[i] = (struct run_result){ .error = -EINTR };
			rl_fail(&pool->results[i].msg, EINTR, "interrupted");
			continue;
		}
		job.stop = &pool->stop;
		run_one(&job, &pool->results[i]);
		atomic_fetch_add(&pool->done, 1);
	}
	return NULL;
}

/* Tell the watcher about finished jobs until the workers are through. */
static int watch(struct pool *pool, const struct rl_progress *progress)
{
	const struct timespec nap = { .tv_nsec = POLL_NS };
	int ret = 0;

	while (atomic_load(&pool->done) < pool->nr && !ret) {
		ret = rl_progress_step(progress, "replays", atomic_load(&pool->done), pool->nr);
		if (!ret)
			nanosleep(&nap, NULL);
	}
	if (ret)
		__atomic_store_n(&pool->stop, 1, __ATOMIC_RELAXED);
	return ret;
}

int run_all(const struct run_job *jobs, struct run_result *results, unsigned int nr,
	    unsigned int threads, const struct rl_progress *progress)
{
	struct pool pool = { .jobs = jobs, .results = results, .nr = nr };
	pthread_t thread[MAX_THREADS];
	unsigned int started = 0;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int ret = 0;

	if (!threads)
		threads = cpus > 0 ? (unsigned int)cpus : 1;
	if (threads > nr)
		threads = nr;
	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	while (started < threads && !pthread_create(&thread[started], NULL, worker, &pool))
		started++;
	if (!started)
		worker(&pool);
	else if (progress)
		ret = watch(&pool, progress);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	return ret;
}

void run_ensemble(const struct run_job *job, struct run_job *jobs, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		jobs[i] = *job;
		jobs[i].seed = i + 1;
		if (!i)
			jobs[i].memory_ppm = 0;
		else if (nr > 2)
			jobs[i].memory_ppm =
				2 * ENSEMBLE_PPM * (int32_t)(i - 1) / (int32_t)(nr - 2) -
				ENSEMBLE_PPM;
		else
			jobs[i].memory_ppm = ENSEMBLE_PPM;
	}
}
