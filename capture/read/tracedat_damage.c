/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <stdio.h>
#include <stdlib.h>

void tracedat_damage_add(struct tracedat *td, const struct tracedat_damage *where, const char *fmt,
			 ...)
{
	struct tracedat_damage *damage = &td->damages[td->damage_count];
	va_list ap;
	char *what;

	if (td->damage_count == TRACEDAT_DAMAGES_MAX) {
		td->damage_more++;
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		what = NULL;
	va_end(ap);
	if (!what) {
		td->damage_more++;
		return;
	}
	*damage = *where;
	damage->what = what;
	td->damage_count++;
}

void tracedat_damage_meta(struct tracedat *td, uint64_t offset, const struct rl_msg *msg)
{
	struct tracedat_damage where = { TRACEDAT_UNKNOWN, TRACEDAT_UNKNOWN, offset, 0, NULL };

	tracedat_damage_add(td, &where, "%s", msg->text);
}

void tracedat_damage_forget(struct tracedat *td, size_t keep)
{
	while (td->damage_count > keep)
		free((char *)td->damages[--td->damage_count].what);
	td->damage_more = 0;
}

const struct tracedat_damage *tracedat_damages(const struct tracedat *td, size_t *count)
{
	*count = td->damage_count;
	return td->damages;
}

uint64_t tracedat_damages_more(const struct tracedat *td)
{
	return td->damage_more;
}
