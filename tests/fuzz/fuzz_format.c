/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the format text of an event of the vocabulary, and then as its records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/vocabulary/vocabulary.h"

static int pass_name(void *ctx, int64_t recorded, const char *name)
{
	*(size_t *)ctx += strlen(name);
	return 0;
}

/* The first two bytes choose the event and the machine; a NUL separates the format from a record.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct vocab_bound *bound;
	struct vocab_binder *binder;
	static struct event ev;
	const uint8_t *record;
	struct rl_msg msg;
	size_t len, names = 0;
	char *text;

	if (size < 3)
		return 0;
	text = malloc(size + 64);
	binder = vocab_binder_new(data[1] & 1, data[1] & 2 ? 4 : 8);
	if (!text || !binder)
		abort();
	len = (size_t)sprintf(text, "name: %s\n", vocab_entry(data[0] % VOCAB_NR)->name);
	record = memchr(data + 2, 0, size - 2);
	if (!record)
		record = data + size;
	memcpy(text + len, data + 2, (size_t)(record - data - 2));
	len += (size_t)(record - data - 2);
	vocab_binder_add(binder, vocab_entry(data[0] % VOCAB_NR)->system, text, len, &msg);
	bound = vocab_bound_at(binder, 0);
	if (bound)
		vocab_decode(binder, bound, record, size - (size_t)(record - data), &ev);
	for (int kind = VOCAB_INT; kind <= VOCAB_SYMBOL; kind++)
		vocab_binder_names(binder, kind, pass_name, &names);
	vocab_binder_free(binder);
	free(text);
	return 0;
}
