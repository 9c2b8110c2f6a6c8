/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SQL that makes a database: what is fixed comes from meta.sql and the views, fact tables and
 * names of numbers from the tables of this build.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/vocabulary/gfp.h"
#include "sql/embedded.h"
#include "sql/module.h"
#include "sql/names.h"
#include "sql/store_internal.h"

/* CREATE TABLE or CREATE VIRTUAL TABLE of @def; from sqlite3_malloc, NULL when memory is short. */
static char *table_sql(const struct store_table_def *def, bool columns)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	if (columns)
		sqlite3_str_appendf(sql, "CREATE VIRTUAL TABLE \"%w\" USING reclaimlab_columns (",
				    def->name);
	else
		sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" ( -- %s", def->name, def->doc);
	for (unsigned int i = 0; i < def->nr_columns; i++) {
		const struct store_column *column = &def->column[i];

		if (columns) {
			sqlite3_str_appendf(sql, "%s%s", i ? ", " : "", column->name);
			continue;
		}
		sqlite3_str_appendf(sql, "\n\t\"%w\" INTEGER%s\t-- ", column->name,
				    i + 1 < def->nr_columns ? "," : "");
		if (*column->unit)
			sqlite3_str_appendf(sql, "[%s] ", column->unit);
		sqlite3_str_appendall(sql, column->doc);
	}
	sqlite3_str_appendall(sql, columns ? ")" : "\n)");
	return sqlite3_str_finish(sql);
}

/* Is there a table of this name in the database, and made by the same SQL? 1, 0 or -EPROTO. */
static int table_exists(struct store *store, const char *name, const char *sql, struct rl_msg *msg)
{
	sqlite3_stmt *find = store_statement(
		store, "SELECT sql = ?2 FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE",
		msg);
	int ret = 0;

	if (!find)
		return -EINVAL;
	sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(find, 2, sql, -1, SQLITE_STATIC);
	if (sqlite3_step(find) == SQLITE_ROW)
		ret = sqlite3_column_int(find, 0) ? 1
						  : rl_fail(msg, EPROTO,
							    "%s: table %s has other columns than "
							    "this program writes",
							    store->target, name);
	sqlite3_reset(find);
	return ret;
}

/* A table of a database that only this process sees. */
static int register_table(struct store *store, const struct store_table_def *def,
			  struct rl_msg *msg)
{
	struct column_names *names =
		malloc(sizeof(*names) + def->nr_columns * sizeof(names->name[0]));
	int rc;

	if (!names)
		return rl_fail(msg, ENOMEM, "database: out of memory");
	names->nr = def->nr_columns;
	for (unsigned int i = 0; i < def->nr_columns; i++)
		names->name[i] = def->column[i].name;
	rc = column_table_register(store->db, def->name, names);
	return rc ? sql_fail(store->db, rc, msg, def->name) : 0;
}

static int create_table(struct store *store, const struct store_table_def *def, struct rl_msg *msg)
{
	char *sql = table_sql(def, def->columns);
	int ret;

	if (!sql)
		return rl_fail(msg, ENOMEM, "database: out of memory");
	ret = table_exists(store, def->name, sql, msg);
	if (!ret)
		ret = sql_exec(store->db, sql, msg);
	sqlite3_free(sql);
	return ret < 0 ? ret : 0;
}

static int create_fact_tables(struct store *store, struct rl_msg *msg)
{
	const struct store_table_def *def;
	int err;

	for (unsigned int i = 0; (def = store_table_at(i)); i++) {
		err = store->flags & STORE_SCRATCH ? register_table(store, def, msg)
						   : create_table(store, def, msg);
		if (err)
			return err;
	}
	return 0;
}

static int add_name(void *ctx, const char *domain, int64_t value, const char *name)
{
	sqlite3_stmt *add = ctx;
	int rc;

	sqlite3_bind_text(add, 1, domain, -1, SQLITE_STATIC);
	sqlite3_bind_int64(add, 2, value);
	sqlite3_bind_text(add, 3, name, -1, SQLITE_STATIC);
	rc = sqlite3_step(add);
	sqlite3_reset(add);
	return rc != SQLITE_DONE;
}

static int fill_names(struct store *store, struct rl_msg *msg)
{
	sqlite3_stmt *add = store_statement(
		store, "INSERT OR REPLACE INTO enum_name (domain, value, name) VALUES (?, ?, ?)",
		msg);

	if (!add)
		return -EINVAL;
	if (names_each(add_name, add))
		return sql_fail(store->db, sqlite3_errcode(store->db), msg, "enum_name");
	return 0;
}

/* Make @view from its SQL as CREATE [TEMP] VIEW. */
static int create_view(struct store *store, const struct embedded_view *view, bool temp,
		       struct rl_msg *msg)
{
	static const char create[] = "CREATE VIEW ";
	const char *at = strstr(view->sql, create);
	char *sql;
	int err;

	if (!at)
		return rl_fail(msg, EINVAL, "view %s: no CREATE VIEW", view->name);
	sql = sqlite3_mprintf("CREATE %s %s", temp ? "TEMP VIEW" : "VIEW", at + sizeof(create) - 1);
	if (!sql)
		return rl_fail(msg, ENOMEM, "database: out of memory");
	err = sql_exec(store->db, sql, msg);
	if (err)
		rl_msg_prefix(msg, "view %s", view->name);
	sqlite3_free(sql);
	return err;
}

static int drop_view(struct store *store, const struct embedded_view *view, const char *schema,
		     struct rl_msg *msg)
{
	char *sql = sqlite3_mprintf("DROP VIEW IF EXISTS %s.\"%w\"", schema, view->name);
	int err;

	if (!sql)
		return rl_fail(msg, ENOMEM, "database: out of memory");
	err = sql_exec(store->db, sql, msg);
	sqlite3_free(sql);
	return err;
}

/* Make the views over again, or in a @fresh database for the first time. */
static int create_views(struct store *store, bool temp, bool fresh, struct rl_msg *msg)
{
	int err = 0;

	for (const struct embedded_view *view = store_views; view->name && !err; view++) {
		if (!fresh)
			err = drop_view(store, view, temp ? "temp" : "main", msg);
		if (!err)
			err = create_view(store, view, temp, msg);
	}
	return err;
}

int store_view(struct store *store, const char *name, struct rl_msg *msg)
{
	for (const struct embedded_view *view = store_views; view->name; view++)
		if (!strcmp(view->name, name))
			return create_view(store, view, false, msg);
	return rl_fail(msg, EINVAL, "this build has no view %s", name);
}

int store_temp_views(struct store *store, struct rl_msg *msg)
{
	int err = sql_exec(store->db,
			   "DROP TABLE IF EXISTS temp.focus;"
			   "CREATE TEMP TABLE focus AS SELECT * FROM main.focus;",
			   msg);

	return err ? err : create_views(store, true, false, msg);
}

int store_schema_create(struct store *store, bool fresh, struct rl_msg *msg)
{
	int err = 0;

	if (fresh)
		err = sql_exec(store->db, store_meta_sql, msg);
	if (!err)
		err = create_fact_tables(store, msg);
	if (!err)
		err = fill_names(store, msg);
	if (!err && !(store->flags & STORE_NO_VIEWS))
		err = create_views(store, false, fresh, msg);
	return err;
}
