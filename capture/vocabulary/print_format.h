/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_format.h - what a recorded "print fmt" tells beside the text that it prints
 *
 * Inside the vocabulary only. Three things are wanted of it: the tables of __print_flags() and
 * __print_symbolic(), which give the recorded kernel's numbers their names; constants that the
 * kernel prints without recording them (pageblock_order); and the bit that makes sched_switch print
 * a "+". Their values are C expressions with casts, shifts and the ternary operator, evaluated here
 * in 64 bits. Names of enumerators that the kernel left in the text have no value: an entry with
 * one is left out, where libtraceevent takes it for 0.
 */
#ifndef RECLAIMLAB_PRINT_FORMAT_H
#define RECLAIMLAB_PRINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/vocabulary/record_format.h"

/*
 * Evaluate @expression with REC->@field (may be NULL) standing for @value. A string in it is worth
 * 1, an empty one 0. Returns false for anything that is not such an expression or has no value.
 */
bool print_evaluate(struct text_span expression, const struct text_span *field, int64_t value,
		    int64_t *result);

/* One entry of a table; @known is false where its number is an unresolved name. */
typedef void (*print_entry_fn)(void *ctx, bool known, int64_t number, struct text_span name);

/* Call @each with the entries of the table that prints REC->@field; returns how many there were. */
unsigned int print_table(struct text_span print, struct text_span field, print_entry_fn each,
			 void *ctx);

/* The argument that is printed behind "@key=", or an empty span. */
struct text_span print_argument(struct text_span print, const char *key, size_t len);

/* The argument that prints a "+" depending on a field, or an empty span. */
struct text_span print_plus_argument(struct text_span print);

#endif
