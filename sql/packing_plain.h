/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packing_plain.h - a column packed for speed
 *
 * A database that lives as long as the process is written once and read a few times: what counts is
 * the time of packing and unpacking. Every value takes the same one, two, four or eight bytes, as
 * its distance from the smallest one plus 1; 0 stands for NULL.
 *
 *	u8 transform (PACK_PLAIN), u8 bytes a value, i64 smallest value; then the values, all
 *	little-endian
 *
 * It is one more form of a packed column: unpack_column() reads it like any other.
 */
#ifndef RECLAIMLAB_PACKING_PLAIN_H
#define RECLAIMLAB_PACKING_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#define PACK_PLAIN 6 /* behind the transforms of packing.c */

/* Bytes that @nr values never exceed. */
#define PACK_PLAIN_BOUND(nr) ((nr)*8 + 10)

/*
 * Pack @nr values (1 to PACK_MAX_ROWS), those that are not NULL within @min and @max, into @out,
 * which has room for PACK_PLAIN_BOUND(@nr) bytes. @min > @max: all are NULL. Returns the bytes
 * used.
 */
size_t pack_plain(const int64_t *value, unsigned int nr, int64_t min, int64_t max, uint8_t *out);

/* Unpack what stands behind the transform: @size bytes into @nr values. 0 or -EBADMSG. */
int unpack_plain(const uint8_t *in, size_t size, unsigned int nr, int64_t *value);

#endif
