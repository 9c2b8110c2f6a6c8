/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/uml.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/read/counters.h"
#include "capture/read/source.h"
#include "replay/counter_set.h"
#include "replay/engine_event.h"
#include "replay/uml_settings.h"
#include "replay/workload/demand_file.h"

#ifndef RL_LAB_DIR
#error "RL_LAB_DIR: where the lab's scripts are installed"
#endif

#define PATH_SIZE     (PATH_MAX + 64)
#define MAX_ARGUMENTS (UML_MAX_SETTINGS + 16)
#define POLL_NS	      50000000
#define LINE_SIZE     256
#define MARK_BEFORE   "SNAP before"
#define MARK_AFTER    "SNAP after"

/* What reclaim did; and, where a run is stored, what happened to each page. */
#define EVENTS_RECLAIM "vmscan,compaction,oom,migrate,kmem:mm_page_alloc_extfrag"
#define EVENTS_PAGES   EVENTS_RECLAIM ",kmem:mm_page_alloc,kmem:mm_page_free,pagemap,filemap"

extern char **environ;

struct uml {
	const struct demand *demand;
	char script[PATH_SIZE], kernel[PATH_SIZE], dir[PATH_SIZE];
	char demand_file[PATH_SIZE + 16];
	uint32_t *started; /* tasks of the demand that have records, in their order */
	uint32_t nr_started;
};

/* One run of the script: its folder, and what it left there. */
struct visit {
	const struct uml *uml;
	const struct run_job *job;
	char out[PATH_SIZE + 32];
	struct counter_set *before, *after, *reading;
	int32_t first_pid;
	int64_t elapsed, pace;
	struct source *source;
};

/* ---- programs ---- */

/* Run @argv in a process group of its own with its output in @log until it ends or is to stop. */
static int run_program(char **argv, const char *log, const int *stop, int *status)
{
	const struct timespec nap = { .tv_nsec = POLL_NS };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid, ended;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	err = posix_spawn(&pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (err)
		return -err;
	while (!(ended = waitpid(pid, status, WNOHANG))) {
		if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
			kill(-pid, SIGTERM);
		nanosleep(&nap, NULL);
	}
	return ended < 0 ? -errno : 0;
}

/* The last line of @path that is not empty, without its end; "" when there is none. */
static void last_line(const char *path, char *line, size_t size)
{
	char buf[LINE_SIZE];
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return;
	while (fgets(buf, sizeof(buf), file)) {
		buf[strcspn(buf, "\n")] = '\0';
		if (*buf)
			snprintf(line, size, "%s", buf);
	}
	fclose(file);
}

/* ---- opening ---- */

static int find_script(struct uml *uml, struct rl_msg *msg)
{
	const char *dir = getenv("RECLAIMLAB_LAB");

	if (!dir || !*dir)
		dir = RL_LAB_DIR;
	if (snprintf(uml->script, sizeof(uml->script), "%s/uml", dir) >= PATH_MAX)
		return rl_fail(msg, ENAMETOOLONG, "%s", dir);
	if (access(uml->script, X_OK))
		return rl_fail(msg, ENOENT,
			       "no kernel lab in %s: expected its program uml there; "
			       "RECLAIMLAB_LAB names another folder",
			       dir);
	return 0;
}

/* "uml find" prints the path of the kernel that is built, or says how to build it. */
static int find_kernel(struct uml *uml, const char *kernel, struct rl_msg *msg)
{
	char *argv[] = { uml->script, "find", NULL };
	char log[PATH_SIZE + 16], line[LINE_SIZE];
	int status = 0, ret;

	if (kernel) {
		if (!realpath(kernel, uml->kernel) || access(uml->kernel, X_OK))
			return rl_fail(msg, ENOENT, "%s: no User Mode Linux to run", kernel);
		return 0;
	}
	snprintf(log, sizeof(log), "%s/find", uml->dir);
	ret = run_program(argv, log, NULL, &status);
	if (ret)
		return rl_fail_errno(msg, -ret, "%s", uml->script);
	last_line(log, line, sizeof(line));
	if (status || access(line, X_OK))
		return rl_fail(msg, ENOENT, "%s", *line ? line : uml->script);
	snprintf(uml->kernel, sizeof(uml->kernel), "%s", line);
	return 0;
}

/* The demand with the thinking times of the feed, in which each task's records stand in a row. */
static int write_demand(struct uml *uml, const struct feed *feed, struct rl_msg *msg)
{
	struct demand copy = *uml->demand;
	size_t size = copy.nr_records * sizeof(*copy.records);
	uint64_t *at = malloc((feed->nr_tasks + 1) * sizeof(*at));
	int ret;

	copy.records = malloc(size + 1);
	if (!copy.records || !at) {
		ret = rl_fail_errno(msg, ENOMEM, "demand of %zu records", copy.nr_records);
		goto out;
	}
	memcpy(copy.records, uml->demand->records, size);
	memcpy(at, feed->first, feed->nr_tasks * sizeof(*at));
	for (size_t i = 0; i < copy.nr_records; i++) {
		int64_t think = feed->records[at[copy.records[i].task]++].think;

		copy.records[i].think = think > 0 ? (uint64_t)think : 0;
	}
	snprintf(uml->demand_file, sizeof(uml->demand_file), "%s/demand", uml->dir);
	ret = demand_save(&copy, uml->demand_file, true, msg);
out:
	free(copy.records);
	free(at);
	return ret;
}

static int list_tasks(struct uml *uml, struct rl_msg *msg)
{
	const struct demand *demand = uml->demand;
	bool *has = calloc((size_t)demand->nr_tasks + 1, sizeof(*has));

	uml->started = calloc((size_t)demand->nr_tasks + 1, sizeof(*uml->started));
	if (!has || !uml->started) {
		free(has);
		return rl_fail_errno(msg, ENOMEM, "tasks");
	}
	for (size_t i = 0; i < demand->nr_records; i++)
		has[demand->records[i].task] = true;
	for (uint32_t i = 0; i < demand->nr_tasks; i++)
		if (has[i])
			uml->started[uml->nr_started++] = i;
	free(has);
	return 0;
}

int uml_open(const struct demand *demand, const struct feed *feed, const char *kernel,
	     struct uml **out, struct rl_msg *msg)
{
	const char *tmp = getenv("TMPDIR");
	struct uml *uml = calloc(1, sizeof(*uml));
	int ret;

	if (!uml)
		return rl_fail_errno(msg, ENOMEM, "User Mode Linux");
	uml->demand = demand;
	ret = find_script(uml, msg);
	snprintf(uml->dir, sizeof(uml->dir), "%s/reclaimlab-engine.XXXXXX",
		 tmp && *tmp && strlen(tmp) < PATH_MAX ? tmp : "/tmp");
	if (!ret && !mkdtemp(uml->dir)) {
		ret = rl_fail_errno(msg, errno, "%s", uml->dir);
		uml->dir[0] = '\0';
	}
	if (!ret)
		ret = find_kernel(uml, kernel, msg);
	if (!ret)
		ret = write_demand(uml, feed, msg);
	if (!ret)
		ret = list_tasks(uml, msg);
	if (ret)
		uml_close(uml);
	else
		*out = uml;
	return ret;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void uml_close(struct uml *uml)
{
	if (!uml)
		return;
	if (strchr(uml->dir, '/') && !strstr(uml->dir, "XXXXXX"))
		remove_tree(uml->dir);
	free(uml->started);
	free(uml);
}

int uml_check_policy(const char *policy, struct rl_msg *msg)
{
	struct uml_settings settings = { .nr = 0 };

	return uml_settings_policy(&settings, policy, msg);
}

/* ---- a run ---- */

static int perform(struct visit *v, const struct machine *machine, struct rl_msg *msg)
{
	const struct uml *uml = v->uml;
	struct uml_settings settings = { .nr = 0 };
	char *argv[MAX_ARGUMENTS] = {
		(char *)uml->script, "run",	 "--linux",
		(char *)uml->kernel, "--out",	 v->out,
		"--trace",	     "--events", v->job->event ? EVENTS_PAGES : EVENTS_RECLAIM,
	};
	unsigned int argc = 9;
	char log[PATH_SIZE + 48], line[LINE_SIZE];
	int status = 0, ret = uml_settings_machine(&settings, machine, msg);

	if (!ret)
		ret = uml_settings_policy(&settings, v->job->policy, msg);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < settings.nr; i++)
		argv[argc++] = settings.word[i];
	argv[argc] = (char *)uml->demand_file;
	snprintf(log, sizeof(log), "%s.log", v->out);
	ret = run_program(argv, log, v->job->stop, &status);
	if (ret)
		return rl_fail_errno(msg, -ret, "%s", uml->script);
	if (v->job->stop && __atomic_load_n(v->job->stop, __ATOMIC_RELAXED))
		return rl_fail(msg, EINTR, "interrupted");
	last_line(log, line, sizeof(line));
	if (status)
		return rl_fail(msg, EIO, "User Mode Linux: %s",
			       *line ? line : "the run failed without a word");
	return 0;
}

static int read_result(struct visit *v, struct rl_msg *msg)
{
	char path[PATH_SIZE + 48], line[LINE_SIZE], name[64];
	long long value;
	FILE *file;

	snprintf(path, sizeof(path), "%s/result", v->out);
	file = fopen(path, "re");
	if (!file)
		return rl_fail_errno(msg, errno, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %lld", name, &value) != 2)
			continue;
		if (!strcmp(name, "elapsed_ns"))
			v->elapsed = value;
		else if (!strcmp(name, "pace_ns"))
			v->pace = value;
		else if (!strcmp(name, "first_pid"))
			v->first_pid = (int32_t)value;
	}
	fclose(file);
	return 0;
}

static int on_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	return 0;
}

static int on_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	const struct visit *v = ctx;

	if (counter_set_put(v->reading, counters_source_name(value->source), value->scope,
			    value->name, value->value))
		return rl_fail_errno(msg, ENOMEM, "counters");
	return 0;
}

static int read_counters(struct visit *v, const char *name, struct counter_set *set,
			 struct rl_msg *msg)
{
	const struct counters_visitor visitor = { on_snapshot, on_value, v };
	char path[PATH_SIZE + 48];

	snprintf(path, sizeof(path), "%s/%s", v->out, name);
	v->reading = set;
	return counters_read(path, &visitor, msg);
}

static uint64_t delta(const struct visit *v, const char *name)
{
	int64_t from = counter_set_vmstat(v->before, name, 0);
	int64_t to = counter_set_vmstat(v->after, name, 0);

	return to > from ? (uint64_t)(to - from) : 0;
}

/* Several zones' counters of the kernel are one of the engine's. */
static uint64_t zones_delta(const struct visit *v, const char *name)
{
	static const char *const zones[] = { "dma", "dma32", "normal", "movable", "device" };
	char full[64];
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(zones) / sizeof(*zones); i++) {
		snprintf(full, sizeof(full), "%s_%s", name, zones[i]);
		sum += delta(v, full);
	}
	return sum;
}

static void take_counters(const struct visit *v, struct run_result *result)
{
	struct response *res = &result->response;
	uint64_t *counters = result->counters;

	for (int i = 0; i < RECLAIM_NR_COUNTERS; i++)
		counters[i] = delta(v, reclaim_counter_name((enum reclaim_counter)i));
	counters[RECLAIM_VM_ALLOCSTALL] = zones_delta(v, "allocstall");
	counters[RECLAIM_VM_PGALLOC] = zones_delta(v, "pgalloc");
	counters[RECLAIM_VM_STALL_NS] = res->stall_ns;
	counters[RECLAIM_VM_DEMAND_RECORDS] = v->uml->demand->nr_records;
	res->refault_anon = counters[RECLAIM_VM_WORKINGSET_REFAULT_ANON];
	res->refault_file = counters[RECLAIM_VM_WORKINGSET_REFAULT_FILE];
	res->activate_file = counters[RECLAIM_VM_WORKINGSET_ACTIVATE_FILE];
	result->records = v->uml->demand->nr_records;
	result->ended = v->elapsed;
	result->pace = v->pace;
}

/* ---- the trace, in the words of the recording ---- */

static bool is_mark(const struct event *ev, const char *text)
{
	const struct event_string *buf = &ev->string[print_buf];
	size_t len = strlen(text);

	return ev->id == VOCAB_print && event_has(ev, print_buf) && buf->len >= len &&
	       !memcmp(buf->text, text, len);
}

/* Tasks get the thread ids of the recording, the kernel's own those of the engine. */
static int32_t recorded_tid(const struct visit *v, int32_t pid)
{
	int64_t nr = (int64_t)pid - v->first_pid;
	const char *comm;

	if (nr >= 0 && nr < v->uml->nr_started) {
		uint32_t task = v->uml->started[nr];
		int32_t tid = v->uml->demand->tasks[task].tid;

		return tid < 0 ? (int32_t)task + 1 : tid;
	}
	comm = source_comm(v->source, pid);
	if (comm && !strncmp(comm, "kswapd", 6))
		return ENGINE_KSWAPD_TID;
	if (comm && !strncmp(comm, "kcompactd", 9))
		return ENGINE_KCOMPACTD_TID;
	return ENGINE_FLUSHER_TID;
}

static int read_trace(struct visit *v, struct response_reader *reader, struct rl_msg *msg)
{
	const struct run_job *job = v->job;
	char path[PATH_SIZE + 48];
	uint64_t begin = 0;
	struct event ev;
	bool inside = false;
	int ret;

	snprintf(path, sizeof(path), "%s/trace.dat", v->out);
	ret = source_open(path, &v->source, msg);
	if (ret)
		return ret;
	while ((ret = source_next(v->source, &ev, msg)) > 0) {
		if (is_mark(&ev, MARK_AFTER))
			inside = false;
		if (is_mark(&ev, MARK_BEFORE)) {
			inside = true;
			begin = ev.ts;
		}
		if (!inside || ev.id == VOCAB_print)
			continue;
		ev.ts = ev.ts - begin + job->demand->start;
		ev.pid = recorded_tid(v, ev.pid);
		ret = response_event(reader, &ev);
		if (ret)
			return rl_fail_errno(msg, -ret, "%s", path);
		if (job->event)
			ret = job->event(job->ctx, &ev, msg);
		if (ret)
			return ret;
	}
	if (!ret && !begin)
		ret = rl_fail(msg, EBADMSG, "%s: no marker %s", path, MARK_BEFORE);
	return ret;
}

void uml_run(const struct uml *uml, const struct run_job *job, const struct machine *machine,
	     struct run_result *result)
{
	struct visit v = { .uml = uml, .job = job };
	struct response_reader *reader = response_reader_new(&result->response);
	int ret = 0;

	snprintf(v.out, sizeof(v.out), "%s/run.XXXXXX", uml->dir);
	v.before = counter_set_new();
	v.after = counter_set_new();
	if (!reader || !v.before || !v.after)
		ret = rl_fail_errno(&result->msg, ENOMEM, "User Mode Linux");
	else if (!mkdtemp(v.out))
		ret = rl_fail_errno(&result->msg, errno, "%s", v.out);
	if (!ret)
		ret = perform(&v, machine, &result->msg);
	if (!ret)
		ret = read_result(&v, &result->msg);
	if (!ret)
		ret = read_counters(&v, "vmstat.before", v.before, &result->msg);
	if (!ret)
		ret = read_counters(&v, "vmstat.after", v.after, &result->msg);
	if (!ret)
		ret = read_trace(&v, reader, &result->msg);
	if (!ret)
		take_counters(&v, result);
	result->error = ret;
	source_close(v.source);
	remove_tree(v.out);
	counter_set_free(v.before);
	counter_set_free(v.after);
	response_reader_free(reader);
}
