/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_private.h - the looks of doctor.h, by file, and what they share */
#ifndef RECLAIMLAB_DOCTOR_PRIVATE_H
#define RECLAIMLAB_DOCTOR_PRIVATE_H

#include "capture/record/doctor.h"

struct doctor_text {
	char *text; /* to fill; "" at first */
	size_t size;
};

/* One look: fills @out and says how things stand. @path is the row's. */
typedef enum doctor_state doctor_look(const struct doctor_place *place, const char *path,
				      struct doctor_text out);

/* "/..." below the root of @place, anything else below its tracefs. */
void doctor_path(const struct doctor_place *place, const char *path, char *out, size_t size);

/* The begin of a file as text; 0 or a negative errno. */
int doctor_read(const struct doctor_place *place, const char *path, char *out, size_t size);

/* The first line of a file; "" where there is none. */
void doctor_line(const struct doctor_place *place, const char *path, char *out, size_t size);

/* A whole number that stands at the begin of a file, or @absent. */
int64_t doctor_number(const struct doctor_place *place, const char *path, int64_t absent);

/* Append to what is there. */
void doctor_add(struct doctor_text out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* doctor_machine.c */
doctor_look doctor_look_kernel, doctor_look_processors, doctor_look_memory, doctor_look_lockdown,
	doctor_look_rights, doctor_look_paranoid;

/* doctor_memory.c */
doctor_look doctor_look_marks, doctor_look_swap, doctor_look_thp, doctor_look_mglru,
	doctor_look_cgroup, doctor_look_numa, doctor_look_dirty;

#endif
