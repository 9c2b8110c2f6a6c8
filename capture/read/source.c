/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/source_ops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/base/map.h"
#include "capture/base/spool.h"

/* The first that matches gets the input. */
static const struct source_ops *const kinds[] = {
	&source_tracedat_ops,
	&source_text_ops,
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct source_ops *find_kind(const uint8_t *head, size_t size)
{
	for (size_t i = 0; i < NR_KINDS; i++)
		if (kinds[i]->match(head, size))
			return kinds[i];
	return NULL;
}

static void say_unknown(const char *name, struct rl_msg *msg)
{
	char expects[256] = "";

	for (size_t i = 0; i < NR_KINDS; i++)
		snprintf(expects + strlen(expects), sizeof(expects) - strlen(expects), "%s%s",
			 i ? ", " : "", kinds[i]->expects);
	rl_fail(msg, EINVAL, "%s: offset 0: no trace that is known here, expected %s", name,
		expects);
}

static int open_kind(const char *name, const char *path, const struct rl_progress *progress,
		     struct source **out, struct rl_msg *msg)
{
	const struct source_ops *ops;
	uint8_t *head = malloc(SOURCE_HEAD_SIZE);
	ssize_t size;

	if (!head)
		return rl_fail_errno(msg, ENOMEM, "%s", name);
	size = rl_input_head(path, head, SOURCE_HEAD_SIZE, msg);
	ops = size > 0 ? find_kind(head, (size_t)size) : NULL;
	free(head);
	if (size < 0)
		return (int)size;
	if (ops)
		return ops->open(path, progress, out, msg);
	if (size)
		say_unknown(name, msg);
	else
		rl_fail(msg, EINVAL, "%s: the file is empty", name);
	return -EINVAL;
}

int source_open_watched(const char *path, const struct rl_progress *progress, struct source **out,
			struct rl_msg *msg)
{
	struct rl_spool spool = { .fd = -1 };
	bool piped = !strcmp(path, "-");
	struct source *source;
	char *name;
	int ret = 0;

	name = strdup(path);
	if (!name)
		return rl_fail_errno(msg, ENOMEM, "%s", path);
	if (piped)
		ret = rl_spool_stdin(&spool, msg);
	if (!ret)
		ret = open_kind(path, piped ? spool.path : path, progress, &source, msg);
	if (ret) {
		ret = rl_spool_name(&spool, ret, msg);
		rl_spool_close(&spool);
		free(name);
		return ret;
	}
	source->name = name;
	source->info.path = name;
	source->spool = spool;
	source->progress = progress;
	*out = source;
	return 0;
}

int source_open(const char *path, struct source **out, struct rl_msg *msg)
{
	return source_open_watched(path, NULL, out, msg);
}

void source_close(struct source *source)
{
	struct rl_spool spool;
	char *name;

	if (!source)
		return;
	name = source->name;
	spool = source->spool;
	source->ops->close(source);
	rl_spool_close(&spool);
	free(name);
}

const struct source_info *source_info(const struct source *source)
{
	return &source->info;
}

void source_want(struct source *source, enum vocab_id id, enum source_want want)
{
	source->ops->want(source, id, want);
}

void source_want_from(struct source *source, enum vocab_id id, unsigned int slot, int64_t min)
{
	source->ops->want_from(source, id, slot, min);
}

void source_progress(struct source *source, const struct rl_progress *progress)
{
	source->progress = progress;
}

int source_next(struct source *source, struct event *ev, struct rl_msg *msg)
{
	return source->ops->next(source, ev, msg);
}

const char *source_comm(const struct source *source, int32_t pid)
{
	return source->ops->comm(source, pid);
}

bool source_span(const struct source *source, uint64_t *first, uint64_t *last)
{
	return source->ops->span && source->ops->span(source, first, last);
}

bool source_count_at(const struct source *source, unsigned int i, struct source_count *count)
{
	return source->ops->count_at(source, i, count);
}

bool source_loss_at(const struct source *source, unsigned int i, struct source_loss *loss)
{
	return source->ops->loss_at(source, i, loss);
}

bool source_loss_is_gap(const struct source_loss *loss)
{
	return strcmp(loss->kind, "unread") != 0 && strcmp(loss->kind, "disorder") != 0 &&
	       strcmp(loss->kind, "overwritten") != 0;
}

const char *source_damage_at(const struct source *source, unsigned int i)
{
	return source->ops->damage_at(source, i);
}

int source_reports(const struct source *source, const struct counters_visitor *visitor,
		   struct rl_msg *msg)
{
	return source->ops->reports ? source->ops->reports(source, visitor, msg) : 0;
}
