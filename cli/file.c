/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/base/output.h"
#include "cli/cli.h"

/* A pipe or a device is written to as it is. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int write_stream(FILE *out, const char *path,
			int (*write)(FILE *out, void *ctx, struct rl_msg *msg), void *ctx,
			struct rl_msg *msg)
{
	int ret = write(out, ctx, msg);

	if ((ferror(out) | fclose(out)) && !ret)
		ret = rl_fail(msg, EIO, "%s: could not be written in full", path);
	return ret;
}

int cli_write_file(const char *path, int (*write)(FILE *out, void *ctx, struct rl_msg *msg),
		   void *ctx, struct rl_msg *msg)
{
	struct rl_output output = RL_OUTPUT_NONE;
	FILE *out;
	int ret = 0;

	if (!strcmp(path, "-"))
		return write(stdout, ctx, msg);
	if (is_special(path)) {
		out = fopen(path, "we");
		return out ? write_stream(out, path, write, ctx, msg)
			   : rl_fail_errno(msg, errno, "%s", path);
	}
	ret = rl_output_open(&output, path, ".partial", NULL, 0666, msg);
	if (ret)
		return ret;
	out = fdopen(dup(output.fd), "we");
	ret = out ? write_stream(out, path, write, ctx, msg)
		  : rl_fail_errno(msg, errno, "%s", path);
	if (!ret)
		ret = rl_output_commit(&output, msg);
	rl_output_close(&output);
	return ret;
}
