/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.h - counters into the trace, on its clock
 *
 * Reads counter files that it holds open and writes what changed into the instance's trace_marker,
 * in the form of capture/read/counter_marker.h. All memory is taken when it is opened.
 */
#ifndef RECLAIMLAB_SAMPLER_H
#define RECLAIMLAB_SAMPLER_H

#include "capture/base/message.h"
#include "capture/record/instance.h"

struct sampler;

/* @cgroups: directories, NULL-terminated, may be NULL. Files that the kernel lacks are left out. */
int sampler_open(struct rec_instance *inst, const char *const *cgroups, struct sampler **out,
		 struct rl_msg *msg);
void sampler_close(struct sampler *sampler);

/* Every file, complete, between "SNAP <label>" and "SNAPEND <label>", after a stat_refresh. */
void sampler_snapshot(struct sampler *sampler, const char *label);

/*
 * Every file, complete, at no moment that is marked: what later samples of changes stand on, in a
 * recording whose begin is overwritten. sampler_base() leaves out those that are long to read.
 */
void sampler_all(struct sampler *sampler);
void sampler_base(struct sampler *sampler);

/* A marker of words: "@what @text". */
void sampler_note(struct sampler *sampler, const char *what, const char *text);

/* What changed in every file. */
void sampler_full(struct sampler *sampler);

/* What changed in the values that a replay lives on: free pages, per-CPU lists, boost, pgalloc. */
void sampler_fast(struct sampler *sampler);

/* Lines of another text (in-kernel histograms), as a marker of @file and @scope. */
void sampler_lines(struct sampler *sampler, const char *file, const char *scope, const char *text,
		   size_t len);

#endif
