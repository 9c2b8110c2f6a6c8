/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/base/clock.h"
#include "capture/base/utf8.h"
#include "cli/cli.h"

#define PROGRESS_INTERVAL_NS 100000000
#define NOTE_SIZE	     8192 /* two names of files and some words */

/* A signal handler has no other way to tell. */
static volatile sig_atomic_t interrupted, user_signals;

static void clear_line(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

int cli_usage_error(const struct cli *cli, const char *fmt, ...)
{
	char text[RL_MSG_SIZE];
	bool asked;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	asked = *text && text[strlen(text) - 1] == '?';
	fprintf(stderr, "reclaimlab %s: %s%s 'reclaimlab %s --help' tells the usage\n",
		cli->command, text, asked ? "" : ";", cli->command);
	return CLI_USAGE;
}

int cli_error(const struct cli *cli, const struct rl_msg *msg)
{
	clear_line();
	if (interrupted)
		fprintf(stderr, "reclaimlab %s: interrupted\n", cli->command);
	else
		fprintf(stderr, "reclaimlab %s: %s\n", cli->command, msg->text);
	return CLI_FAILED;
}

void cli_note(const struct cli *cli, const char *fmt, ...)
{
	char text[NOTE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	clear_line();
	utf8_print(stderr, text, sizeof(text));
	fputc('\n', stderr);
}

static void on_signal(int sig)
{
	if (interrupted) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	interrupted = 1;
}

static void on_user_signal(int sig)
{
	user_signals++;
}

void cli_watch_user_signal(void)
{
	struct sigaction action = { .sa_handler = on_user_signal, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
}

bool cli_user_signal(struct cli *cli)
{
	if (cli->user_signals == (unsigned int)user_signals)
		return false;
	cli->user_signals++;
	return true;
}

bool cli_interrupted(void)
{
	return interrupted;
}

static int report(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	uint64_t *last = ctx;
	uint64_t now;

	if (interrupted)
		return 1;
	if (!isatty(STDERR_FILENO))
		return 0;
	now = rl_now_ns();
	if (now - *last < PROGRESS_INTERVAL_NS)
		return 0;
	*last = now;
	if (total)
		fprintf(stderr, "\r\033[K%3u%% of %s", (unsigned int)(done * 100.0 / total), what);
	else
		fprintf(stderr, "\r\033[K%llu %s", (unsigned long long)done, what);
	fflush(stderr);
	return 0;
}

void cli_progress_begin(struct cli *cli)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	cli->progress = (struct rl_progress){ .report = report, .ctx = &cli->progress_shown };
}

void cli_progress_end(void)
{
	clear_line();
}
