/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - totals and distributions made in the kernel, no event recorded
 *
 * summary.def names the histograms: stalls by order and length (synthetic events of a begin and an
 * end of the same task), throttle delays by reason, scanned and reclaimed pages by task. They are
 * set up in the recording's own instance; the synthetic events are global to the kernel and are
 * removed with it. At the end the histograms' text goes into the trace as markers
 * (counter_marker.h, file hist), which import turns into rows of the ordinary tables.
 */
#ifndef RECLAIMLAB_SUMMARY_H
#define RECLAIMLAB_SUMMARY_H

#include <stdio.h>

#include "capture/base/message.h"
#include "capture/record/instance.h"
#include "capture/record/sampler.h"

#define SUMMARY_PREFIX "reclaimlab_" /* of its synthetic events */

struct summary;

/*
 * Set up every histogram that the kernel can do; @warn gets a line for each that it cannot.
 * -ENOTSUP: the kernel has no histograms at all. -EBUSY: another summary is being recorded.
 */
int summary_open(struct rec_instance *inst, struct summary **out,
		 void (*warn)(void *ctx, const char *line), void *ctx, struct rl_msg *msg);

/* "system:event" lines of the events that the histograms were made of. */
void summary_events(const struct summary *summary, FILE *out);

/* Write what the histograms hold into the trace. */
void summary_write(struct summary *summary, struct sampler *sampler);

/* Remove the histograms from the instance at @dir that a killed recorder left: they hold it. */
void summary_remove(int dir);

/* Remove them. NULL is fine. */
void summary_close(struct summary *summary);

#endif
