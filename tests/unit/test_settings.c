/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says of the machine's settings, from a folder that stands for /proc and /sys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "capture/record/settings.h"

static char root[] = "/tmp/test_settings.XXXXXX";

static void make(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static int begin(void **state)
{
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void settings_are_what_the_files_hold(void **state)
{
	struct rec_settings settings;

	make("/proc/sys/vm/swappiness", "37\n");
	make("/proc/sys/vm/page-cluster", "3\n");
	make("/proc/sys/vm/panic_on_oom", "0\n");
	make("/sys/block/vdb/size", "2048\n");
	make("/sys/block/vdb/queue/rotational", "1\n");
	make("/sys/block/vdb/queue/write_cache", "write back\n");
	make("/sys/block/vdb/queue/scheduler", "none [mq-deadline]\n");
	make("/sys/block/vdb/mq/0/cpu_list", "0\n");
	make("/sys/block/vdb/mq/1/cpu_list", "1\n");
	make("/sys/block/loop0/size", "0\n");
	make("/sys/block/loop0/queue/rotational", "0\n");
	make("/sys/block/zram0/size", "64\n");
	make("/sys/block/zram0/queue/wbt_lat_usec", "");
	assert_int_equal(rec_settings_read(root, &settings, NULL), 0);
	assert_string_equal(settings.sysctl.data, "swappiness 37\npage-cluster 3\n");
	assert_string_equal(settings.queue.data, "vdb rotational 1\nvdb write_cache write back\n"
						 "vdb scheduler none [mq-deadline]\n"
						 "vdb hw_queues 2\n");
	rec_settings_free(&settings);
	assert_null(settings.queue.data);
}

static void a_machine_without_files_has_none(void **state)
{
	struct rec_settings settings;

	assert_int_equal(rec_settings_read("/nonexistent", &settings, NULL), 0);
	assert_int_equal(settings.sysctl.size + settings.queue.size, 0);
	rec_settings_free(&settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_what_the_files_hold),
		cmocka_unit_test(a_machine_without_files_has_none),
	};

	return cmocka_run_group_tests_name("settings", tests, begin, end);
}
