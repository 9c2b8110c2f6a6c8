/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sql/functions.h"
#include "sql/module.h"
#include "sql/store_internal.h"

#define BUSY_MS 5000 /* how long to wait for another process that writes */

struct statement {
	struct statement *next;
	sqlite3_stmt *stmt;
	char sql[];
};

static int out_of_memory(struct rl_msg *msg)
{
	return rl_fail(msg, ENOMEM, "database: out of memory");
}

/* A database may come from anyone: its schema must not be able to do more than be read. */
static void distrust(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

static int connect_db(struct store *store, const char *path, int flags, struct rl_msg *msg)
{
	int rc = sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_EXRESCODE, NULL);

	if (!rc) {
		sqlite3_busy_timeout(store->db, BUSY_MS);
		rc = column_module_register(store->db);
	}
	if (!rc)
		rc = functions_register(store->db);
	return rc ? sql_fail(store->db, rc, msg, path) : 0;
}

/* Connect to a database that is there already. */
static int connect_existing(struct store *store, int flags, struct rl_msg *msg)
{
	int err = connect_db(store, store->target, flags, msg);

	if (!err)
		distrust(store->db);
	return err;
}

static void free_statements(struct store *store)
{
	struct statement *next;

	for (struct statement *s = store->statements; s; s = next) {
		next = s->next;
		sqlite3_finalize(s->stmt);
		free(s);
	}
	store->statements = NULL;
}

/* Close the connection and everything that hangs on it. */
static void disconnect_db(struct store *store)
{
	free_statements(store);
	for (unsigned int i = 0; store->insert && store_table_at(i); i++)
		sqlite3_finalize(store->insert[i]);
	free(store->insert);
	store->insert = NULL;
	column_writer_free(store->writer);
	store->writer = NULL;
	symbols_free(store->symbols);
	store->symbols = NULL;
	sqlite3_close_v2(store->db);
	store->db = NULL;
}

static int prepare_writing(struct store *store, struct rl_msg *msg)
{
	unsigned int nr = 0;

	while (store_table_at(nr))
		nr++;
	store->insert = calloc(nr, sizeof(sqlite3_stmt *));
	store->writer = column_writer_new(store->db);
	if (store->writer && (store->flags & STORE_SCRATCH))
		column_writer_quick(store->writer);
	store->symbols = symbols_new(store->db);
	return store->insert && store->writer && store->symbols ? 0 : out_of_memory(msg);
}

static int begin(struct store *store, const char *sql, struct rl_msg *msg)
{
	int err = sql_exec(store->db, sql, msg);

	if (err && store->target)
		rl_msg_prefix(msg, "%s", store->target);
	store->in_transaction = !err;
	return err;
}

/* The file is worth nothing before it is complete, so it needs no journal and no syncs. */
static int set_up_fresh(struct store *store, struct rl_msg *msg)
{
	char sql[256];
	int err;

	sqlite3_snprintf(sizeof(sql), sql,
			 "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF;"
			 "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
			 "PRAGMA cache_size = -32768; PRAGMA application_id = %d;"
			 "PRAGMA user_version = %d;",
			 STORE_APPLICATION, STORE_USER_VERSION);
	err = sql_exec(store->db, sql, msg);
	if (!err)
		err = begin(store, "BEGIN", msg);
	if (!err)
		err = prepare_writing(store, msg);
	if (!err)
		err = store_schema_create(store, true, msg);
	return err;
}

static int open_fresh(struct store *store, struct rl_msg *msg)
{
	int err = store_file_replaceable(store->target, msg);

	if (!err)
		err = store_file_begin(store, msg);
	if (!err)
		err = connect_db(store, store->partial, SQLITE_OPEN_READWRITE, msg);
	return err ? err : set_up_fresh(store, msg);
}

static int open_scratch(struct store *store, struct rl_msg *msg)
{
	int err = connect_db(store, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, msg);

	return err ? err : set_up_fresh(store, msg);
}

static int open_append(struct store *store, struct rl_msg *msg)
{
	int there = store_file_probe(store->target, msg);
	int err;

	if (there == -ENOENT || !there)
		return open_fresh(store, msg);
	if (there < 0)
		return there;
	err = connect_existing(store, SQLITE_OPEN_READWRITE, msg);
	if (!err && sqlite3_db_readonly(store->db, "main"))
		err = rl_fail(msg, EACCES, "%s: is not writable", store->target);
	if (!err)
		err = begin(store, "PRAGMA cache_size = -32768; BEGIN IMMEDIATE", msg);
	if (!err)
		err = prepare_writing(store, msg);
	if (!err)
		err = store_schema_create(store, false, msg);
	return err;
}

static int look(struct store *store)
{
	return sqlite3_exec(store->db, "SELECT run FROM run LIMIT 1", NULL, NULL, NULL);
}

/* A journal that a killed writer left can be rolled back only by who may write. */
static int recover(struct store *store, struct rl_msg *msg)
{
	int err;

	disconnect_db(store);
	err = connect_existing(store, SQLITE_OPEN_READWRITE, msg);
	if (err)
		return err;
	look(store);
	disconnect_db(store);
	return connect_existing(store, SQLITE_OPEN_READONLY, msg);
}

static int open_read(struct store *store, struct rl_msg *msg)
{
	int there = store_file_probe(store->target, msg);
	int err;
	int rc;

	if (!there)
		return rl_fail(msg, EINVAL, "%s: is empty, expected a database", store->target);
	if (there < 0)
		return there;
	err = connect_existing(store, SQLITE_OPEN_READONLY, msg);
	if (err)
		return err;
	rc = look(store);
	if ((rc & 0xff) == SQLITE_READONLY || (rc & 0xff) == SQLITE_CANTOPEN) {
		err = recover(store, msg);
		if (err)
			return err;
		rc = look(store);
	}
	if (rc)
		return sql_fail(store->db, rc, msg, store->target);
	return 0;
}

static int open_as(struct store *store, struct rl_msg *msg)
{
	switch (store->flags & ~(unsigned int)STORE_NO_VIEWS) {
	case STORE_READ:
		return open_read(store, msg);
	case STORE_APPEND:
		return open_append(store, msg);
	case STORE_CREATE:
		return open_fresh(store, msg);
	case STORE_SCRATCH:
		return open_scratch(store, msg);
	default:
		return rl_fail(msg, EINVAL, "store_open: unknown flags %#x", store->flags);
	}
}

int store_open(const char *path, unsigned int flags, struct store **out, struct rl_msg *msg)
{
	struct store *store = calloc(1, sizeof(*store));
	int err = 0;

	*out = NULL;
	if (!store)
		return out_of_memory(msg);
	store->flags = flags;
	store->partial_fd = -1;
	if (!(flags & STORE_SCRATCH)) {
		store->target = strdup(path);
		if (!store->target)
			err = out_of_memory(msg);
	}
	if (!err)
		err = open_as(store, msg);
	if (err) {
		store_close(store);
		return err;
	}
	*out = store;
	return 0;
}

static int commit_fresh(struct store *store, struct rl_msg *msg)
{
	int err;

	disconnect_db(store);
	err = store_file_commit(store, msg);
	if (err)
		return err;
	store->flags = STORE_READ;
	return open_read(store, msg);
}

int store_commit(struct store *store, struct rl_msg *msg)
{
	int err;

	if (!store->in_transaction)
		return 0;
	free_statements(store);
	err = sql_exec(store->db, "COMMIT", msg);
	if (err)
		return err;
	store->in_transaction = false;
	return store->partial ? commit_fresh(store, msg) : 0;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	disconnect_db(store);
	store_file_end(store);
	free(store->target);
	free(store);
}

sqlite3 *store_db(struct store *store)
{
	return store->db;
}

sqlite3_stmt *store_statement(struct store *store, const char *sql, struct rl_msg *msg)
{
	struct statement *s;
	int rc;

	for (s = store->statements; s; s = s->next) {
		if (strcmp(s->sql, sql))
			continue;
		sqlite3_reset(s->stmt);
		sqlite3_clear_bindings(s->stmt);
		return s->stmt;
	}
	s = malloc(sizeof(*s) + strlen(sql) + 1);
	if (!s) {
		out_of_memory(msg);
		return NULL;
	}
	strcpy(s->sql, sql);
	rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->stmt, NULL);
	if (rc) {
		sql_fail(store->db, rc, msg, "database");
		free(s);
		return NULL;
	}
	s->next = store->statements;
	store->statements = s;
	return s->stmt;
}

static void bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	sqlite3_bind_text(stmt, at, text ? text : "", -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *stmt, int at, int64_t value)
{
	if (value == STORE_NULL)
		sqlite3_bind_null(stmt, at);
	else
		sqlite3_bind_int64(stmt, at, value);
}

static int step_once(struct store *store, sqlite3_stmt *stmt, const char *what, struct rl_msg *msg)
{
	int rc = sqlite3_step(stmt);
	int err = rc == SQLITE_DONE ? 0 : sql_fail(store->db, rc, msg, what);

	sqlite3_reset(stmt);
	return err;
}

int store_run_begin(struct store *store, const struct store_run *info, int64_t *run,
		    struct rl_msg *msg)
{
	sqlite3_stmt *add;
	int err;

	if (!store->in_transaction)
		return rl_fail(msg, EINVAL, "store: not open for writing");
	if (store->run)
		return rl_fail(msg, EINVAL, "store: run %lld has not ended", (long long)store->run);
	add = store_statement(store,
			      "INSERT INTO run (kind, source, form, kernel, machine, clock, "
			      "time_known, page_size, cpus, policy, parameters, parent, seed) "
			      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			      msg);
	if (!add)
		return -EINVAL;
	bind_text(add, 1, info->kind);
	bind_text(add, 2, info->source);
	bind_text(add, 3, info->form);
	bind_text(add, 4, info->kernel);
	bind_text(add, 5, info->machine);
	bind_text(add, 6, info->clock);
	sqlite3_bind_int(add, 7, info->time_known);
	bind_number(add, 8, info->page_size ? info->page_size : STORE_NULL);
	bind_number(add, 9, info->cpus ? info->cpus : STORE_NULL);
	sqlite3_bind_text(add, 10, info->policy, -1, SQLITE_STATIC);
	sqlite3_bind_text(add, 11, info->parameters, -1, SQLITE_STATIC);
	bind_number(add, 12, info->parent);
	bind_number(add, 13, info->seed);
	err = step_once(store, add, "run", msg);
	if (!err)
		*run = store->run = sqlite3_last_insert_rowid(store->db);
	return err;
}

static int64_t clamp_time(uint64_t ts)
{
	return ts > INT64_MAX - 1 ? INT64_MAX - 1 : (int64_t)ts;
}

int store_run_end(struct store *store, uint64_t start, uint64_t end, struct rl_msg *msg)
{
	bool any = start <= end;
	sqlite3_stmt *stmt;
	int rc;
	int err;

	if (!store->run)
		return rl_fail(msg, EINVAL, "store: no run was begun");
	rc = column_writer_flush(store->writer);
	if (rc)
		return sql_fail(store->db, rc, msg, "column store");
	stmt = store_statement(store, "UPDATE run SET start = ?2, end = ?3 WHERE run = ?1", msg);
	if (!stmt)
		return -EINVAL;
	sqlite3_bind_int64(stmt, 1, store->run);
	bind_number(stmt, 2, any ? clamp_time(start) : STORE_NULL);
	bind_number(stmt, 3, any ? clamp_time(end) : STORE_NULL);
	err = step_once(store, stmt, "run", msg);
	if (err)
		return err;
	stmt = store_statement(store, "INSERT INTO focus (run, start, end) VALUES (?1, ?2, ?3)",
			       msg);
	if (!stmt)
		return -EINVAL;
	sqlite3_bind_int64(stmt, 1, store->run);
	sqlite3_bind_int64(stmt, 2, any ? clamp_time(start) : 0);
	sqlite3_bind_int64(stmt, 3, any ? clamp_time(end) + 1 : 0);
	store->run = 0;
	return step_once(store, stmt, "focus", msg);
}

int store_run_from(struct store *store, int64_t run, uint64_t from, struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(
		store, "UPDATE focus SET start = ?2 WHERE run = ?1 AND start < ?2 AND end > ?2",
		msg);

	if (!stmt)
		return -EINVAL;
	sqlite3_bind_int64(stmt, 1, run);
	sqlite3_bind_int64(stmt, 2, clamp_time(from));
	return step_once(store, stmt, "focus", msg);
}

static sqlite3_stmt *row_statement(struct store *store, unsigned int table,
				   const struct store_table_def *def, struct rl_msg *msg)
{
	sqlite3_str *text;
	char *sql;
	int rc;

	if (store->insert[table])
		return store->insert[table];
	text = sqlite3_str_new(NULL);
	sqlite3_str_appendf(text, "INSERT INTO \"%w\" VALUES (?", def->name);
	for (unsigned int i = 1; i < def->nr_columns; i++)
		sqlite3_str_appendall(text, ", ?");
	sqlite3_str_appendall(text, ")");
	sql = sqlite3_str_finish(text);
	if (!sql) {
		out_of_memory(msg);
		return NULL;
	}
	rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
				&store->insert[table], NULL);
	sqlite3_free(sql);
	if (rc)
		sql_fail(store->db, rc, msg, def->name);
	return store->insert[table];
}

static int put_row(struct store *store, unsigned int table, const struct store_table_def *def,
		   const int64_t *value, struct rl_msg *msg)
{
	sqlite3_stmt *insert = row_statement(store, table, def, msg);

	if (!insert)
		return -EINVAL;
	for (unsigned int i = 0; i < def->nr_columns; i++)
		bind_number(insert, (int)i + 1, value[i]);
	return step_once(store, insert, def->name, msg);
}

int store_put(struct store *store, unsigned int table, int64_t *value, struct rl_msg *msg)
{
	const struct store_table_def *def = store_table_at(table);
	int rc;

	if (!def || !store->run)
		return rl_fail(msg, EINVAL, "store: no such table or no run");
	value[STORE_RUN] = store->run;
	if (!def->columns && !(store->flags & STORE_SCRATCH))
		return put_row(store, table, def, value, msg);
	rc = column_writer_put(store->writer, table, def->name, def->nr_columns, value);
	return rc ? sql_fail(store->db, rc, msg, def->name) : 0;
}

int64_t store_symbol(struct store *store, const char *text, size_t len)
{
	if (!store->symbols)
		return -EINVAL;
	return symbols_number(store->symbols, text, len);
}
