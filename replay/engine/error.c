/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

int rc_fail(struct reclaim_error *error, int err, const char *fmt, ...)
{
	va_list ap;

	if (error) {
		va_start(ap, fmt);
		vsnprintf(error->text, sizeof(error->text), fmt, ap);
		va_end(ap);
	}
	return -err;
}

void rc_fatal(struct reclaim_engine *e, int err, const char *fmt, ...)
{
	va_list ap;

	if (e->fatal)
		return;
	e->fatal = -err;
	e->horizon = 0;
	va_start(ap, fmt);
	vsnprintf(e->fatal_error.text, sizeof(e->fatal_error.text), fmt, ap);
	va_end(ap);
}
