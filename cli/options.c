/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/duration.h"
#include "capture/base/nearest.h"
#include "cli/cli.h"

#define OPTIONS_MAX 48
#define HELP_OPTION 1 /* value of --help in getopt's table */
#define HELP_WIDTH  80
#define LONG_BASE   256 /* value of option i is LONG_BASE + i */

static unsigned int count_options(const struct cli_option *options)
{
	unsigned int n = 0;

	while (options && options[n].name)
		n++;
	return n < OPTIONS_MAX ? n : OPTIONS_MAX;
}

/* Options without words of their own, in as few lines as they need. */
static void print_others(const struct cli *cli, const struct cli_option *options, unsigned int n)
{
	unsigned int column = 0;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int width = (unsigned int)strlen(options[i].name) + 3;

		if (options[i].doc)
			continue;
		if (!column)
			column =
				(unsigned int)printf("  also, see reclaimlab-%s(1):", cli->command);
		else if (column + width > HELP_WIDTH)
			column = (unsigned int)printf("\n       ") - 1;
		column += (unsigned int)printf(" --%s", options[i].name);
	}
	if (column)
		putchar('\n');
}

static void print_help(const struct cli *cli, const struct cli_usage *usage)
{
	unsigned int n = count_options(usage->options);

	printf("usage: reclaimlab %s %s\n\n%s\n", cli->command, usage->synopsis, usage->doc);
	if (n)
		putchar('\n');
	for (unsigned int i = 0; i < n; i++) {
		const struct cli_option *o = &usage->options[i];
		char left[80];

		if (!o->doc)
			continue;
		snprintf(left, sizeof(left), "%c%c%s --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			 o->arg ? " " : "", o->arg ? o->arg : "");
		printf("  %-26s %s\n", left, o->doc);
	}
	print_others(cli, usage->options, n);
}

static bool parse_number(const char *text, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 0);
	return end != text && !*end && !errno;
}

static bool store_list(struct cli_list *list, const char *text)
{
	if (list->count == CLI_LIST_MAX)
		return false;
	list->item[list->count++] = text;
	return true;
}

static bool store_value(const struct cli_option *option, const char *text)
{
	switch (option->kind) {
	case CLI_FLAG:
		*(bool *)option->target = true;
		return true;
	case CLI_FILE:
		if (!*text)
			return false;
		*(const char **)option->target = text;
		return true;
	case CLI_TEXT:
		*(const char **)option->target = text;
		return true;
	case CLI_NUMBER:
		return parse_number(text, option->target);
	case CLI_TIME:
		return rl_duration_parse(text, option->target);
	case CLI_LIST:
		return store_list(option->target, text);
	}
	return false;
}

/* Fill getopt's two tables from ours. */
static void make_tables(const struct cli_option *options, unsigned int n, struct option *longs,
			char *shorts)
{
	*shorts++ = ':';
	*shorts++ = 'h';
	longs[0] = (struct option){ "help", no_argument, NULL, HELP_OPTION };
	for (unsigned int i = 0; i < n; i++) {
		bool has_arg = options[i].kind != CLI_FLAG;

		longs[i + 1] =
			(struct option){ options[i].name, has_arg ? required_argument : no_argument,
					 NULL, LONG_BASE + (int)i };
		if (!options[i].letter)
			continue;
		*shorts++ = options[i].letter;
		if (has_arg)
			*shorts++ = ':';
	}
	longs[n + 1] = (struct option){ 0 };
	*shorts = '\0';
}

static const struct cli_option *find_option(const struct cli_option *options, unsigned int n, int c)
{
	if (c >= LONG_BASE)
		return &options[c - LONG_BASE];
	for (unsigned int i = 0; i < n; i++)
		if (options[i].letter == c)
			return &options[i];
	return NULL;
}

/* @text: "--optoin", "--optoin=value" or "-x". */
static void no_option(const struct cli *cli, const struct cli_option *options, const char *text)
{
	struct rl_nearest nearest = { .word = text };
	char word[64], names[OPTIONS_MAX][40], meant[RL_NEAREST_SIZE];
	unsigned int n = count_options(options);

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text);
	nearest.word = word;
	for (unsigned int i = 0; i < n && !strncmp(text, "--", 2); i++) {
		snprintf(names[i], sizeof(names[i]), "--%s", options[i].name);
		rl_nearest_offer(&nearest, names[i]);
	}
	cli_usage_error(cli, "no option %s%s", text,
			rl_nearest_words(&nearest, meant, sizeof(meant)));
}

int cli_parse(const struct cli *cli, const struct cli_usage *usage, int argc, char **argv)
{
	unsigned int n = count_options(usage->options);
	struct option longs[OPTIONS_MAX + 2];
	char shorts[2 * OPTIONS_MAX + 3];
	int c;

	make_tables(usage->options, n, longs, shorts);
	optind = 1;
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct cli_option *option;

		if (c == HELP_OPTION || c == 'h') {
			print_help(cli, usage);
			return CLI_PARSE_HELP;
		}
		if (c == '?' || c == ':') {
			if (c == ':')
				cli_usage_error(cli, "%s needs a value", argv[optind - 1]);
			else
				no_option(cli, usage->options, argv[optind - 1]);
			return CLI_PARSE_WRONG;
		}
		option = find_option(usage->options, n, c);
		if (!option || !store_value(option, optarg)) {
			cli_usage_error(cli,
					option && option->kind == CLI_FILE
						? "--%s: \"%s\" names no file; it wants a %s"
						: "--%s: \"%s\" is no %s",
					option ? option->name : "", optarg ? optarg : "",
					option && option->arg ? option->arg : "value");
			return CLI_PARSE_WRONG;
		}
	}
	return optind;
}
