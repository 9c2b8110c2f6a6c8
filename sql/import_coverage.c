/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording holds of each event, and what it lost. */
#include <errno.h>
#include <string.h>

#include "sql/import_private.h"
#include "sql/store_internal.h"

struct coverage_row {
	const char *system, *event, *recorded_as, *state, *missing, *stored_in;
	uint64_t records;
};

static int put_coverage(struct store *store, int64_t run, const struct coverage_row *row,
			struct rl_msg *msg)
{
	sqlite3_stmt *insert;
	int rc;

	insert = store_statement(store,
				 "INSERT INTO coverage (run, system, event, recorded_as, state,"
				 " records, missing, stored_in) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
				 msg);
	if (!insert)
		return -EIO;
	sqlite3_bind_int64(insert, 1, run);
	sqlite3_bind_text(insert, 2, row->system, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(insert, 3, row->event, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(insert, 4, row->recorded_as, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(insert, 5, row->state, -1, SQLITE_STATIC);
	sqlite3_bind_int64(insert, 6, (int64_t)row->records);
	sqlite3_bind_text(insert, 7, row->missing, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(insert, 8, row->stored_in, -1, SQLITE_TRANSIENT);
	rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? 0 : sql_fail(store_db(store), rc, msg, "coverage");
}

static int put_recorded(struct store *store, int64_t run, const struct source_count *count,
			const struct import_options *options, struct rl_msg *msg)
{
	const struct vocab_entry *entry = count->id < VOCAB_NR ? vocab_entry(count->id) : NULL;
	struct coverage_row row = { .system = count->system,
				    .event = entry ? entry->name : count->name,
				    .recorded_as = count->name,
				    .state = "unknown",
				    .missing = count->missing ? count->missing : "",
				    .records = count->records };

	if (entry) {
		bool same = !strcmp(entry->name, count->name) &&
			    (!*count->system || !strcmp(entry->system, count->system));

		row.state = same ? "present" : "renamed";
		row.stored_in = import_counts(count->id, options) ? NULL : entry->table;
	} else if (!count->records) {
		return 0;
	}
	return put_coverage(store, run, &row, msg);
}

int import_coverage(struct store *store, int64_t run, const struct source *source,
		    const struct import_options *options, struct rl_msg *msg)
{
	/* A text says what happened, not what was recorded. */
	bool tells = source_info(source)->form == SOURCE_TRACEDAT;
	bool seen[VOCAB_NR] = { false };
	struct source_count count;
	int ret = 0;

	for (unsigned int i = 0; !ret && source_count_at(source, i, &count); i++) {
		if (count.id < VOCAB_NR)
			seen[count.id] = true;
		ret = put_recorded(store, run, &count, options, msg);
	}
	for (unsigned int id = 0; !ret && id < VOCAB_NR; id++) {
		struct coverage_row row = { .system = vocab_entry(id)->system,
					    .event = vocab_entry(id)->name,
					    .recorded_as = "",
					    .state = tells ? "absent" : "unseen",
					    .missing = "" };

		if (!seen[id])
			ret = put_coverage(store, run, &row, msg);
	}
	return ret;
}

int import_coverage_off(struct store *store, int64_t run, const char *event, struct rl_msg *msg)
{
	sqlite3_stmt *update = store_statement(
		store,
		"UPDATE coverage SET state = 'off' WHERE run = ?1 AND event = ?2 AND records = 0",
		msg);
	int rc;

	if (!update)
		return -EIO;
	sqlite3_bind_int64(update, 1, run);
	sqlite3_bind_text(update, 2, event, -1, SQLITE_STATIC);
	rc = sqlite3_step(update);
	sqlite3_reset(update);
	return rc == SQLITE_DONE ? 0 : sql_fail(store_db(store), rc, msg, "coverage");
}

static int put_loss(struct store *store, int64_t run, const struct source_loss *loss,
		    struct rl_msg *msg)
{
	sqlite3_stmt *insert;
	int rc;

	insert = store_statement(store,
				 "INSERT INTO loss (run, ts, cpu, count, kind, what)"
				 " VALUES (?, ?, ?, ?, ?, ?)",
				 msg);
	if (!insert)
		return -EIO;
	sqlite3_bind_int64(insert, 1, run);
	if (loss->has_ts)
		sqlite3_bind_int64(insert, 2, (int64_t)loss->ts);
	if (loss->cpu >= 0)
		sqlite3_bind_int(insert, 3, loss->cpu);
	if (loss->count >= 0)
		sqlite3_bind_int64(insert, 4, loss->count);
	sqlite3_bind_text(insert, 5, loss->kind, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 6, loss->what, -1, SQLITE_TRANSIENT);
	rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? 0 : sql_fail(store_db(store), rc, msg, "loss");
}

int import_losses(struct store *store, int64_t run, const struct source *source, uint64_t *complete,
		  struct rl_msg *msg)
{
	struct source_loss loss;
	int ret = 0;

	*complete = 0;
	for (unsigned int i = 0; !ret && source_loss_at(source, i, &loss); i++) {
		ret = put_loss(store, run, &loss, msg);
		if (!strcmp(loss.kind, "overwritten") && loss.has_ts && loss.ts > *complete)
			*complete = loss.ts;
	}
	/* What is damaged in a text are lines, and they are losses already. */
	if (source_info(source)->form != SOURCE_TRACEDAT)
		return ret;
	loss = (struct source_loss){ .cpu = -1, .count = -1, .kind = "damaged" };
	for (unsigned int i = 0; !ret && (loss.what = source_damage_at(source, i)); i++)
		ret = put_loss(store, run, &loss, msg);
	return ret;
}
