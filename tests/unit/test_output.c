/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that appear when they are complete: names, links, modes, and folders that move away. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/base/output.h"

static struct rl_msg msg;

static int enter_folder(void **state)
{
	static char folder[] = RL_BUILD_DIR "/output.XXXXXX";

	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	*state = mkdtemp(folder);
	return *state && !chdir(*state) ? 0 : -1;
}

static int leave_folder(void **state)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
	return chdir(RL_BUILD_DIR) || system(command);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode;
}

static void a_file_appears_when_it_is_complete(void **state)
{
	struct rl_output out;

	umask(0);
	assert_int_equal(rl_output_open(&out, "file", ".partial", NULL, 0600, &msg), 0);
	assert_int_equal(mode_of("file.partial"), S_IFREG | 0600);
	assert_int_equal(access("file", F_OK), -1);
	assert_int_equal(write(out.fd, "x", 1), 1);
	assert_int_equal(rl_output_commit(&out, &msg), 0);
	assert_true(rl_output_reachable(&out));
	rl_output_close(&out);
	assert_int_equal(mode_of("file"), S_IFREG | 0600);
	assert_int_equal(access("file.partial", F_OK), -1);
	umask(022);
}

static void what_is_given_up_leaves_what_was_there(void **state)
{
	struct rl_output out;
	int fd = open("file", O_WRONLY | O_CREAT, 0644);

	close(fd);
	assert_int_equal(rl_output_open(&out, "file", ".partial", NULL, 0600, &msg), 0);
	rl_output_close(&out);
	rl_output_close(&out);
	assert_int_equal(mode_of("file"), S_IFREG | 0644);
	assert_int_equal(access("file.partial", F_OK), -1);
}

/* Another's temporary file, or a link that waits at its name, is neither used nor followed. */
static void temporary_names_are_never_taken_over(void **state)
{
	struct rl_output first, second;
	char name[64];

	assert_int_equal(symlink("elsewhere", "file.partial"), 0);
	assert_int_equal(rl_output_open(&first, "file", ".partial", NULL, 0600, &msg), 0);
	assert_int_equal(access("elsewhere", F_OK), -1);
	snprintf(name, sizeof(name), "file.%d.partial", (int)getpid());
	assert_int_equal(mode_of(name), S_IFREG | 0600);
	assert_int_equal(rl_output_open(&second, "file", ".partial", NULL, 0600, &msg), -EEXIST);
	rl_output_close(&first);
	assert_int_equal(mode_of("file.partial") & S_IFMT, S_IFLNK);
}

static void links_are_followed_only_where_they_can_be_trusted(void **state)
{
	struct rl_output out;
	char *real;

	assert_int_equal(mkdir("own", 0755), 0);
	assert_int_equal(mkdir("open", 0755), 0);
	assert_int_equal(chmod("open", 01777), 0);
	close(open("own/target", O_WRONLY | O_CREAT, 0644));
	assert_int_equal(symlink("target", "own/link"), 0);
	assert_int_equal(symlink("../own/target", "open/link"), 0);
	assert_int_equal(rl_output_resolve("open/link", &real, &msg), -ELOOP);
	assert_non_null(strstr(msg.text, "open/link: is a symbolic link"));
	assert_int_equal(rl_output_check("open/link", &msg), -ELOOP);
	assert_int_equal(rl_output_resolve("open/none", &real, &msg), 0);
	assert_string_equal(real, "open/none");
	free(real);
	assert_int_equal(rl_output_open(&out, "own/link", ".partial", NULL, 0600, &msg), 0);
	assert_int_equal(mode_of("own/target.partial"), S_IFREG | 0600);
	assert_int_equal(rl_output_commit(&out, &msg), 0);
	rl_output_close(&out);
	assert_int_equal(mode_of("own/link") & S_IFMT, S_IFLNK);
	assert_int_equal(mode_of("own/target"), S_IFREG | 0600);
}

static void a_folder_that_moved_away_still_gets_its_file(void **state)
{
	struct rl_output out, beside;

	assert_int_equal(mkdir("here", 0755), 0);
	assert_int_equal(rl_output_open(&out, "here/file", ".partial", NULL, 0600, &msg), 0);
	assert_int_equal(rename("here", "there"), 0);
	assert_int_equal(rl_output_open(&beside, "here/second", ".partial", &out, 0600, &msg), 0);
	assert_int_equal(rl_output_commit(&out, &msg), 0);
	assert_int_equal(rl_output_commit(&beside, &msg), 0);
	assert_false(rl_output_reachable(&out));
	assert_int_equal(access("there/file", F_OK), 0);
	assert_int_equal(access("there/second", F_OK), 0);
	rl_output_close(&out);
	rl_output_close(&beside);
}

static void names_that_cannot_be_are_told(void **state)
{
	static const struct {
		const char *path;
		int error;
		const char *word;
	} wrong[] = {
		{ "", -EINVAL, "the name of a file" },
		{ "folder/", -EISDIR, "the name of a file" },
		{ "folder", -EISDIR, "no regular file" },
		{ "pipe", -EINVAL, "no regular file" },
		{ "none/file", -ENOENT, "none" },
	};
	struct rl_output out;

	assert_int_equal(mkdir("folder", 0755), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(rl_output_check(wrong[i].path, &msg), wrong[i].error);
		assert_non_null(strstr(msg.text, wrong[i].word));
		assert_int_equal(rl_output_open(&out, wrong[i].path, ".partial", NULL, 0600, &msg),
				 wrong[i].error);
	}
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_file_appears_when_it_is_complete),
		IN_FOLDER(what_is_given_up_leaves_what_was_there),
		IN_FOLDER(temporary_names_are_never_taken_over),
		IN_FOLDER(links_are_followed_only_where_they_can_be_trusted),
		IN_FOLDER(a_folder_that_moved_away_still_gets_its_file),
		IN_FOLDER(names_that_cannot_be_are_told),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
