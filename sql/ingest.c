/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/ingest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql/ingest_private.h"

/* What an event does beside its own row, if it has one. */
static ingest_handler *const handlers[VOCAB_NR] = {
	[VOCAB_mm_vmscan_direct_reclaim_begin] = ingest_reclaim_begin,
	[VOCAB_mm_vmscan_direct_reclaim_end] = ingest_reclaim_end,
	[VOCAB_mm_vmscan_memcg_reclaim_begin] = ingest_reclaim_begin,
	[VOCAB_mm_vmscan_memcg_reclaim_end] = ingest_reclaim_end,
	[VOCAB_mm_vmscan_memcg_softlimit_reclaim_begin] = ingest_reclaim_begin,
	[VOCAB_mm_vmscan_memcg_softlimit_reclaim_end] = ingest_reclaim_end,
	[VOCAB_mm_vmscan_node_reclaim_begin] = ingest_reclaim_begin,
	[VOCAB_mm_vmscan_node_reclaim_end] = ingest_reclaim_end,
	[VOCAB_mm_vmscan_lru_isolate] = ingest_scan_isolate,
	[VOCAB_mm_vmscan_memcg_isolate] = ingest_scan_isolate,
	[VOCAB_mm_vmscan_lru_shrink_inactive] = ingest_scan_shrink,
	[VOCAB_mm_vmscan_lru_shrink_active] = ingest_scan_shrink,
	[VOCAB_mm_vmscan_kswapd_wake] = ingest_kswapd_wake,
	[VOCAB_mm_vmscan_kswapd_sleep] = ingest_kswapd_sleep,
	[VOCAB_mm_vmscan_wakeup_kswapd] = ingest_kswapd_wakeup,
	[VOCAB_mm_vmscan_throttled] = ingest_throttle,
	[VOCAB_writeback_congestion_wait] = ingest_throttle,
	[VOCAB_writeback_wait_iff_congested] = ingest_throttle,
	[VOCAB_mm_shrink_slab_start] = ingest_slab_start,
	[VOCAB_mm_shrink_slab_end] = ingest_slab_end,
	[VOCAB_mm_compaction_begin] = ingest_compaction_begin,
	[VOCAB_mm_compaction_end] = ingest_compaction_end,
	[VOCAB_mm_compaction_isolate_migratepages] = ingest_compaction_part,
	[VOCAB_mm_compaction_isolate_freepages] = ingest_compaction_part,
	[VOCAB_mm_compaction_fast_isolate_freepages] = ingest_compaction_part,
	[VOCAB_mm_compaction_migratepages] = ingest_compaction_part,
	[VOCAB_mm_migrate_pages_start] = ingest_migrate_start,
	[VOCAB_mm_migrate_pages] = ingest_migrate_pages,
	[VOCAB_print] = ingest_marker,
	[VOCAB_sched_switch] = ingest_task_event,
	[VOCAB_sched_wakeup] = ingest_task_event,
	[VOCAB_sched_wakeup_new] = ingest_task_event,
	[VOCAB_sched_process_fork] = ingest_task_event,
	[VOCAB_sched_process_exit] = ingest_task_event,
};

void ingest_row_like(int64_t *value, unsigned int nr, const int64_t *like)
{
	memcpy(value, like, STORE_NR_COMMON * sizeof(*value));
	for (unsigned int i = STORE_NR_COMMON; i < nr; i++)
		value[i] = STORE_NULL;
}

void ingest_row(int64_t *value, unsigned int nr, const struct ingest_task *task,
		const struct event *ev)
{
	value[STORE_TS] = (int64_t)ev->ts;
	value[STORE_CPU] = ev->cpu >= 0 ? ev->cpu : STORE_NULL;
	value[STORE_TASK] = task->row;
	for (unsigned int i = STORE_NR_COMMON; i < nr; i++)
		value[i] = STORE_NULL;
}

void ingest_add(int64_t *sum, int64_t add)
{
	if (add == STORE_NULL)
		return;
	if (*sum == STORE_NULL)
		*sum = 0;
	if (__builtin_add_overflow(*sum, add, sum))
		*sum = add < 0 ? INT64_MIN + 1 : INT64_MAX;
}

/* Texts become numbers of the table symbol. */
static int put_strings(struct ingest *ingest, uint32_t strings, const struct event *ev,
		       int64_t *value, struct rl_msg *msg)
{
	for (; strings; strings &= strings - 1) {
		unsigned int slot = (unsigned int)__builtin_ctz(strings);

		if (!event_has(ev, slot))
			continue;
		value[slot] =
			store_symbol(ingest->store, ev->string[slot].text, ev->string[slot].len);
		if (value[slot] < 0)
			return rl_fail_errno(msg, (int)-value[slot], "table symbol");
	}
	return 0;
}

/* The row of an event that is one by itself: its slots are the columns. */
static int put_event(struct ingest *ingest, const struct ingest_task *task,
		     const struct ingest_layout *layout, const struct event *ev, struct rl_msg *msg)
{
	int64_t value[STORE_NR_COMMON + EVENT_SLOTS];
	uint32_t absent = ~ev->have & layout->slots;
	int ret = 0;

	value[STORE_TS] = (int64_t)ev->ts;
	value[STORE_CPU] = ev->cpu >= 0 ? ev->cpu : STORE_NULL;
	value[STORE_TASK] = task->row;
	for (unsigned int i = 0; i < layout->nr; i++)
		value[STORE_NR_COMMON + i] = ev->value[i];
	for (; absent; absent &= absent - 1)
		value[STORE_NR_COMMON + __builtin_ctz(absent)] = STORE_NULL;
	if (layout->strings)
		ret = put_strings(ingest, layout->strings, ev, value + STORE_NR_COMMON, msg);
	return ret ? ret : store_put(ingest->store, (unsigned int)layout->table, value, msg);
}

int ingest_marker(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		  struct rl_msg *msg)
{
	const struct event_string *text = &ev->string[print_buf];
	sqlite3_stmt *insert;
	uint32_t len = text->len;

	if (!event_has(ev, print_buf))
		return 0;
	insert = store_statement(ingest->store,
				 "INSERT INTO marker (run, ts, cpu, task, text)"
				 " VALUES (?, ?, ?, ?, ?)",
				 msg);
	if (!insert)
		return -EIO;
	while (len && (text->text[len - 1] == '\n' || !text->text[len - 1]))
		len--;
	sqlite3_bind_int64(insert, 1, ingest->run);
	sqlite3_bind_int64(insert, 2, (int64_t)ev->ts);
	if (ev->cpu >= 0)
		sqlite3_bind_int(insert, 3, ev->cpu);
	sqlite3_bind_int64(insert, 4, task->row);
	sqlite3_bind_text(insert, 5, text->text, (int)len, SQLITE_TRANSIENT);
	if (sqlite3_step(insert) != SQLITE_DONE)
		return rl_fail(msg, EIO, "table marker: %s",
			       sqlite3_errmsg(store_db(ingest->store)));
	sqlite3_reset(insert);
	return 0;
}

static void lay_out(struct ingest_layout *layout, enum vocab_id id)
{
	const struct vocab_entry *entry = vocab_entry(id);

	layout->table = store_event_table(id);
	layout->nr = entry->nr_fields;
	layout->fast = entry->storage == VOCAB_COLUMNS;
	ingest_bound_slots(entry, layout->bound);
	for (unsigned int i = 0; i < entry->nr_fields; i++) {
		layout->slots |= UINT32_C(1) << i;
		if (entry->fields[i].kind == VOCAB_STRING || entry->fields[i].kind == VOCAB_SYMBOL)
			layout->strings |= UINT32_C(1) << i;
	}
}

int ingest_open(struct store *store, int64_t run, struct ingest **out, struct rl_msg *msg)
{
	struct ingest *ingest = calloc(1, sizeof(*ingest));
	int ret;

	if (!ingest)
		return rl_fail_errno(msg, ENOMEM, "ingest");
	ingest->store = store;
	ingest->run = run;
	ret = ingest_tasks_open(ingest, msg);
	if (ret) {
		ingest_close(ingest);
		return ret;
	}
	for (unsigned int i = 0; i < VOCAB_NR; i++)
		lay_out(&ingest->layout[i], i);
	*out = ingest;
	return 0;
}

void ingest_close(struct ingest *ingest)
{
	if (!ingest)
		return;
	ingest_tasks_close(ingest);
	free(ingest);
}

void ingest_names(struct ingest *ingest, const char *(*comm)(void *ctx, int32_t pid), void *ctx)
{
	ingest->comm = comm;
	ingest->comm_ctx = ctx;
}

void ingest_recorder(struct ingest *ingest, int32_t pid)
{
	ingest->recorder = pid;
}

static void note_time(struct ingest *ingest, struct ingest_task *task, uint64_t ts)
{
	if (!ingest->any || ts < ingest->first)
		ingest->first = ts;
	if (!ingest->any || ts > ingest->last)
		ingest->last = ts;
	ingest->any = true;
	if (ts > task->last)
		task->last = ts;
}

static int take_event(struct ingest *ingest, const struct ingest_layout *layout,
		      const struct event *ev, struct rl_msg *msg)
{
	struct ingest_task *task = ingest_task(ingest, ev->pid, ev->ts);
	int ret = 0;

	if (!task)
		return rl_fail_errno(msg, ENOMEM, "tasks");
	note_time(ingest, task, ev->ts);
	if (ev->comm.len)
		ingest_task_name(task, ev->comm.text, ev->comm.len);
	if (layout->table >= 0)
		ret = put_event(ingest, task, layout, ev, msg);
	if (!ret && handlers[ev->id])
		ret = handlers[ev->id](ingest, task, ev, msg);
	if (!ret && task->kind == INGEST_KSWAPD && !layout->fast)
		ingest_kswapd_active(task, ev);
	return ret;
}

int ingest_event(struct ingest *ingest, const struct event *ev, struct rl_msg *msg)
{
	const struct ingest_layout *layout;
	struct event sound;
	uint32_t unsound;
	int ret;

	if (ev->id >= VOCAB_NR)
		return 0;
	layout = &ingest->layout[ev->id];
	unsound = ingest_unsound(ev, layout->bound);
	if (!unsound)
		return take_event(ingest, layout, ev, msg);
	ret = ingest_damage(ingest, ev, unsound, msg);
	if (ret)
		return ret;
	sound = *ev;
	sound.have &= ~unsound;
	return take_event(ingest, layout, &sound, msg);
}

bool ingest_lacks_shrinks(const struct ingest *ingest)
{
	return ingest->unfinished_seen && !ingest->inactive_seen;
}

static int close_task(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg)
{
	int ret;

	if (!task->work)
		return 0;
	ret = ingest_scan_close(ingest, task, msg);
	if (!ret)
		ret = ingest_slab_close(ingest, task, msg);
	if (!ret)
		ret = ingest_compaction_close(ingest, task, msg);
	if (!ret)
		ret = ingest_migrate_close(ingest, task, msg);
	if (!ret)
		ret = ingest_kswapd_close(ingest, task, msg);
	return ret ? ret : ingest_reclaim_close(ingest, task, msg);
}

int ingest_finish(struct ingest *ingest, uint64_t *start, uint64_t *end, struct rl_msg *msg)
{
	int ret = ingest_tasks_each(ingest, close_task, msg);

	*start = ingest->first;
	*end = ingest->last;
	return ret ? ret : ingest_tasks_write(ingest, msg);
}
