/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_format.h - the text of events/SYSTEM/EVENT/format, taken apart
 *
 * Inside the vocabulary only. The text says where each field of a record lies and, in its last
 * line, how the kernel prints the record ("print fmt"). It comes out of a recording and is not
 * trusted: whatever does not read as a format is an error, and every field lies within 64 KiB.
 */
#ifndef RECLAIMLAB_RECORD_FORMAT_H
#define RECLAIMLAB_RECORD_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"

enum field_shape {
	FIELD_NUMBER,	/* size 1, 2, 4 or 8 */
	FIELD_POINTER,	/* a number that is an address */
	FIELD_ARRAY,	/* size bytes at offset */
	FIELD_DATA_LOC, /* a word: offset from the record's begin, length << 16 */
	FIELD_REL_LOC,	/* the same, the offset counts from behind the word */
	FIELD_TAIL,	/* from offset to the end of the record */
};

/* A piece of the format text. */
struct text_span {
	const char *text;
	size_t len;
};

struct record_field {
	struct text_span name;
	struct text_span type;
	enum field_shape shape;
	uint32_t offset;
	uint32_t size;
	bool is_signed;
};

#define RECORD_FIELDS 128

struct record_format {
	struct text_span name;
	uint16_t id;
	unsigned int nr_fields;
	struct record_field field[RECORD_FIELDS];
	struct text_span print; /* what follows "print fmt:", empty where there is none */
};

/*
 * Take @text apart; the spans point into it. Returns 0 or -EINVAL with a line in @msg. More fields
 * than RECORD_FIELDS are an error, too.
 */
int record_format_parse(struct record_format *format, const char *text, size_t len,
			struct rl_msg *msg);

/* The field called @name, or NULL. */
const struct record_field *record_format_field(const struct record_format *format, const char *name,
					       size_t len);

bool span_equal(struct text_span span, const char *text);

#endif
