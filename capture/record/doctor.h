/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h - what the running kernel offers to a recording
 *
 * Looks, and changes nothing: no instance is made, no event is enabled. What events there are is
 * asked of preset.h; this file adds the facilities around them.
 */
#ifndef RECLAIMLAB_DOCTOR_H
#define RECLAIMLAB_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

struct doctor_check {
	const char *name; /* "dynamic probes" */
	bool ok;
	char detail[160]; /* what was found, or what is missing */
	const char *cost; /* what cannot be done without it */
};

/* Check number @i, from 0. Returns false behind the last. */
bool doctor_check_at(unsigned int i, struct doctor_check *check);

#endif
