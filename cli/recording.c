/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "analyze/lens.h"
#include "cli/cli.h"
#include "replay/recording.h"
#include "replay/store_replay.h"

int cli_open_recording(struct cli *cli, char **paths, unsigned int nr, int64_t run,
		       struct recording **out, struct rl_msg *msg)
{
	int ret;

	cli_progress_begin(cli);
	if (nr == 1 && lens_is_database(paths[0]))
		ret = recording_open_run(paths[0], run, &cli->progress, out, msg);
	else if (run)
		ret = rl_fail(msg, EINVAL, "%s: --run is for a database", paths[0]);
	else
		ret = recording_open((const char *const *)paths, nr, &cli->progress, out, msg);
	cli_progress_end();
	if (!ret && (*out)->run)
		cli_note(cli, "%s: run %lld, recorded in %s", paths[0], (long long)(*out)->run,
			 (*out)->path);
	return ret;
}

int cli_store_variants(const struct cli *cli, const char *path, int64_t parent,
		       const struct replay *replay, struct rl_msg *msg)
{
	struct store *store = NULL;
	int ret = store_open(path, STORE_APPEND, &store, msg);

	for (unsigned int v = 0; v < replay->nr_variants && !ret; v++) {
		int64_t run;

		ret = store_replay(store, replay, v, parent, &cli->progress, &run, msg);
		if (!ret)
			cli_note(cli, "%s: run %lld: %s %s", path, (long long)run,
				 *replay->variants[v].policy ? replay->variants[v].policy
							     : "as recorded",
				 replay->variants[v].changes);
	}
	if (!ret)
		ret = store_commit(store, msg);
	store_close(store);
	return ret;
}
