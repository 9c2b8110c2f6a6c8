/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_print.h - what replay and sweep write to stdout */
#ifndef RECLAIMLAB_REPLAY_PRINT_H
#define RECLAIMLAB_REPLAY_PRINT_H

#include "replay/decisions.h"
#include "replay/recording.h"
#include "replay/replay.h"

void print_explanation(const struct recording *rec);
void print_decisions(const struct recording *rec, const struct machine *machine);
void print_machine(const struct recording *rec, const struct machine *machine);
/* Also what the answers rest on, and the histogram of wakes. */
void print_grade(const struct replay *replay);
/* Each variant beside the recorded policy. */
void print_variants(const struct replay *replay);
/* "linear:wsf=120 memory=2x", "as recorded". */
void print_variant_name(const struct replay_variant *variant);

/*
 * The watermarks of a machine of one zone (machine_of_size()) under mainline and @policies.
 * @changes as for machine_apply(). Returns 0 or -EINVAL with a line in @msg.
 */
int print_watermarks(const char *kernel, const char *memory, const char *changes,
		     const char *const *policies, unsigned int nr, struct rl_msg *msg);

#endif
