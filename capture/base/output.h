/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - a file that appears under its name only when it is complete
 *
 * The file is made under a temporary name in the folder where it is to stand, never through a link
 * and never over a file that is there (O_EXCL, O_NOFOLLOW), and gets its name by a rename. All of
 * that goes through a descriptor of the folder, so that a mount that is taken away under a running
 * program (umount -l) still gets its file.
 *
 * A name that is a symbolic link stands for what it points to, except in a folder that anyone may
 * write, where a link may be a trap: there it is refused.
 */
#ifndef RECLAIMLAB_OUTPUT_H
#define RECLAIMLAB_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "capture/base/message.h"

struct rl_output {
	char *path; /* as the user wrote it, for messages */
	char *name; /* in the folder */
	char *temp; /* in the folder; NULL: there is none */
	int dir;
	int fd; /* read and write */
};

#define RL_OUTPUT_NONE ((struct rl_output){ .dir = -1, .fd = -1 })

/*
 * The path that @path stands for, which the caller frees: itself, or what the link points to.
 * -ELOOP for a link in a folder that anyone may write. -EINVAL for "-", which commands that can
 * write to standard output take for it.
 */
int rl_output_resolve(const char *path, char **real, struct rl_msg *msg);

/* Could rl_output_open() make @path? Looks only. Returns 0 or what it would return. */
int rl_output_check(const char *path, struct rl_msg *msg);

/*
 * Make the temporary file @path + @suffix (with the process id before the suffix where that is
 * there already) with @mode. @beside: in the folder of that output; NULL: in that of @path.
 * -ENOENT: there is no such folder; -EISDIR, -EINVAL: @path is there and is no regular file.
 */
int rl_output_open(struct rl_output *output, const char *path, const char *suffix,
		   const struct rl_output *beside, mode_t mode, struct rl_msg *msg);

/* Another descriptor of the temporary file, or a negative errno. */
int rl_output_reopen(const struct rl_output *output, int flags);

/* A file without a name in the same folder, or a negative errno. */
int rl_output_scratch(const struct rl_output *output);

/* Let it be @path, a name in the same folder, instead. */
int rl_output_rename(struct rl_output *output, const char *path, struct rl_msg *msg);

/* Write it through to the disk and give it its name. */
int rl_output_commit(struct rl_output *output, struct rl_msg *msg);

/* After rl_output_commit(): does the path lead to it? Not when its mount was taken away. */
bool rl_output_reachable(const struct rl_output *output);

/* Give it up: what was not committed is removed. RL_OUTPUT_NONE is fine. */
void rl_output_close(struct rl_output *output);

#endif
