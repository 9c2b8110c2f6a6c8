/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - what the driver takes from the host: memory that is not the guest's, and files
 *
 * The demand, the tables and the requests in flight live in host memory, so that the driver leaves
 * the guest's page count alone. All functions return NULL or a negative errno on failure.
 */
#ifndef RECLAIMLAB_REPLAY_HOST_H
#define RECLAIMLAB_REPLAY_HOST_H

/* Zeroed memory, never given back. */
void *replay_host_alloc(unsigned long size);

/* A whole file, read only; *size gets its length. */
const void *replay_host_map(const char *path, unsigned long *size);
void replay_host_unmap(const void *map, unsigned long size);

int replay_host_create(const char *path);
int replay_host_write(int fd, const void *data, unsigned long size);
void replay_host_close(int fd);

#endif
