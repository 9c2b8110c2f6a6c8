/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - input files, whatever they are packed in
 *
 * Two ways in. rl_map_open() gives a whole file as one read-only piece of memory, for readers that
 * decode in place; a file that comes through a pipe or is compressed (gzip, xz, zstd) is unpacked
 * to an unlinked temporary file in $TMPDIR first. rl_input_open() gives a stream of bytes in
 * bounded memory, for readers that go through a file once. Compression is known by the first bytes,
 * never by the name. Several members or frames one behind the other are one file, as the tools that
 * made them say.
 *
 * A name "-" is standard input in both.
 */
#ifndef RECLAIMLAB_MAP_H
#define RECLAIMLAB_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"

struct rl_map {
	const uint8_t *data; /* NULL when the file is empty */
	uint64_t size;	     /* bytes */
	int fd;		     /* of the (unpacked) file, for pread(); belongs to the map */
	const char *packing; /* "none", "gzip", "xz", "zstd" */
	/* Not "": the packing is damaged or ends too early, as this says; @data came before that.
	 */
	struct rl_msg damage;
};

struct rl_input;

/*
 * Map @path. Fails with -EISDIR for a directory, -ENOSPC when the temporary folder has no room for
 * the unpacked file, -EBADMSG when it cannot be unpacked at all, or what the system calls said. A
 * packing that is damaged further on is no error: see @map->damage. An empty file is none either.
 */
int rl_map_open(const char *path, struct rl_map *map, struct rl_msg *msg);

/* The same; unpacking reports to @progress (packed bytes) and ends with -EINTR when it says so. */
int rl_map_open_watched(const char *path, const struct rl_progress *progress, struct rl_map *map,
			struct rl_msg *msg);
void rl_map_close(struct rl_map *map);

/* Open @path as a stream. Errors as above. @in is owned by the caller until rl_input_close(). */
int rl_input_open(const char *path, struct rl_input **in, struct rl_msg *msg);

/*
 * Read up to @size bytes. Returns how many (less than @size only at the end), 0 at the end, or a
 * negative errno: -EBADMSG when the packing is damaged or ends too early. All that came before the
 * damage was returned by then, and asking again gives the same answer.
 */
ssize_t rl_input_read(struct rl_input *in, void *buf, size_t size, struct rl_msg *msg);

/*
 * The first @size bytes of @path, unpacked. Returns how many there are or a negative errno; what a
 * damaged packing gave before the damage is enough.
 */
ssize_t rl_input_head(const char *path, void *head, size_t size, struct rl_msg *msg);

/* "none", "gzip", "xz", "zstd". */
const char *rl_input_packing(const struct rl_input *in);

/* True for a regular file that is not packed and has a size (those of /proc have none): it can be
 * mapped as it is.
 */
bool rl_input_is_plain_file(const struct rl_input *in);

/* Bytes of the file itself (packed) read so far, and its size; 0 when it is a pipe. */
uint64_t rl_input_consumed(const struct rl_input *in);
uint64_t rl_input_file_size(const struct rl_input *in);

/* NULL is fine. */
void rl_input_close(struct rl_input *in);

#endif
