/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h - what the workload programs share: tasks, the end of the work, the clock
 *
 * A program forks its tasks; each works until it has done a fixed amount (comparable between runs)
 * or until a time has passed (steady load), prints one line of what it did and exits. Nothing is
 * written to files but what the work itself asks for.
 */
#ifndef RECLAIMLAB_LAB_WORK_H
#define RECLAIMLAB_LAB_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORK_PAGE 4096UL

struct work_limit {
	uint64_t amount;  /* touches or bytes of one task; 0: no fixed amount */
	uint64_t seconds; /* 0: no time limit */
	double start;	  /* set by work_start() */
};

typedef int (*work_task)(void *context, unsigned int index);

/* Seconds of the monotonic clock. */
double work_now(void);

/* Print "program: message" to stderr and exit with status 2. */
void work_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* A number with an optional K, M or G suffix (powers of 1024), within @min..@max, or death. */
uint64_t work_number(const char *option, const char *text, uint64_t min, uint64_t max);

/* An option "--name VALUE" of a program, made by one of the macros below; { 0 } ends a table. */
struct work_option {
	const char *name;
	uint64_t *number; /* of min..max; NULL: no number */
	uint64_t min, max;
	int *choice; /* position in names; NULL: no choice */
	const char *const *names;
	const char **text;
};

#define WORK_NUMBER(to, called, from, upto)                                                        \
	{                                                                                          \
		.name = (called), .number = (to), .min = (from), .max = (upto)                     \
	}
#define WORK_CHOICE(to, called, list)                                                              \
	{                                                                                          \
		.name = (called), .choice = (to), .names = (list)                                  \
	}
#define WORK_TEXT(to, called)                                                                      \
	{                                                                                          \
		.name = (called), .text = (to)                                                     \
	}

/*
 * Take the options of the command line as @options says. Prints @usage and ends the program for
 * --help, or when one is unknown or wrong. Returns the index of the first argument behind them.
 */
int work_options(int argc, char **argv, const struct work_option *options, const char *usage);

/* The position of @text in the NULL-ended list @names, or death naming the choices. */
int work_choice(const char *option, const char *text, const char *const names[]);

void work_start(struct work_limit *limit);

/* Has a task that did @done of its work more to do? Reads the clock every 64th call at most. */
bool work_continues(const struct work_limit *limit, uint64_t done, unsigned int *calls);

/* Fork @tasks processes that run @task; returns the exit status for main(). */
int work_run(unsigned int tasks, work_task task, void *context);

#endif
