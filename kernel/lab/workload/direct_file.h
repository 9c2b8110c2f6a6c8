/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct_file.h - files written around the page cache
 *
 * What a recorder writes through the page cache is memory taken from the load under test. A
 * direct_file gathers bytes in a locked, aligned buffer and writes whole buffers with O_DIRECT; at
 * the end the tail is written padded and the file is cut to its true size.
 */
#ifndef RECLAIMLAB_LAB_DIRECT_FILE_H
#define RECLAIMLAB_LAB_DIRECT_FILE_H

#include <stddef.h>
#include <stdint.h>

#define DIRECT_ALIGN 4096UL

struct direct_file {
	int fd;
	char *buffer;
	size_t size; /* of the buffer, a multiple of DIRECT_ALIGN */
	size_t used;
	uint64_t written; /* bytes in the file, without those still in the buffer */
};

/* All return 0 or a negative errno. A file system without O_DIRECT is written in the plain way. */
int direct_file_open(struct direct_file *file, const char *path, size_t buffer_size);
int direct_file_write(struct direct_file *file, const void *data, size_t size);

/* Append everything that @fd yields until its end. */
int direct_file_copy(struct direct_file *file, int fd);

/* Write the tail, cut the file to size, release everything. */
int direct_file_close(struct direct_file *file);

#endif
