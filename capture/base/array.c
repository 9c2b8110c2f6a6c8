/* SPDX-License-Identifier: GPL-2.0-or-later */
/* array.c - arrays that grow with what is put into them */
#include "capture/base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

int rl_array_room(void *array, size_t *room, size_t nr, size_t size)
{
	size_t want = *room ? *room : FIRST_ROOM;
	char *old, *grown;

	if (nr < *room)
		return 0;
	while (want <= nr && want <= SIZE_MAX / 2)
		want *= 2;
	if (want <= nr || want > PTRDIFF_MAX / size)
		return -ENOMEM;
	/* Through memcpy(): the pointer's own type is the caller's. */
	memcpy(&old, array, sizeof(old));
	grown = realloc(old, want * size);
	if (!grown)
		return -ENOMEM;
	memset(grown + *room * size, 0, (want - *room) * size);
	memcpy(array, &grown, sizeof(grown));
	*room = want;
	return 0;
}
