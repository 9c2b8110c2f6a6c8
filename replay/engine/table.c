/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table.c - from logical pages and file pages to frames
 *
 * A table is an array of chunks of RC_CHUNK entries, made when first written to, so that a sparse
 * file costs what it holds and a look-up is two loads.
 */
#include <stdlib.h>

#include "internal.h"

static int table_grow(struct rc_table *t, uint32_t nr)
{
	uint32_t cap = t->nr_chunks ? t->nr_chunks : 16;
	uint64_t **chunks;

	while (cap < nr)
		cap *= 2;
	chunks = realloc(t->chunks, cap * sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	memset(chunks + t->nr_chunks, 0, (cap - t->nr_chunks) * sizeof(*chunks));
	t->chunks = chunks;
	t->nr_chunks = cap;
	return 0;
}

uint64_t *rc_table_make(struct rc_table *t, uint32_t index)
{
	uint32_t c = index >> RC_CHUNK_SHIFT;

	if (c >= t->nr_chunks && table_grow(t, c + 1))
		return NULL;
	if (!t->chunks[c]) {
		t->chunks[c] = calloc(RC_CHUNK, sizeof(**t->chunks));
		if (!t->chunks[c])
			return NULL;
	}
	return &t->chunks[c][index & (RC_CHUNK - 1)];
}

void rc_table_free(struct rc_table *t)
{
	uint32_t i;

	for (i = 0; i < t->nr_chunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	*t = (struct rc_table){ 0 };
}

struct rc_file *rc_file_make(struct reclaim_engine *e, uint32_t file)
{
	struct rc_file *files;
	uint32_t cap = e->nr_files ? e->nr_files : 64;

	while (cap <= file)
		cap *= 2;
	files = realloc(e->files, cap * sizeof(*files));
	if (!files)
		return NULL;
	memset(files + e->nr_files, 0, (cap - e->nr_files) * sizeof(*files));
	e->files = files;
	e->nr_files = cap;
	return &e->files[file];
}

uint64_t *rc_page_slot(struct reclaim_engine *e, const struct rc_page *p)
{
	if (p->file == RC_NONE)
		return NULL;
	if (p->file == RECLAIM_FILE_LOGICAL)
		return rc_table_slot(&e->logical, p->index);
	return rc_table_slot(&e->files[p->file].table, p->index);
}
