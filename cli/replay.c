/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay: what would another policy have done with the recorded demand? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/replay_print.h"
#include "replay/notes.h"
#include "replay/replay.h"
#include "replay/workload/demand_file.h"
#include "sql/store.h"

static const char doc[] =
	"Takes the demand out of a recording (what was asked of memory) and re-drives it\n"
	"through a model of reclaim: the recorded policy, graded against what happened,\n"
	"then each --policy or changed machine. A database gets the replays as runs.\n"
	"Example: reclaimlab replay trace.dat --policy linear:wsf=120 --memory 2x";

#define CHANGES_SIZE 512

struct options {
	bool explain, plain, sensitivity, watermarks;
	const char *export, *memory, *swappiness, *swap, *device, *output, *kernel;
	const char *engine;
	struct cli_list policies, set;
	int64_t ensemble, threads, run;
};

/* The options that change the machine, as machine_change() takes them. */
static int changes_of(const struct cli *cli, const struct options *o, char *buf)
{
	const struct {
		const char *key, *value;
	} named[] = {
		{ "memory", o->memory },
		{ "swappiness", o->swappiness },
		{ "swap", o->swap },
		{ "device", o->device },
	};
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (named[i].value && len < CHANGES_SIZE)
			len += (size_t)snprintf(buf + len, CHANGES_SIZE - len, "%s%s=%s",
						len ? " " : "", named[i].key, named[i].value);
	for (unsigned int i = 0; i < o->set.count && len < CHANGES_SIZE; i++)
		len += (size_t)snprintf(buf + len, CHANGES_SIZE - len, "%s%s", len ? " " : "",
					o->set.item[i]);
	return len < CHANGES_SIZE ? 0 : cli_usage_error(cli, "too many changes of the machine");
}

static int add_variants(struct replay *replay, const struct options *o, const char *changes,
			struct rl_msg *msg)
{
	int ret = 0;

	if (!o->policies.count && *changes)
		return replay_add(replay, "", changes, msg);
	for (unsigned int i = 0; i < o->policies.count && !ret; i++)
		ret = replay_add(replay, o->policies.item[i], changes, msg);
	return ret;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return a && b && !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* "uml", or "uml=FILE" with a kernel of one's own, which *@linux_file then is; else NULL. */
static bool engine_is_uml(const struct options *o, const char **linux_file)
{
	const char *rest = o->engine + 3;

	if (strncmp(o->engine, "uml", 3) || (*rest && *rest != '='))
		return false;
	*linux_file = *rest ? rest + 1 : NULL;
	return true;
}

/* @database: the one that @rec is a run of, which then gets the replays; NULL: none. */
static int replay_recording(struct cli *cli, const struct options *o, const char *database,
			    const char *changes, const struct recording *rec, struct rl_msg *msg)
{
	const char *output = o->output ? o->output : database;
	struct replay *replay = NULL;
	const char *linux_file;
	int ret;

	cli_progress_begin(cli);
	ret = replay_new(rec, (unsigned int)o->ensemble, o->sensitivity, &cli->progress, &replay,
			 msg);
	cli_progress_end();

	if (!ret && engine_is_uml(o, &linux_file)) {
		ret = replay_use_uml(replay, linux_file, msg);
		if (!ret)
			cli_note(cli, "User Mode Linux replays on one processor and one zone; "
				      "a run takes half a minute and more");
	}
	if (!ret)
		ret = add_variants(replay, o, changes, msg);
	if (!ret && o->explain) {
		print_machine(rec, replay->variants[0].machine);
		print_decisions(rec, replay->variants[0].machine);
	} else if (!ret) {
		cli_progress_begin(cli);
		ret = replay_run(replay, (unsigned int)o->threads, &cli->progress, msg);
		cli_progress_end();
		if (!ret) {
			print_machine(rec, replay->variants[0].machine);
			print_grade(replay);
			print_variants(replay);
		}
		if (!ret && output)
			ret = cli_store_variants(
				cli, output, same_file(output, database) ? rec->run : STORE_NULL,
				replay, msg);
	}
	replay_free(replay);
	return ret;
}

/* A demand file that does not tell its machine gets one of --memory. */
static int give_machine(const struct options *o, struct recording *rec, struct rl_msg *msg)
{
	rec->machine = malloc(sizeof(*rec->machine));
	if (!rec->machine)
		return rl_fail_errno(msg, ENOMEM, "machine");
	return machine_of_size(*rec->kernel ? rec->kernel : o->kernel, o->memory, rec->machine,
			       msg);
}

/* With the machine and the kernel's answer, where there are any and the file has them not yet. */
static int export_demand(const struct options *o, struct recording *rec, struct rl_msg *msg)
{
	struct machine *machine = malloc(sizeof(*machine));
	int ret = 0;

	if (!machine)
		return rl_fail_errno(msg, ENOMEM, "machine");
	if (!rec->is_demand && !machine_from_recording(rec, machine, msg))
		ret = notes_write(rec, machine, msg);
	free(machine);
	return ret ? ret : demand_save(rec->demand, o->export, o->plain, msg);
}

/* Before any trace is read: are the policies and changes such as a replay takes? */
static int check(const struct cli *cli, const struct options *o)
{
	char changes[CHANGES_SIZE];
	struct rl_msg msg;
	int ret = changes_of(cli, o, changes);

	if (ret)
		return ret;
	if (replay_check("", changes, &msg))
		return cli_usage_error(cli, "%s", msg.text);
	for (unsigned int i = 0; i < o->policies.count; i++)
		if (replay_check(o->policies.item[i], "", &msg))
			return cli_usage_error(cli, "%s", msg.text);
	return CLI_OK;
}

static int run(struct cli *cli, struct options *o, char **paths, unsigned int nr)
{
	struct recording *rec = NULL;
	char changes[CHANGES_SIZE];
	struct rl_msg msg;
	int ret = check(cli, o);

	if (ret)
		return ret;
	ret = cli_open_recording(cli, paths, nr, o->run, &rec, &msg);
	if (!ret && o->memory && recording_lacks_machine(rec)) {
		ret = give_machine(o, rec, &msg);
		o->memory = NULL;
	}
	changes_of(cli, o, changes);
	if (!ret && o->explain)
		print_explanation(rec);
	if (!ret && o->export)
		ret = export_demand(o, rec, &msg);
	else if (!ret)
		ret = replay_recording(cli, o, rec->run ? paths[0] : NULL, changes, rec, &msg);
	recording_free(rec);
	return ret ? cli_error(cli, &msg) : CLI_OK;
}

static int watermarks(const struct cli *cli, const struct options *o)
{
	struct options rest = *o;
	char changes[CHANGES_SIZE];
	struct rl_msg msg;
	int ret;

	if (!o->memory)
		return cli_usage_error(cli, "--watermarks needs --memory SIZE");
	rest.memory = NULL;
	ret = changes_of(cli, &rest, changes);
	if (ret)
		return ret;
	ret = print_watermarks(o->kernel, o->memory, changes, o->policies.item, o->policies.count,
			       &msg);
	return ret ? cli_usage_error(cli, "%s", msg.text) : CLI_OK;
}

int cli_replay(struct cli *cli, int argc, char **argv)
{
	struct options o = { .ensemble = 8, .kernel = "6.12", .engine = "model" };
	const struct cli_option options[] = {
		{ 'p', "policy", CLI_LIST, &o.policies, "P[:k=v,...]",
		  "a policy to try; may be given several times" },
		{ 0, "memory", CLI_TEXT, &o.memory, "SIZE", "another size of memory: 2x, 512M" },
		{ 0, "swappiness", CLI_TEXT, &o.swappiness, "N", "another swappiness, 0..200" },
		{ 0, "swap", CLI_TEXT, &o.swap, "SIZE", "another size of swap: off, 1G" },
		{ 0, "device", CLI_TEXT, &o.device, "D", "another disk: ssd, hdd, MB/s,us" },
		{ 0, "set", CLI_LIST, &o.set, "K=V",
		  "another property: min_free_kbytes=4x, cpus=4, ..." },
		{ 0, "run", CLI_NUMBER, &o.run, "N", "of a database: replay its run N" },
		{ 'o', "output", CLI_FILE, &o.output, "DB",
		  "add the replays to the database DB, each as a run" },
		{ 0, "watermarks", CLI_FLAG, &o.watermarks, NULL,
		  "print watermarks for --memory SIZE; no recording" },
		{ 0, "kernel", CLI_TEXT, &o.kernel, "RELEASE",
		  "whose rules, where no recording says (6.12)" },
		{ 0, "engine", CLI_TEXT, &o.engine, "E",
		  "model, or uml[=LINUX]: the kernel's code" },
		{ 0, "ensemble", CLI_NUMBER, &o.ensemble, "N", "members of an ensemble (8)" },
		{ 0, "sensitivity", CLI_FLAG, &o.sensitivity, NULL,
		  "again with the costs halved and doubled" },
		{ 'j', "threads", CLI_NUMBER, &o.threads, "N", "replays at once (one a CPU)" },
		{ 0, "explain", CLI_FLAG, &o.explain, NULL,
		  "print what is demand and what response" },
		{ 0, "export", CLI_FILE, &o.export, "FILE",
		  "write the demand to FILE; replay nothing" },
		{ 0, "plain", CLI_FLAG, &o.plain, NULL, "with --export: without compression" },
		{ 0 },
	};
	const struct cli_usage usage = { "TRACE|FOLDER|DEMAND|DB [COUNTERS...]", doc, options };
	const char *linux_file;
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (o.watermarks)
		return watermarks(cli, &o);
	if (first == argc)
		return cli_usage_error(cli, "no recording to replay");
	if (o.ensemble < 1 || o.ensemble > REPLAY_MAX_ENSEMBLE)
		return cli_usage_error(cli, "--ensemble: expected 1..%d", REPLAY_MAX_ENSEMBLE);
	if (strcmp(o.engine, "model") && !engine_is_uml(&o, &linux_file))
		return cli_usage_error(cli, "--engine: expected model or uml, found %s", o.engine);
	if (o.threads < 0 || o.threads > 256)
		return cli_usage_error(cli, "--threads: expected 0..256");
	return run(cli, &o, argv + first, (unsigned int)(argc - first));
}
