/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - the command that a recording is made of
 *
 * It is looked up before anything else is done, forked before memory is locked, and held until the
 * recording has begun; when its recorder dies before that it ends without running.
 */
#ifndef RECLAIMLAB_COMMAND_H
#define RECLAIMLAB_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/base/message.h"

struct rec_command {
	pid_t pid;  /* 0: none, or it has ended */
	int go;	    /* a byte lets it run */
	int failed; /* gives the errno of an exec that failed */
	int end;    /* can be read when it has ended; -1 before Linux 5.3 */
};

#define REC_COMMAND_NONE ((struct rec_command){ .go = -1, .failed = -1, .end = -1 })

/* Is there such a program? -ENOENT or -EACCES with a line that names it. */
int rec_command_check(char *const *argv, struct rl_msg *msg);

/*
 * Fork it; it waits. @marker: the file that text for the trace is to be written to, which it finds
 * in its environment as RECLAIMLAB_TRACE_MARKER; it may name a file that is there only later.
 */
int rec_command_start(struct rec_command *command, char *const *argv, const char *marker,
		      struct rl_msg *msg);

/* Let it run. A negative errno where it cannot be executed. */
int rec_command_go(struct rec_command *command, char *const *argv, struct rl_msg *msg);

/* True when it has ended; @status is as waitpid() gives it. */
bool rec_command_ended(struct rec_command *command, int *status);

/* Sleep for @ns, or until it ends or a signal comes. */
void rec_command_wait(struct rec_command *command, uint64_t ns);

/* End one that still runs, and wait for it. */
void rec_command_close(struct rec_command *command);

#endif
