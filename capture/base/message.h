/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - how errors travel
 *
 * A function that can fail returns a negative errno and, where it takes a struct rl_msg, leaves one
 * line there that names the file, the offset or line, and what was expected. The innermost function
 * that knows these things writes the line; callers pass it on unchanged or add what they know in
 * front with rl_msg_prefix(). Nobody below cli/ prints, and nobody below cli/ exits.
 */
#ifndef RECLAIMLAB_MESSAGE_H
#define RECLAIMLAB_MESSAGE_H

#include <stdarg.h>

#define RL_MSG_SIZE 512

struct rl_msg {
	char text[RL_MSG_SIZE];
};

/*
 * Write a line to @msg and return -@err, so that a failing function can end in
 * "return rl_fail(msg, EINVAL, ...)". @err is a positive errno. @msg may be NULL. A text that does
 * not fit is cut; control bytes in it (a hostile file name, say) are replaced by '?'.
 */
int rl_fail(struct rl_msg *msg, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* rl_fail() for a failed system call: appends ": " and the text of @err. */
int rl_fail_errno(struct rl_msg *msg, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put a formatted text and ": " in front of what @msg holds. @msg may be NULL. */
void rl_msg_prefix(struct rl_msg *msg, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
