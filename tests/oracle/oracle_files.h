/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_files.h - shared captures, unpacked and converted into the build folder
 *
 * A file that is there is taken as it is; one that is not is written under another name and
 * renamed, so that tests that run at the same time do not see half of it.
 */
#ifndef RECLAIMLAB_ORACLE_FILES_H
#define RECLAIMLAB_ORACLE_FILES_H

#include "capture/base/message.h"

/*
 * The path of @capture in @packing ("as-is", or VERSION-COMPRESSION as trace-cmd convert knows
 * them).
 * @path has PATH_MAX bytes. -ENOENT: the captures are not on this machine.
 */
int oracle_file(const char *capture, const char *packing, char *path, struct rl_msg *msg);

#endif
