/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - standard input kept in a file
 *
 * What comes through a pipe can be read once. Whoever must look at its first bytes and then hand it
 * on by name keeps it in a file without a name and hands on a name of that file.
 */
#ifndef RECLAIMLAB_SPOOL_H
#define RECLAIMLAB_SPOOL_H

#include "capture/base/message.h"

struct rl_spool {
	int fd;	       /* -1: nothing is kept */
	char path[32]; /* opens the file as long as it is kept */
};

/* Read standard input to its end into a file in $TMPDIR. 0 or a negative errno. */
int rl_spool_stdin(struct rl_spool *spool, struct rl_msg *msg);

/* Where @msg begins with the path, say "standard input" instead. Returns @ret. */
int rl_spool_name(const struct rl_spool *spool, int ret, struct rl_msg *msg);

/* Give the file up. One whose fd is -1 is fine. */
void rl_spool_close(struct rl_spool *spool);

#endif
