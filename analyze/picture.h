/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - pictures made of characters
 */
#ifndef RECLAIMLAB_PICTURE_H
#define RECLAIMLAB_PICTURE_H

#include <stddef.h>

/* Bytes that a line of @width characters needs. */
#define PICTURE_BYTES(width) ((width)*3 + 1)

/*
 * One character a value, its height in eighths of the largest value; nothing (a blank) is 0, and
 * every value above 0 shows. @count values become at most @width characters: where there are more,
 * neighbours are added up. Returns the value of a full height.
 */
double picture_line(const double *value, size_t count, size_t width, char *buf);

#endif
