/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

#define WORK_MAX_OPTIONS 32

double work_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void work_die(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static unsigned int suffix_shift(char suffix)
{
	switch (suffix) {
	case 'K':
		return 10;
	case 'M':
		return 20;
	case 'G':
		return 30;
	default:
		return 0;
	}
}

uint64_t work_number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	char *end;
	uint64_t value;
	unsigned int shift;

	errno = 0;
	value = strtoull(text, &end, 10);
	shift = suffix_shift(*end);
	if (shift)
		end++;
	if (errno || end == text || *text == '-' || *end || value > (UINT64_MAX >> shift) ||
	    value << shift < min || value << shift > max)
		work_die("%s: '%s' is not a number from %llu to %llu", option, text,
			 (unsigned long long)min, (unsigned long long)max);
	return value << shift;
}

int work_choice(const char *option, const char *text, const char *const names[])
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	fprintf(stderr, "%s: %s: '%s' is none of", program_invocation_short_name, option, text);
	for (int i = 0; names[i]; i++)
		fprintf(stderr, " %s", names[i]);
	fputc('\n', stderr);
	exit(2);
}

static void set_option(const struct work_option *option, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "--%s", option->name);
	if (option->number)
		*option->number = work_number(name, text, option->min, option->max);
	else if (option->choice)
		*option->choice = work_choice(name, text, option->names);
	else
		*option->text = text;
}

int work_options(int argc, char **argv, const struct work_option *options, const char *usage)
{
	struct option table[WORK_MAX_OPTIONS + 2] = { { "help", no_argument, NULL, 'h' } };
	int index, found;

	for (index = 0; index < WORK_MAX_OPTIONS && options[index].name; index++) {
		table[index + 1].name = options[index].name;
		table[index + 1].has_arg = required_argument;
	}
	while ((found = getopt_long(argc, argv, "", table, &index)) != -1) {
		if (found) {
			fputs(usage, found == 'h' ? stdout : stderr);
			exit(found == 'h' ? 0 : 2);
		}
		set_option(&options[index - 1], optarg);
	}
	return optind;
}

void work_start(struct work_limit *limit)
{
	limit->start = work_now();
}

bool work_continues(const struct work_limit *limit, uint64_t done, unsigned int *calls)
{
	if (limit->amount && done >= limit->amount)
		return false;
	if (limit->seconds && (*calls)++ % 64 == 0)
		return work_now() - limit->start < (double)limit->seconds;
	return true;
}

static int wait_for_tasks(unsigned int tasks)
{
	int failed = 0;

	while (tasks--) {
		int status;

		if (wait(&status) < 0)
			return 1;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			failed = 1;
	}
	return failed;
}

int work_run(unsigned int tasks, work_task task, void *context)
{
	unsigned int started;

	fflush(NULL);
	for (started = 0; started < tasks; started++) {
		pid_t pid = fork();

		if (pid < 0)
			break;
		if (pid == 0) {
			int status = task(context, started);

			fflush(NULL);
			_exit(status);
		}
	}
	return wait_for_tasks(started) || started < tasks;
}
