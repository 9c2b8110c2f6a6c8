/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h - what the running kernel offers to a recording, and how its memory is set up
 *
 * Looks, and changes nothing: no instance is made, no event is enabled. What events there are is
 * asked of preset.h; this file adds the facilities around them and the settings that decide how
 * the machine reclaims. All is read from files, so that the same look works on a copy of those of
 * another machine.
 */
#ifndef RECLAIMLAB_DOCTOR_H
#define RECLAIMLAB_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where to look. */
struct doctor_place {
	const char *root;    /* in front of /proc and /sys; "": this machine */
	const char *tracing; /* the tracefs folder; NULL: not mounted */
};

/*
 * Find the mounted tracefs in /proc/mounts below @root; one of debugfs will do. Nothing is mounted.
 * Writes its path, with @root in front, and returns true, or false where there is none.
 */
bool doctor_find_tracing(const char *root, char *path, size_t size);

enum doctor_group {
	DOCTOR_MACHINE,	  /* what runs here */
	DOCTOR_RECORDING, /* facilities of a recording */
	DOCTOR_MEMORY,	  /* settings that decide how memory is reclaimed */
};

enum doctor_state {
	DOCTOR_FACT, /* neither good nor bad */
	DOCTOR_YES,
	DOCTOR_NO, /* missing or not allowed: see @cost */
};

struct doctor_row {
	enum doctor_group group;
	const char *key;  /* "dynamic_probes" */
	const char *name; /* "dynamic probes" */
	enum doctor_state state;
	char detail[256]; /* what was found, or what is missing */
	const char *cost; /* what cannot be done without it; "" where nothing is lost */
};

/* Row number @i, from 0, group by group. Returns false behind the last. */
bool doctor_row_at(const struct doctor_place *place, unsigned int i, struct doctor_row *row);

/* A zone that manages pages, and its watermarks. All in pages. */
struct doctor_zone {
	char name[48]; /* "node 0 Normal" */
	int64_t managed, free, min, low, high;
	int64_t boost; /* added to the marks at the moment; 0 also on kernels that do not tell */
};

#define DOCTOR_ZONES 64

/* Fills @zones in the order of /proc/zoneinfo. Returns how many there are, 0 where it is closed. */
unsigned int doctor_zones(const struct doctor_place *place, struct doctor_zone zones[DOCTOR_ZONES]);

#endif
