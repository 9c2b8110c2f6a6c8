/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_input.h - lines of a file, one and the one behind it, in bounded memory
 *
 * A line longer than TEXT_LINE_MAX is cut there. Ends of lines are LF or CR-LF; the last line need
 * not have one.
 */
#ifndef RECLAIMLAB_TEXT_INPUT_H
#define RECLAIMLAB_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"

/* Bytes; a test may compile with less to see more of what happens at the limit. */
#ifndef TEXT_LINE_MAX
#define TEXT_LINE_MAX 65536
#endif

struct text_input;

/* One line, without its end; valid until the next text_input_next(). */
struct text_piece {
	const char *text;
	size_t len;
	uint64_t number; /* from 1; 0: there is none */
};

/* Errors as rl_input_open(). */
int text_input_open(const char *path, struct text_input **out, struct rl_msg *msg);
void text_input_close(struct text_input *in);

/*
 * Step on: @line is the next line and @following the one behind it, number 0 where it is the last.
 * Returns 1, 0 at the end, or a negative errno.
 */
int text_input_next(struct text_input *in, struct text_piece *line, struct text_piece *following,
		    struct rl_msg *msg);

/* Bytes of the (packed) file read so far and in all, for a progress report. */
uint64_t text_input_consumed(const struct text_input *in);
uint64_t text_input_size(const struct text_input *in);

#endif
