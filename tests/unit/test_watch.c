/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a running recording make a whole: needs root and tracefs, and is skipped without them.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <tracefs.h>

#include "capture/read/source.h"
#include "capture/record/watch.h"

#define OUTPUT	RL_BUILD_DIR "/test_watch.dat"
#define MARKERS 3000

static unsigned int seen[MARKERS];

static int can_record(void **state)
{
	const char *dir = geteuid() ? NULL : tracefs_tracing_dir();
	char path[256];

	snprintf(path, sizeof(path), "%s/instances", dir ? dir : "");
	*state = dir && access(path, W_OK) == 0 ? OUTPUT : NULL;
	if (!*state)
		print_message("skipped: recording needs root and a tracefs with instances\n");
	return 0;
}

/* A child that writes numbered markers, one about every 0.3 ms. */
static pid_t write_markers(void)
{
	char path[256], text[32];
	pid_t child = fork();
	int fd;

	assert_true(child >= 0);
	if (child)
		return child;
	snprintf(path, sizeof(path), "%s/instances/reclaimlab-%d/trace_marker",
		 tracefs_tracing_dir(), getppid());
	fd = open(path, O_WRONLY);
	for (int i = 0; fd >= 0 && i < MARKERS; i++) {
		int len = snprintf(text, sizeof(text), "number %d\n", i);

		if (write(fd, text, (size_t)len) != len)
			_exit(1);
		usleep(300);
	}
	_exit(fd < 0);
}

/* Count the markers of the look itself. */
static void count_markers(const struct watch_look *look)
{
	struct source *source;
	struct event ev;
	struct rl_msg msg;

	assert_int_equal(source_open(look->path, &source, &msg), 0);
	while (source_next(source, &ev, &msg) > 0) {
		char text[32];
		int number;

		assert_int_equal(ev.lost, 0);
		if (ev.id != VOCAB_print || ev.ts < look->begin || ev.ts >= look->end)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)ev.string[print_buf].len,
			 ev.string[print_buf].text);
		if (sscanf(text, "number %d", &number) == 1) {
			assert_in_range(number, 0, MARKERS - 1);
			seen[number]++;
		}
	}
	source_close(source);
}

/* Every marker is in exactly one look, whatever is done between the looks. */
static void looks_have_no_gap(void **state)
{
	struct record_options options;
	struct watch_look look, before = { 0 };
	struct watch *watch;
	struct rl_msg msg;
	char path[512];
	int status, left = 2; /* looks behind the last marker */
	pid_t child;

	if (!*state)
		skip();
	record_options_init(&options);
	options.output = OUTPUT;
	if (watch_open(&options, &watch, &msg))
		fail_msg("%s", msg.text);
	child = write_markers();
	while (left) {
		if (child && waitpid(child, &status, WNOHANG) == child)
			child = 0;
		left -= !child;
		assert_int_equal(watch_look(watch, &look, &msg), 0);
		assert_true(!before.end || look.begin == before.end);
		before = look;
		count_markers(&look);
		usleep(70000);
	}
	snprintf(path, sizeof(path), "%s", look.path);
	watch_close(watch);
	assert_int_equal(status, 0);
	for (int i = 0; i < MARKERS; i++)
		if (seen[i] != 1)
			fail_msg("marker %d was seen %u times", i, seen[i]);
	assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_have_no_gap),
	};

	return cmocka_run_group_tests_name("watch", tests, can_record, NULL);
}
