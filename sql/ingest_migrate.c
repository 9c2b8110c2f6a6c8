/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of migrate_pages: the start event exists from 5.13 on. */
#include "sql/ingest_private.h"

#include <errno.h>

enum { BEGUN = 1, ENDED = 2 };

int ingest_migrate_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg)
{
	struct ingest_migrate_open *open = &task->work->migrate;

	if (!open->present)
		return 0;
	open->present = false;
	return store_put(ingest->store, STORE_TABLE_migrate, open->value, msg);
}

int ingest_migrate_start(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			 struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	int64_t *row;
	int ret;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "migrations");
	ret = ingest_migrate_close(ingest, task, msg);
	if (ret)
		return ret;
	row = work->migrate.value;
	ingest_row(row, store_migrate_nr, task, ev);
	row[store_migrate_mode] = ingest_value(ev, mm_migrate_pages_start_mode);
	row[store_migrate_reason] = ingest_value(ev, mm_migrate_pages_start_reason);
	row[store_migrate_paired] = BEGUN;
	work->migrate.present = true;
	return 0;
}

int ingest_migrate_pages(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			 struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	int64_t *row;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "migrations");
	row = work->migrate.value;
	if (work->migrate.present && !ingest_is_behind(row, ev)) {
		int ret = ingest_migrate_close(ingest, task, msg);

		if (ret)
			return ret;
	}
	if (work->migrate.present) {
		row[store_migrate_dur] = (int64_t)ev->ts - row[STORE_TS];
	} else {
		ingest_row(row, store_migrate_nr, task, ev);
		row[store_migrate_paired] = 0;
	}
	row[store_migrate_succeeded] = ingest_value(ev, mm_migrate_pages_succeeded);
	row[store_migrate_failed] = ingest_value(ev, mm_migrate_pages_failed);
	row[store_migrate_mode] = ingest_value(ev, mm_migrate_pages_mode);
	row[store_migrate_reason] = ingest_value(ev, mm_migrate_pages_reason);
	row[store_migrate_paired] |= ENDED;
	work->migrate.present = true;
	return ingest_migrate_close(ingest, task, msg);
}
