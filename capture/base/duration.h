/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duration.h - lengths of time as people write them
 */
#ifndef RECLAIMLAB_DURATION_H
#define RECLAIMLAB_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "12.5", "12.5s", "300ms", "20us", "5ns", with or without a sign: *@ns, rounded to the nearest.
 * False when @text is something else or beyond 9e18 ns; *@ns is left alone then.
 */
bool rl_duration_parse(const char *text, int64_t *ns);

#endif
