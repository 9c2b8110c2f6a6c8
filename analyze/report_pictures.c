/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/picture.h"
#include "analyze/query.h"
#include "analyze/report_private.h"

#define LABEL_WIDTH 16
#define SCALE_WIDTH 16		/* " max 123456789" and more */
#define SECONDS_MAX (7 * 86400) /* of a longer run nothing would be seen */

static const char timeline_sql[] =
	"SELECT second, kswapd_scanned, kswapd_reclaimed, direct_scanned, direct_reclaimed, "
	"stalls, stall_time / 1e6, throttles FROM timeline WHERE run = ?1 ORDER BY second";

static const char *const line_names[] = {
	"kswapd scans", "kswapd frees", "direct scans",	 "direct frees",
	"stalls begin", "stalled, ms",	"throttles end",
};

#define NR_LINES (sizeof(line_names) / sizeof(line_names[0]))

/* A value a second and line, line after line. */
struct pictures {
	double *value;
	size_t seconds;
};

static int load_timeline(struct report *report, struct pictures *p, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(report->db, timeline_sql, report->run, &stmt, msg);

	if (ret)
		return ret;
	while ((ret = query_step(stmt, msg)) > 0) {
		size_t second = (size_t)sqlite3_column_int64(stmt, 0);

		for (size_t l = 0; second < p->seconds && l < NR_LINES; l++)
			p->value[l * p->seconds + second] = sqlite3_column_double(stmt, (int)l + 1);
	}
	sqlite3_finalize(stmt);
	return ret;
}

static int window_seconds(struct report *report, size_t *seconds, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(report->db, "SELECT seconds FROM span WHERE run = ?1", report->run,
			    &stmt, msg);

	*seconds = 0;
	if (ret)
		return ret;
	ret = query_step(stmt, msg);
	if (ret > 0)
		*seconds = (size_t)sqlite3_column_double(stmt, 0) + 1;
	sqlite3_finalize(stmt);
	return ret < 0 ? ret : 0;
}

static void print_lines(const struct report *report, const struct pictures *p, char *line)
{
	size_t width = report->options.width - LABEL_WIDTH - SCALE_WIDTH;
	size_t each = p->seconds > width ? (p->seconds + width - 1) / width : 1;

	fprintf(report->out, "\nOver time, a character %s%zu s\n", each > 1 ? "up to " : "", each);
	for (size_t l = 0; l < NR_LINES; l++) {
		double most = picture_line(p->value + l * p->seconds, p->seconds, width, line);

		if (most > 0)
			fprintf(report->out, "  %-*s%s max %.0f\n", LABEL_WIDTH - 2, line_names[l],
				line, most);
	}
}

int report_pictures(struct report *report, struct rl_msg *msg)
{
	struct pictures p = { 0 };
	char *line = NULL;
	int ret;

	if (report->options.form != REPORT_TEXT || report->options.width < 48)
		return 0;
	ret = window_seconds(report, &p.seconds, msg);
	if (ret || p.seconds < 2 || p.seconds > SECONDS_MAX)
		return ret;
	p.value = calloc(p.seconds * NR_LINES, sizeof(*p.value));
	line = malloc(PICTURE_BYTES(report->options.width));
	ret = p.value && line ? load_timeline(report, &p, msg)
			      : rl_fail(msg, ENOMEM, "out of memory");
	if (!ret)
		print_lines(report, &p, line);
	free(line);
	free(p.value);
	return ret;
}
