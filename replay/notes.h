/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - what travels in a demand file beside the demand
 *
 * The notes of a demand file (docs/demand-format.md) hold the machine that the demand was recorded
 * on, in the engine's terms and with its calibrated costs, and what the recorded kernel answered.
 * So a demand file is replayed and graded to the last bit as its recording is. Each member of the
 * structures is a line "key value [value ...]"; the tables in notes.c say which, and a member that
 * the notes leave out keeps its default.
 */
#ifndef RECLAIMLAB_NOTES_H
#define RECLAIMLAB_NOTES_H

#include "capture/base/message.h"
#include "replay/machine.h"
#include "replay/recording.h"

/*
 * Add @machine and what @recording has of response and calibration to the notes of
 * @recording->demand. Stall times and the like that the format's limit has no room for are left
 * out. Returns 0, or -ENOMEM.
 */
int notes_write(struct recording *recording, const struct machine *machine, struct rl_msg *msg);

/*
 * The reverse: fill @recording->response and ->calibration, and *@machine, from the notes of
 * @recording->demand. Returns 1 when there is a machine in them, 0 when there is none (*@machine is
 * then untouched), or -EBADMSG with the key and what was expected.
 */
int notes_read(struct recording *recording, struct machine *machine, struct rl_msg *msg);

#endif
