/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demand_file.h - demand on disk
 *
 * The format is docs/demand-format.md: a fixed header, tables of tasks and files, notes in text,
 * then fixed-size records, everything behind the header as one zstd stream or plain. It is read
 * from the front to the back in bounded memory; demand_reader gives one record at a time,
 * demand_load() the whole.
 *
 * A file is not trusted: every count is checked against a limit and against the bytes that are
 * there, and every record against the tables, before anything is handed out.
 */
#ifndef RECLAIMLAB_DEMAND_FILE_H
#define RECLAIMLAB_DEMAND_FILE_H

#include <stdbool.h>

#include "capture/base/message.h"
#include "replay/workload/demand.h"

#define DEMAND_MAGIC   "RLDEMAND"
#define DEMAND_VERSION 1

/* Limits of the format. A file beyond them is refused. */
#define DEMAND_MAX_TASKS   (1u << 20)
#define DEMAND_MAX_FILES   (1u << 24)
#define DEMAND_MAX_NOTES   (1u << 20) /* bytes */
#define DEMAND_MAX_RECORDS (UINT64_C(1) << 32)

/*
 * Write @demand to @path, replacing it; @plain leaves out the compression. A file that could not be
 * written whole is removed. Returns 0 or a negative errno with a line in @msg.
 */
int demand_save(const struct demand *demand, const char *path, bool plain, struct rl_msg *msg);

struct demand_reader;

/*
 * Open @path and read everything before the first record. Errors: -EBADMSG (damaged or not a demand
 * file), -EPROTO (a version that this program does not know), -ENOMEM, or that of the system call.
 */
int demand_reader_open(const char *path, struct demand_reader **out, struct rl_msg *msg);

/* The tables and notes (no records). Owned by the reader. */
const struct demand *demand_reader_head(const struct demand_reader *reader);

/* Returns 1 and fills @rec, 0 behind the last record, or a negative errno (-EBADMSG: damaged). */
int demand_reader_next(struct demand_reader *reader, struct demand_record *rec, struct rl_msg *msg);

/* NULL is fine. */
void demand_reader_close(struct demand_reader *reader);

/* The whole file in memory; the caller frees *@out with demand_free(). Errors as above. */
int demand_load(const char *path, struct demand **out, struct rl_msg *msg);

#endif
