/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "capture/base/nearest.h"
#include "cli/cli.h"

static const struct cli_command commands[] = {
#define COMMAND(name, doc) { #name, cli_##name, doc },
#include "cli/commands.def"
#undef COMMAND
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
	fputs("usage: reclaimlab COMMAND [options] [arguments]\n\n", out);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].doc);
	fputs("\n'reclaimlab COMMAND --help' tells the options of a command.\n", out);
}

static const struct cli_command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int no_command(const char *name)
{
	struct rl_nearest nearest = { .word = name };
	char meant[RL_NEAREST_SIZE];

	for (size_t i = 0; i < NR_COMMANDS; i++)
		rl_nearest_offer(&nearest, commands[i].name);
	if (nearest.name)
		fprintf(stderr, "reclaimlab: no command \"%s\"%s\n", name,
			rl_nearest_words(&nearest, meant, sizeof(meant)));
	else
		fprintf(stderr,
			"reclaimlab: no command \"%s\"; 'reclaimlab --help' lists them all\n",
			name);
	return CLI_USAGE;
}

static int flush_output(struct cli *cli, int status)
{
	struct rl_msg msg;

	if ((!fflush(stdout) && !ferror(stdout)) || status != CLI_OK)
		return status;
	rl_fail(&msg, 5, "writing the output failed");
	return cli_error(cli, &msg);
}

int main(int argc, char **argv)
{
	const struct cli_command *command;
	struct cli cli = { .command = "help" };

	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		print_help(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return flush_output(&cli, CLI_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("reclaimlab " RECLAIMLAB_VERSION);
		return flush_output(&cli, CLI_OK);
	}
	command = find_command(argv[1]);
	if (!command)
		return no_command(argv[1]);
	cli.command = command->name;
	return flush_output(&cli, command->run(&cli, argc - 1, argv + 1));
}
