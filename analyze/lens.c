/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/lens.h"
#include "analyze/lens_window.h"
#include "analyze/query.h"
#include "sql/embedded.h"
#include "sql/import.h"
#include "sql/store.h"

#define HUGE_ORDER	4	/* the view huge_requests looks at orders from here */
#define PROGRESS_PERIOD 1000000 /* SQLite instructions between two looks for an interruption */

struct lens {
	struct store *store;
	const char *schema; /* that the views are in: "temp", or "main" of a scratch store */
	struct rl_progress progress;
	int64_t run;
};

static const char *const kept_views[] = {
#define KEPT(view) #view,
#include "analyze/kept.def"
#undef KEPT
};

#define NR_KEPT (sizeof(kept_views) / sizeof(kept_views[0]))

bool lens_is_database(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof(magic)];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n == sizeof(head) && !memcmp(head, magic, sizeof(head));
}

static int on_progress(void *ctx)
{
	struct lens *lens = ctx;

	return rl_progress_step(&lens->progress, "computing", 0, 0) != 0;
}

static int read_inputs(struct lens *lens, const char *const *paths, unsigned int count,
		       struct rl_msg *msg)
{
	struct import_options options = {
		.count_pages = true,
		.huge_order = HUGE_ORDER,
		.progress = &lens->progress,
	};
	struct import_result result = { 0 };
	int ret;

	for (unsigned int i = 0; i < count; i++)
		if (lens_is_database(paths[i]))
			return rl_fail(msg, EINVAL, "%s: a database is looked at by itself",
				       paths[i]);
	lens->schema = "main";
	ret = store_open(NULL, STORE_SCRATCH | STORE_NO_VIEWS, &lens->store, msg);
	if (!ret)
		ret = import_files(lens->store, paths, count, &options, &result, msg);
	if (!ret && result.damages && !result.events) {
		*msg = result.damage;
		return -EBADMSG;
	}
	if (!ret && !result.events && result.snapshots == 1)
		return rl_fail(
			msg, EINVAL,
			"%s: one reading of counters shows no growth; name the later one too",
			paths[0]);
	return ret;
}

/* The statement of a view behind its comments, or NULL. */
static const char *view_statement(const char *view)
{
	for (const struct embedded_view *v = store_views; v->name; v++)
		if (!strcmp(v->name, view))
			return strstr(v->sql, "CREATE VIEW ");
	return NULL;
}

static int keep_view(const struct lens *lens, const char *view, struct rl_msg *msg)
{
	const char *statement = view_statement(view);
	char *sql;
	int ret;

	if (!statement)
		return rl_fail(msg, EINVAL, "this build has no view %s", view);
	sql = sqlite3_mprintf("CREATE TABLE %s.%s", lens->schema,
			      statement + strlen("CREATE VIEW "));
	if (!sql)
		return rl_fail(msg, ENOMEM, "out of memory");
	ret = query_exec(lens_db(lens), sql, msg);
	if (ret)
		rl_msg_prefix(msg, "view %s", view);
	sqlite3_free(sql);
	return ret;
}

static bool is_kept(const char *view)
{
	for (size_t i = 0; i < NR_KEPT; i++)
		if (!strcmp(kept_views[i], view))
			return true;
	return false;
}

static int drop_kept(const struct lens *lens, const char *kind, struct rl_msg *msg)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < NR_KEPT; i++) {
		char *sql = sqlite3_mprintf("DROP %s IF EXISTS temp.%s", kind, kept_views[i]);

		ret = sql ? query_exec(lens_db(lens), sql, msg)
			  : rl_fail(msg, ENOMEM, "out of memory");
		sqlite3_free(sql);
	}
	return ret;
}

/*
 * The views but those that are kept. A user's database gets temporary ones over its own, over again
 * when it was looked at before; those of a scratch store are private to this lens already.
 */
static int make_views(const struct lens *lens, struct rl_msg *msg)
{
	int ret = 0;

	if (!strcmp(lens->schema, "main")) {
		for (const struct embedded_view *v = store_views; !ret && v->name; v++)
			if (!is_kept(v->name))
				ret = store_view(lens->store, v->name, msg);
		return ret;
	}
	if (lens->run)
		ret = drop_kept(lens, "TABLE", msg);
	if (!ret)
		ret = store_temp_views(lens->store, msg);
	return ret ? ret : drop_kept(lens, "VIEW", msg);
}

int lens_look(struct lens *lens, int64_t run, const struct lens_options *options,
	      struct rl_msg *msg)
{
	int ret;

	if (lens->run && !strcmp(lens->schema, "main"))
		return rl_fail(msg, EINVAL, "recordings are looked at once; import them first");
	ret = make_views(lens, msg);
	lens->run = run;
	if (!ret)
		ret = window_set(lens_db(lens), run, options, msg);
	for (size_t i = 0; !ret && i < NR_KEPT; i++)
		ret = keep_view(lens, kept_views[i], msg);
	return ret;
}

int lens_open(const char *const *paths, unsigned int count, const struct lens_options *options,
	      struct lens **out, struct rl_msg *msg)
{
	struct lens *lens = calloc(1, sizeof(*lens));
	int64_t run;
	int ret;

	if (!lens)
		return rl_fail(msg, ENOMEM, "out of memory");
	if (options->progress)
		lens->progress = *options->progress;
	lens->schema = "temp";
	if (count == 1 && lens_is_database(paths[0]))
		ret = store_open(paths[0], STORE_READ, &lens->store, msg);
	else
		ret = read_inputs(lens, paths, count, msg);
	if (ret)
		goto error;
	sqlite3_progress_handler(lens_db(lens), PROGRESS_PERIOD, on_progress, lens);
	ret = window_choose_run(lens_db(lens), paths[0], options->run, &run, msg);
	if (ret)
		goto error;
	ret = lens_look(lens, run, options, msg);
	if (ret) {
		rl_msg_prefix(msg, "%s", paths[0]);
		goto error;
	}
	*out = lens;
	return 0;
error:
	lens_close(lens);
	return ret;
}

void lens_close(struct lens *lens)
{
	if (!lens)
		return;
	store_close(lens->store);
	free(lens);
}

sqlite3 *lens_db(const struct lens *lens)
{
	return store_db(lens->store);
}

int64_t lens_run(const struct lens *lens)
{
	return lens->run;
}
