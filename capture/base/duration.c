/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duration.c - lengths of time as people write them */
#include "capture/base/duration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool rl_duration_parse(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	char *end;
	double value = strtod(text, &end);

	if (end == text)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		value *= units[i].ns;
		if (!isfinite(value) || fabs(value) > 9e18)
			return false;
		*ns = llround(value);
		return true;
	}
	return false;
}
