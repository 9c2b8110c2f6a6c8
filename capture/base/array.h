/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - arrays that grow with what is put into them
 */
#ifndef RECLAIMLAB_ARRAY_H
#define RECLAIMLAB_ARRAY_H

#include <stddef.h>

/*
 * See that an array has room for its entry number @nr (from 0). @array: the address of the pointer
 * to it, which may be NULL at first and is the caller's to free(); *@room: entries allocated;
 * @size: bytes of an entry. The array grows to twice its room, new room is zeroed. Returns 0, or
 * -ENOMEM with the array as it was.
 */
int rl_array_room(void *array, size_t *room, size_t nr, size_t size);

#endif
