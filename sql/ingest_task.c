/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thread lives of a run: a compact hash from thread id to the present life (see ingest.h). */
#include "sql/ingest_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK	   1024 /* lives in one allocation, so that pointers to them stay good */
#define HASH_FIRST 1024 /* a power of two */

struct ingest_tasks {
	struct ingest_task **chunk;
	size_t nr_chunks, nr;
	struct ingest_task **hash; /* open addressing, NULL: free */
	size_t hash_size, hash_used;
	struct ingest_task *recent;
	int64_t base; /* row of the first life */
};

static const char *const kind_names[INGEST_NR_KINDS] = {
	[INGEST_UNKNOWN] = "unknown",	    [INGEST_USER] = "user",
	[INGEST_KSWAPD] = "kswapd",	    [INGEST_KCOMPACTD] = "kcompactd",
	[INGEST_KHUGEPAGED] = "khugepaged", [INGEST_KWORKER] = "kworker",
	[INGEST_RECORDER] = "recorder",
};

/* Names that end in "*" are beginnings that a digit must follow. */
static const struct {
	const char *comm;
	enum ingest_kind kind;
} kinds_by_comm[] = {
	{ "kswapd*", INGEST_KSWAPD },	     { "kcompactd*", INGEST_KCOMPACTD },
	{ "khugepaged", INGEST_KHUGEPAGED }, { "kworker/*", INGEST_KWORKER },
	{ "kworker/u*", INGEST_KWORKER },    { "trace-cmd", INGEST_RECORDER },
	{ "reclaimlab", INGEST_RECORDER },
};

static bool comm_matches(const char *pattern, const char *comm)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] != '*')
		return !strcmp(pattern, comm);
	return !strncmp(pattern, comm, len - 1) && comm[len - 1] >= '0' && comm[len - 1] <= '9';
}

static enum ingest_kind kind_by_comm(const char *comm)
{
	for (size_t i = 0; i < sizeof(kinds_by_comm) / sizeof(kinds_by_comm[0]); i++)
		if (comm_matches(kinds_by_comm[i].comm, comm))
			return kinds_by_comm[i].kind;
	return INGEST_USER;
}

void ingest_task_name(struct ingest_task *task, const char *comm, size_t len)
{
	len = strnlen(comm, len);
	if (!len || (len == 5 && !memcmp(comm, "<...>", 5)))
		return;
	if (len >= INGEST_COMM_SIZE)
		len = INGEST_COMM_SIZE - 1;
	if (!strncmp(task->comm, comm, len) && !task->comm[len])
		return;
	memcpy(task->comm, comm, len);
	task->comm[len] = '\0';
	if (task->by_name)
		task->kind = kind_by_comm(task->comm);
}

void ingest_task_is(struct ingest_task *task, enum ingest_kind kind)
{
	task->kind = kind;
	task->by_name = false;
}

struct ingest_work *ingest_task_work(struct ingest_task *task)
{
	if (!task->work)
		task->work = calloc(1, sizeof(*task->work));
	return task->work;
}

static size_t hash_pid(int32_t pid, size_t size)
{
	return (uint32_t)pid * UINT32_C(2654435761) >> 7 & (size - 1);
}

/* The place of @pid: that of its life or the free one where it would be. */
static struct ingest_task **hash_slot(const struct ingest_tasks *tasks, int32_t pid)
{
	size_t i = hash_pid(pid, tasks->hash_size);

	while (tasks->hash[i] && tasks->hash[i]->pid != pid)
		i = (i + 1) & (tasks->hash_size - 1);
	return &tasks->hash[i];
}

static int hash_grow(struct ingest_tasks *tasks)
{
	struct ingest_task **old = tasks->hash;
	size_t old_size = tasks->hash_size;
	struct ingest_task **grown = calloc(2 * old_size, sizeof(struct ingest_task *));

	if (!grown)
		return -ENOMEM;
	tasks->hash = grown;
	tasks->hash_size = 2 * old_size;
	for (size_t i = 0; i < old_size; i++)
		if (old[i])
			*hash_slot(tasks, old[i]->pid) = old[i];
	free(old);
	return 0;
}

/* A new life of @pid, in the place @slot of the hash. */
static struct ingest_task *new_life(struct ingest *ingest, struct ingest_task **slot, int32_t pid,
				    uint64_t ts)
{
	struct ingest_tasks *tasks = ingest->tasks;
	struct ingest_task *task;
	const char *comm;

	if (tasks->nr == tasks->nr_chunks * CHUNK) {
		size_t size = (tasks->nr_chunks + 1) * sizeof(struct ingest_task *);
		struct ingest_task **grown = realloc(tasks->chunk, size);

		if (!grown)
			return NULL;
		tasks->chunk = grown;
		grown[tasks->nr_chunks] = calloc(CHUNK, sizeof(struct ingest_task));
		if (!grown[tasks->nr_chunks])
			return NULL;
		tasks->nr_chunks++;
	}
	task = &tasks->chunk[tasks->nr / CHUNK][tasks->nr % CHUNK];
	task->row = tasks->base + (int64_t)tasks->nr++;
	task->pid = pid;
	task->first = ts;
	task->last = ts;
	task->by_name = true;
	*slot = task;
	comm = ingest->comm ? ingest->comm(ingest->comm_ctx, pid) : NULL;
	if (comm)
		ingest_task_name(task, comm, INGEST_COMM_SIZE);
	if (ingest->recorder && pid == ingest->recorder)
		ingest_task_is(task, INGEST_RECORDER);
	return task;
}

struct ingest_task *ingest_task_find(struct ingest *ingest, int32_t pid)
{
	return *hash_slot(ingest->tasks, pid);
}

struct ingest_task *ingest_task(struct ingest *ingest, int32_t pid, uint64_t ts)
{
	struct ingest_tasks *tasks = ingest->tasks;
	struct ingest_task **slot;

	if (tasks->recent && tasks->recent->pid == pid)
		return tasks->recent;
	slot = hash_slot(tasks, pid);
	if (!*slot) {
		if (2 * ++tasks->hash_used > tasks->hash_size) {
			if (hash_grow(tasks))
				return NULL;
			slot = hash_slot(tasks, pid);
		}
		if (!new_life(ingest, slot, pid, ts))
			return NULL;
	}
	tasks->recent = *slot;
	return *slot;
}

/* @pid begins a new life if its old one has ended, or if @born says that it must have. */
static struct ingest_task *rebirth(struct ingest *ingest, int32_t pid, uint64_t ts, bool born)
{
	struct ingest_task **slot = hash_slot(ingest->tasks, pid);

	if (!*slot)
		return ingest_task(ingest, pid, ts);
	if (!(*slot)->exited && !born)
		return *slot;
	ingest->tasks->recent = NULL;
	return new_life(ingest, slot, pid, ts);
}

static int name_from(struct ingest *ingest, int32_t pid, const struct event *ev, unsigned int slot,
		     bool born, struct rl_msg *msg)
{
	struct ingest_task *task;

	if (!event_has(ev, slot) || pid <= 0)
		return 0;
	task = rebirth(ingest, pid, ev->ts, born);
	if (!task)
		return rl_fail_errno(msg, ENOMEM, "tasks");
	ingest_task_name(task, ev->string[slot].text, ev->string[slot].len);
	return 0;
}

int ingest_task_event(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		      struct rl_msg *msg)
{
	switch (ev->id) {
	case VOCAB_sched_switch:
		return name_from(ingest, (int32_t)ev->value[sched_switch_next_pid], ev,
				 sched_switch_next_comm, false, msg);
	case VOCAB_sched_wakeup:
		return name_from(ingest, (int32_t)ev->value[sched_wakeup_pid], ev,
				 sched_wakeup_comm, false, msg);
	case VOCAB_sched_wakeup_new:
		return name_from(ingest, (int32_t)ev->value[sched_wakeup_new_pid], ev,
				 sched_wakeup_new_comm, false, msg);
	case VOCAB_sched_process_fork:
		return name_from(ingest, (int32_t)ev->value[sched_process_fork_child_pid], ev,
				 sched_process_fork_child_comm, true, msg);
	case VOCAB_sched_process_exit:
		ingest_task_name(task, ev->string[sched_process_exit_comm].text,
				 ev->string[sched_process_exit_comm].len);
		task->exited = true;
		return 0;
	default:
		return 0;
	}
}

int ingest_tasks_each(struct ingest *ingest,
		      int (*each)(struct ingest *ingest, struct ingest_task *task,
				  struct rl_msg *msg),
		      struct rl_msg *msg)
{
	struct ingest_tasks *tasks = ingest->tasks;
	int ret = 0;

	for (size_t i = 0; i < tasks->nr && !ret; i++)
		ret = each(ingest, &tasks->chunk[i / CHUNK][i % CHUNK], msg);
	return ret;
}

static int write_task(struct ingest *ingest, sqlite3_stmt *insert, struct ingest_task *task,
		      struct rl_msg *msg)
{
	const char *comm =
		ingest->comm && !task->comm[0] ? ingest->comm(ingest->comm_ctx, task->pid) : NULL;

	if (comm)
		ingest_task_name(task, comm, INGEST_COMM_SIZE);
	sqlite3_reset(insert);
	sqlite3_bind_int64(insert, 1, task->row);
	sqlite3_bind_int64(insert, 2, ingest->run);
	sqlite3_bind_int64(insert, 3, task->pid);
	if (task->comm[0])
		sqlite3_bind_text(insert, 4, task->comm, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(insert, 4);
	sqlite3_bind_text(insert, 5, kind_names[task->kind], -1, SQLITE_STATIC);
	sqlite3_bind_int64(insert, 6, (int64_t)task->first);
	sqlite3_bind_int64(insert, 7, (int64_t)task->last);
	if (sqlite3_step(insert) != SQLITE_DONE)
		return rl_fail(msg, EIO, "table task: %s", sqlite3_errmsg(store_db(ingest->store)));
	return 0;
}

int ingest_tasks_write(struct ingest *ingest, struct rl_msg *msg)
{
	struct ingest_tasks *tasks = ingest->tasks;
	sqlite3_stmt *insert;
	int ret = 0;

	insert = store_statement(ingest->store,
				 "INSERT INTO task (task, run, tid, comm, kind, first, last)"
				 " VALUES (?, ?, ?, ?, ?, ?, ?)",
				 msg);
	if (!insert)
		return -EIO;
	for (size_t i = 0; i < tasks->nr && !ret; i++)
		ret = write_task(ingest, insert, &tasks->chunk[i / CHUNK][i % CHUNK], msg);
	return ret;
}

int ingest_tasks_open(struct ingest *ingest, struct rl_msg *msg)
{
	struct ingest_tasks *tasks = calloc(1, sizeof(*tasks));
	sqlite3_stmt *query;

	ingest->tasks = tasks;
	if (!tasks)
		return rl_fail_errno(msg, ENOMEM, "tasks");
	tasks->hash_size = HASH_FIRST;
	tasks->hash = calloc(HASH_FIRST, sizeof(struct ingest_task *));
	if (!tasks->hash)
		return rl_fail_errno(msg, ENOMEM, "tasks");
	query = store_statement(ingest->store, "SELECT coalesce(max(task), 0) + 1 FROM task", msg);
	if (!query)
		return -EIO;
	if (sqlite3_step(query) != SQLITE_ROW)
		return rl_fail(msg, EIO, "table task: %s", sqlite3_errmsg(store_db(ingest->store)));
	tasks->base = sqlite3_column_int64(query, 0);
	sqlite3_reset(query);
	return 0;
}

void ingest_tasks_close(struct ingest *ingest)
{
	struct ingest_tasks *tasks = ingest->tasks;

	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->nr; i++)
		free(tasks->chunk[i / CHUNK][i % CHUNK].work);
	for (size_t i = 0; i < tasks->nr_chunks; i++)
		free(tasks->chunk[i]);
	free(tasks->chunk);
	free(tasks->hash);
	free(tasks);
}
