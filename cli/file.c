/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

int cli_write_file(const char *path, int (*write)(FILE *out, void *ctx, struct rl_msg *msg),
		   void *ctx, struct rl_msg *msg)
{
	FILE *out;
	int ret;

	if (!strcmp(path, "-"))
		return write(stdout, ctx, msg);
	out = fopen(path, "we");
	if (!out)
		return rl_fail(msg, errno, "%s: %s", path, strerror(errno));
	ret = write(out, ctx, msg);
	if ((ferror(out) | fclose(out)) && !ret)
		ret = rl_fail(msg, EIO, "%s: could not be written in full", path);
	if (ret)
		unlink(path);
	return ret;
}
