/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/text_tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"

#define COUNTS_MAX  4096
#define COUNT_SLOTS 8192 /* a power of two */
#define LOSSES_MAX  65536
#define UNREAD_TOLD 10
#define UNREAD_TEXT 72
#define COMM_SIZE   16

struct thread {
	int32_t pid; /* -1: free */
	char comm[COMM_SIZE];
};

struct text_tally {
	struct text_count *count[COUNTS_MAX];
	unsigned int nr_counts;
	uint16_t slot[COUNT_SLOTS]; /* index into count + 1 */
	struct thread *threads;
	size_t nr_threads, size_threads; /* a power of two */
	struct source_loss *losses;
	size_t nr_losses, room_losses;
	size_t first_untaken;  /* losses from here on wait for an event */
	uint64_t nr_unread[2]; /* [1]: records */
	char *first_unread[2]; /* in words */
	char *what[3];	       /* of losses */
	char *damage[UNREAD_TOLD + 2];
	unsigned int nr_damages;
};

static bool threads_alloc(struct text_tally *tally, size_t size)
{
	tally->threads = malloc(size * sizeof(*tally->threads));
	if (!tally->threads)
		return false;
	tally->size_threads = size;
	for (size_t i = 0; i < size; i++)
		tally->threads[i].pid = -1;
	return true;
}

struct text_tally *text_tally_new(void)
{
	struct text_tally *tally = calloc(1, sizeof(*tally));

	if (tally && !threads_alloc(tally, 1024)) {
		free(tally);
		return NULL;
	}
	return tally;
}

void text_tally_free(struct text_tally *tally)
{
	if (!tally)
		return;
	for (unsigned int i = 0; i < tally->nr_counts; i++) {
		free(tally->count[i]->system);
		free(tally->count[i]->name);
		free(tally->count[i]->missing);
		free(tally->count[i]);
	}
	for (unsigned int i = 0; i < tally->nr_damages; i++)
		free(tally->damage[i]);
	for (unsigned int i = 0; i < 2; i++)
		free(tally->first_unread[i]);
	for (unsigned int i = 0; i < 3; i++)
		free(tally->what[i]);
	free(tally->threads);
	free(tally->losses);
	free(tally);
}

static uint32_t hash_text(uint32_t hash, struct event_string text)
{
	for (uint32_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.text[i]) * 16777619u;
	return hash;
}

static bool same_text(const char *known, struct event_string text)
{
	return !strncmp(known, text.text, text.len) && !known[text.len];
}

static struct text_count *count_new(struct event_string system, struct event_string event)
{
	struct text_count *count = calloc(1, sizeof(*count));

	if (!count)
		return NULL;
	count->system = strndup(system.text, system.len);
	count->name = strndup(event.text, event.len);
	if (!count->system || !count->name) {
		free(count->system);
		free(count->name);
		free(count);
		return NULL;
	}
	count->id = vocab_find(system.len ? count->system : NULL, event.text, event.len);
	return count;
}

struct text_count *text_tally_event(struct text_tally *tally, struct event_string system,
				    struct event_string event)
{
	uint32_t at = hash_text(hash_text(2166136261u, system), event) % COUNT_SLOTS;
	struct text_count *count;

	for (; tally->slot[at]; at = (at + 1) % COUNT_SLOTS) {
		count = tally->count[tally->slot[at] - 1];
		if (same_text(count->name, event) && same_text(count->system, system))
			return count;
	}
	if (tally->nr_counts == COUNTS_MAX)
		return NULL;
	count = count_new(system, event);
	if (!count)
		return NULL;
	tally->count[tally->nr_counts++] = count;
	tally->slot[at] = (uint16_t)tally->nr_counts;
	return count;
}

static struct thread *thread_place(const struct text_tally *tally, int32_t pid)
{
	size_t at = ((uint32_t)pid * 2654435761u) & (tally->size_threads - 1);

	while (tally->threads[at].pid >= 0 && tally->threads[at].pid != pid)
		at = (at + 1) & (tally->size_threads - 1);
	return &tally->threads[at];
}

static bool threads_grow(struct text_tally *tally)
{
	struct thread *old = tally->threads;
	size_t size = tally->size_threads;

	if (!threads_alloc(tally, 2 * size)) {
		tally->threads = old;
		return false;
	}
	for (size_t i = 0; i < size; i++)
		if (old[i].pid >= 0)
			*thread_place(tally, old[i].pid) = old[i];
	free(old);
	return true;
}

int text_tally_comm(struct text_tally *tally, int32_t pid, struct event_string comm)
{
	struct thread *thread;
	uint32_t len = comm.len < COMM_SIZE ? comm.len : COMM_SIZE - 1;

	if (pid < 0 || !len)
		return 0;
	thread = thread_place(tally, pid);
	if (thread->pid == pid && !memcmp(thread->comm, comm.text, len) && !thread->comm[len])
		return 0;
	if (thread->pid < 0) {
		if (2 * tally->nr_threads >= tally->size_threads) {
			if (!threads_grow(tally))
				return -ENOMEM;
			thread = thread_place(tally, pid);
		}
		tally->nr_threads++;
		thread->pid = pid;
	}
	memset(thread->comm, 0, sizeof(thread->comm));
	memcpy(thread->comm, comm.text, len);
	return 0;
}

const char *text_tally_comm_of(const struct text_tally *tally, int32_t pid)
{
	const struct thread *thread;

	if (pid < 0)
		return NULL;
	thread = thread_place(tally, pid);
	return thread->pid == pid ? thread->comm : NULL;
}

int text_tally_loss(struct text_tally *tally, const char *kind, int32_t cpu, int64_t count)
{
	struct source_loss *losses;

	if (tally->nr_losses == LOSSES_MAX) {
		/* More than anybody reads: the last one takes the rest. */
		losses = &tally->losses[tally->nr_losses - 1];
		losses->count = losses->count < 0 || count < 0 ? -1 : losses->count + count;
		return 0;
	}
	if (rl_array_room(&tally->losses, &tally->room_losses, tally->nr_losses, sizeof(*losses)))
		return -ENOMEM;
	tally->losses[tally->nr_losses++] =
		(struct source_loss){ .cpu = cpu, .count = count, .kind = kind };
	return 0;
}

int64_t text_tally_take_loss(struct text_tally *tally, int32_t cpu, bool has_ts, uint64_t ts)
{
	int64_t sum = 0;
	bool all = true;

	for (size_t i = tally->first_untaken; i < tally->nr_losses; i++) {
		struct source_loss *loss = &tally->losses[i];

		if (loss->has_ts)
			continue;
		if (loss->cpu != cpu && loss->cpu >= 0) {
			all = false;
			continue;
		}
		if (strcmp(loss->kind, "overrun"))
			sum = sum < 0 || loss->count < 0 ? -1 : sum + loss->count;
		loss->has_ts = has_ts;
		loss->ts = ts;
	}
	if (all)
		tally->first_untaken = tally->nr_losses;
	return sum;
}

static int add_damage(struct text_tally *tally, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	tally->damage[tally->nr_damages++] = copy;
	return 0;
}

int text_tally_unread(struct text_tally *tally, bool record, uint64_t number, const char *why,
		      const char *text, size_t len)
{
	bool told = tally->nr_unread[0] + tally->nr_unread[1] < UNREAD_TOLD;
	char damage[UNREAD_TEXT + 128];

	if (tally->nr_unread[record]++ && !told)
		return 0;
	snprintf(damage, sizeof(damage), "line %" PRIu64 ": %s: '%.*s'", number, why,
		 len < UNREAD_TEXT ? (int)len : UNREAD_TEXT, text);
	for (char *p = damage; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	if (!tally->first_unread[record]) {
		tally->first_unread[record] = strdup(damage);
		if (!tally->first_unread[record])
			return -ENOMEM;
	}
	return told ? add_damage(tally, damage) : 0;
}

/* A loss that is told in words; @place is one of its own for each kind. */
static int add_told(struct text_tally *tally, const char *kind, uint64_t count, char **place,
		    char *what)
{
	int ret = what ? text_tally_loss(tally, kind, -1, (int64_t)count) : -ENOMEM;

	free(*place);
	*place = what;
	if (!ret)
		tally->losses[tally->nr_losses - 1].what = what;
	return ret;
}

static char *words(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *words(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

int text_tally_disorder(struct text_tally *tally, uint64_t number, uint64_t times)
{
	int ret;

	if (!times)
		return 0;
	ret = add_told(tally, "disorder", times, &tally->what[2],
		       words("line %" PRIu64 ": time goes back, %" PRIu64 " time%s in all", number,
			     times, times == 1 ? "" : "s"));
	return ret ? ret : add_damage(tally, tally->what[2]);
}

static int sum_unread(struct text_tally *tally)
{
	static const char *const kinds[] = { "unread", "unparsed" };
	static const char *const nouns[] = { "lines not understood", "records not readable" };

	for (unsigned int i = 0; i < 2; i++) {
		int ret;

		if (!tally->nr_unread[i])
			continue;
		ret = add_told(tally, kinds[i], tally->nr_unread[i], &tally->what[i],
			       words("%" PRIu64 " %s, first: %s", tally->nr_unread[i], nouns[i],
				     tally->first_unread[i]));
		if (ret)
			return ret;
	}
	return 0;
}

/* Names of the slots that no line of the event had. */
static char *missing_of(const struct text_count *count)
{
	const struct vocab_entry *entry;
	size_t size = 1;
	char *text;

	if (count->id == VOCAB_UNKNOWN || !count->have)
		return strdup("");
	entry = vocab_entry(count->id);
	for (unsigned int i = 0; i < entry->nr_fields; i++)
		size += strlen(entry->fields[i].name) + 1;
	text = calloc(1, size);
	for (unsigned int i = 0; text && i < entry->nr_fields; i++) {
		if (count->have & 1u << i)
			continue;
		strcat(text, text[0] ? " " : "");
		strcat(text, entry->fields[i].name);
	}
	return text;
}

int text_tally_finish(struct text_tally *tally)
{
	char text[96];
	uint64_t unread;
	int ret;

	for (unsigned int i = 0; i < tally->nr_counts; i++) {
		free(tally->count[i]->missing);
		tally->count[i]->missing = missing_of(tally->count[i]);
		if (!tally->count[i]->missing)
			return -ENOMEM;
	}
	ret = sum_unread(tally);
	unread = tally->nr_unread[0] + tally->nr_unread[1];
	if (ret || unread <= UNREAD_TOLD)
		return ret;
	snprintf(text, sizeof(text), "%" PRIu64 " lines in all could not be read", unread);
	return add_damage(tally, text);
}

bool text_tally_count_at(const struct text_tally *tally, unsigned int i, struct source_count *count)
{
	const struct text_count *known;

	if (i >= tally->nr_counts)
		return false;
	known = tally->count[i];
	*count = (struct source_count){ .system = known->system,
					.name = known->name,
					.id = (uint16_t)known->id,
					.present = true,
					.records = known->records,
					.missing = known->missing ? known->missing : "" };
	return true;
}

bool text_tally_loss_at(const struct text_tally *tally, unsigned int i, struct source_loss *loss)
{
	if (i >= tally->nr_losses)
		return false;
	*loss = tally->losses[i];
	return true;
}

const char *text_tally_damage_at(const struct text_tally *tally, unsigned int i)
{
	return i < tally->nr_damages ? tally->damage[i] : NULL;
}
