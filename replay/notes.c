/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/workload/demand_file.h"

#define VALUE_SIZE 1000 /* characters of a line's values, below what a note takes */
#define KEY_SIZE   64
#define CHUNK	   40 /* numbers of a list in one line */
#define LIST_BYTES (DEMAND_MAX_NOTES / 4)
#define MAX_LIST   (1u << 20)

enum kind { KIND_U32, KIND_U64, KIND_I64, KIND_BOOL };

/* @count values of one kind in a row. */
struct field {
	const char *name;
	size_t offset;
	enum kind kind;
	unsigned int count;
};

#define SIZE_OF(type, member) sizeof(((type *)0)->member)
#define ONE(type, member, kind)                                                                    \
	{                                                                                          \
#member, offsetof(type, member), kind, 1                                           \
	}
#define U32(type, member)                                                                          \
	{                                                                                          \
#member, offsetof(type, member), KIND_U32, SIZE_OF(type, member) / 4               \
	}
#define U64(type, member)                                                                          \
	{                                                                                          \
#member, offsetof(type, member), KIND_U64, SIZE_OF(type, member) / 8               \
	}
#define I64(type, member)                                                                          \
	{                                                                                          \
#member, offsetof(type, member), KIND_I64, SIZE_OF(type, member) / 8               \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL                                                                               \
	}

#define M(kind, member) kind(struct reclaim_machine, member)
static const struct field machine_fields[] = {
	M(U32, page_size),
	M(U32, cpus),
	M(U32, nodes),
	M(U32, nr_zones),
	M(U32, hz),
	M(U32, pageblock_order),
	M(I64, min_free_kbytes),
	ONE(struct reclaim_machine, thp, KIND_BOOL),
	M(U32, watermark_scale_factor),
	M(U32, watermark_boost_factor),
	M(U32, lowmem_reserve_ratio),
	M(U32, swappiness),
	M(U64, swap_pages),
	M(U32, swap_device),
	M(U32, page_cluster),
	M(U32, dirty_ratio),
	M(U32, dirty_background_ratio),
	M(U64, dirty_limit),
	M(U32, dirty_writeback_ms),
	M(U32, dirty_expire_ms),
	M(U64, slab_freeable),
	ONE(struct reclaim_machine, kswapd_asked, KIND_BOOL),
	M(U32, kswapd_order),
	M(U32, nr_devices),
	M(U32, nr_memcgs),
	ONE(struct reclaim_machine, memory_recursiveprot, KIND_BOOL),
	M(I64, timeslice_ns),
	M(I64, wake_latency_ns),
	M(U32, wake_spread_ppm),
	M(U32, idle_pull_ppm),
	M(I64, pauses.mean_gap_ns),
	M(U32, pauses.think_ppm),
	END,
};

#define Z(kind, member) kind(struct reclaim_zone_desc, member)
static const struct field zone_fields[] = {
	Z(U32, node),
	Z(U32, type),
	Z(U64, start_pfn),
	Z(U64, spanned),
	Z(U64, managed),
	Z(U64, managed_at_setup),
	END,
};

#define I(kind, member) kind(struct reclaim_initial, member)
static const struct field initial_fields[] = {
	I(U64, inactive_anon),
	I(U64, active_anon),
	I(U64, inactive_file),
	I(U64, active_file),
	I(U64, unevictable),
	I(U64, slab_reclaimable),
	I(U64, free),
	I(U64, pcp),
	I(U32, free_blocks),
	I(U32, pageblocks),
	I(U32, pcp_high),
	I(U32, nr_known),
	END,
};

#define W(kind, member) kind(struct reclaim_wmarks, member)
static const struct field wmark_fields[] = {
	W(U64, min), W(U64, low), W(U64, high), W(U64, promo), W(U64, reserve), END,
};

#define D(kind, member) kind(struct reclaim_device_desc, member)
static const struct field device_fields[] = {
	D(U64, read_bytes_per_s),
	D(U64, write_bytes_per_s),
	D(I64, read_latency_ns),
	D(I64, write_latency_ns),
	D(U32, queues),
	D(U32, queue_depth),
	D(U32, hw_queues),
	ONE(struct reclaim_device_desc, shared_bus, KIND_BOOL),
	ONE(struct reclaim_device_desc, rotational, KIND_BOOL),
	ONE(struct reclaim_device_desc, throttle_writes, KIND_BOOL),
	ONE(struct reclaim_device_desc, write_cache, KIND_BOOL),
	D(U32, merge_pages),
	END,
};

#define G(kind, member) kind(struct reclaim_memcg_desc, member)
static const struct field memcg_fields[] = {
	G(U32, parent),
	G(U64, max),
	G(U64, high),
	G(U64, low),
	G(U64, min),
	G(U64, soft_limit),
	ONE(struct reclaim_memcg_desc, v1, KIND_BOOL),
	END,
};

#define C(member) U32(struct reclaim_costs, member)
static const struct field cost_fields[] = {
	C(alloc_fast),
	C(alloc_slow),
	C(free_page),
	C(cache_hit),
	C(cache_add),
	C(fault),
	C(scan_page),
	C(reclaim_page),
	C(pageout_page),
	C(activate_page),
	C(reclaim_batch),
	C(reclaim_pass),
	C(wake),
	C(io_submit),
	C(compact_page),
	C(migrate_page),
	END,
};

_Static_assert(sizeof(cost_fields) / sizeof(*cost_fields) - 1 ==
		       sizeof(struct reclaim_costs) / sizeof(uint32_t),
	       "every cost is in the notes");

static const struct field class_fields[] = {
	U32(struct reclaim_ref_class, per_look_ppm),
	U32(struct reclaim_ref_class, per_second_ppm),
	END,
};

#define CAL(kind, member) kind(struct calibration, member)
static const struct field calibration_fields[] = {
	CAL(U32, scan_page),
	CAL(U32, reclaim_page),
	CAL(U32, pageout),
	CAL(U32, batch),
	CAL(U32, pass),
	CAL(U32, alloc),
	CAL(U32, cache_add),
	CAL(U32, free_page),
	CAL(U32, wake),
	CAL(U64, wakes_stayed),
	CAL(U64, wakes_moved),
	CAL(U64, turns_stayed),
	CAL(U64, turns_moved),
	CAL(U64, covered_ns),
	CAL(U64, pauses),
	CAL(I64, pause_gap_ns),
	CAL(I64, pause_quantile),
	CAL(U64, anon_looks),
	CAL(U64, anon_referenced),
	CAL(U64, file_looks),
	CAL(U64, file_referenced),
	END,
};

#define R(member) U64(struct response, member)
static const struct field response_fields[] = {
	R(start),	  R(end),	    R(scan),	     R(steal),	       R(scan_anon),
	R(scan_file),	  R(steal_anon),    R(steal_file),   R(refill),	       R(wakes),
	R(sleeps),	  R(wake_requests), R(writes),	     R(activated),     R(kept),
	R(fallbacks),	  R(stalls),	    R(stall_ns),     R(throttles),     R(throttle_us),
	R(throttle_full), R(refault_anon),  R(refault_file), R(activate_file), END,
};

/* "prefix.name" in @key of KEY_SIZE bytes: names of the tables above, none is longer. */
static void make_key(char *key, const char *prefix, const char *name)
{
	size_t len = strlen(prefix), rest = strlen(name);

	if (len + rest + 2 > KEY_SIZE)
		abort();
	memcpy(key, prefix, len);
	key[len] = '.';
	memcpy(key + len + 1, name, rest + 1);
}

static void make_row_key(char *key, const char *prefix, size_t row)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", row);
	make_key(key, prefix, number);
}

/* ---- writing ---- */

static int put_value(char *to, size_t size, const void *at, enum kind kind, unsigned int i)
{
	switch (kind) {
	case KIND_U32:
		return snprintf(to, size, "%" PRIu32 " ", ((const uint32_t *)at)[i]);
	case KIND_U64:
		return snprintf(to, size, "%" PRIu64 " ", ((const uint64_t *)at)[i]);
	case KIND_I64:
		return snprintf(to, size, "%" PRId64 " ", ((const int64_t *)at)[i]);
	case KIND_BOOL:
		return snprintf(to, size, "%d ", ((const bool *)at)[i]);
	}
	return 0;
}

static int put_line(struct demand *demand, const char *key, const void *at, enum kind kind,
		    unsigned int count)
{
	char values[VALUE_SIZE];
	size_t len = 0;

	for (unsigned int i = 0; i < count && len < sizeof(values); i++)
		len += (size_t)put_value(values + len, sizeof(values) - len, at, kind, i);
	if (!len || len >= sizeof(values))
		return len ? -ENOMEM : 0;
	values[len - 1] = '\0';
	return demand_note(demand, key, "%s", values);
}

static int put_fields(struct demand *demand, const char *prefix, const struct field *fields,
		      const void *from)
{
	char key[KEY_SIZE];
	int ret = 0;

	for (const struct field *f = fields; f->name && !ret; f++) {
		make_key(key, prefix, f->name);
		ret = put_line(demand, key, (const char *)from + f->offset, f->kind, f->count);
	}
	return ret;
}

static int put_rows(struct demand *demand, const char *prefix, const struct field *fields,
		    const void *from, size_t size, unsigned int nr)
{
	char row[KEY_SIZE];
	int ret = 0;

	for (unsigned int i = 0; i < nr && !ret; i++) {
		make_row_key(row, prefix, i);
		ret = put_fields(demand, row, fields, (const char *)from + i * size);
	}
	return ret;
}

/* A list over as many lines as it needs: "key N", then "key.0 ...", "key.1 ...". */
static int put_list(struct demand *demand, const char *key, const uint64_t *list, size_t nr)
{
	char line[KEY_SIZE];
	uint64_t count = nr;
	int ret;

	if (nr * 21 > LIST_BYTES)
		return 0;
	ret = put_line(demand, key, &count, KIND_U64, 1);
	for (size_t i = 0; i < nr && !ret; i += CHUNK) {
		make_row_key(line, key, i / CHUNK);
		ret = put_line(demand, line, list + i, KIND_U64,
			       (unsigned int)(nr - i < CHUNK ? nr - i : CHUNK));
	}
	return ret;
}

#define SECOND_WORDS (sizeof(struct response_second) / sizeof(uint64_t))
_Static_assert(sizeof(struct response_second) % sizeof(uint64_t) == 0, "a second is a row of u64");

static int put_response(struct demand *demand, const struct response *r)
{
	int ret = put_fields(demand, "response", response_fields, r);

	if (!ret)
		ret = put_list(demand, "response.stall_times", r->stall_times, r->nr_stall_times);
	if (!ret)
		ret = put_list(demand, "response.wake_pages", r->wake_pages, r->nr_wake_pages);
	if (!ret)
		ret = put_list(demand, "response.seconds", (const uint64_t *)r->seconds,
			       r->nr_seconds * SECOND_WORDS);
	return ret;
}

static uint32_t nr_known(const struct machine *m)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->machine.nr_zones; i++)
		nr += m->initial[i].nr_known;
	return nr;
}

static int put_known(struct demand *demand, const struct machine *m)
{
	uint64_t list[MACHINE_KNOWN];
	uint32_t nr = nr_known(m);

	for (uint32_t i = 0; i < nr; i++)
		list[i] = m->known[i];
	return put_list(demand, "machine.known", list, nr);
}

static int put_machine(struct demand *demand, const struct machine *m)
{
	const struct reclaim_machine *mm = &m->machine;
	int ret = demand_note(demand, "profile", "%s", reclaim_profile_name(m->profile));

	if (!ret)
		ret = demand_note(demand, "machine.words", "%s", m->words);
	if (!ret)
		ret = put_fields(demand, "machine", machine_fields, mm);
	if (!ret)
		ret = put_line(demand, "machine.pause_quantiles", m->pause_quantiles, KIND_I64,
			       (unsigned int)mm->pauses.nr_quantiles);
	if (!ret)
		ret = put_fields(demand, "cost", cost_fields, &mm->costs);
	if (!ret)
		ret = put_rows(demand, "zone", zone_fields, mm->zones, sizeof(*mm->zones),
			       mm->nr_zones);
	if (!ret)
		ret = put_rows(demand, "initial", initial_fields, m->initial, sizeof(*m->initial),
			       mm->nr_zones);
	if (!ret)
		ret = put_known(demand, m);
	if (!ret)
		ret = put_rows(demand, "seen", wmark_fields, m->seen, sizeof(*m->seen),
			       mm->nr_zones);
	if (!ret)
		ret = put_rows(demand, "device", device_fields, mm->devices, sizeof(*mm->devices),
			       mm->nr_devices);
	if (!ret)
		ret = put_rows(demand, "memcg", memcg_fields, mm->memcgs, sizeof(*mm->memcgs),
			       mm->nr_memcgs);
	if (!ret)
		ret = put_rows(demand, "ref_class", class_fields, mm->ref_classes,
			       sizeof(*mm->ref_classes), RECLAIM_NR_REF_CLASSES);
	return ret;
}

int notes_write(struct recording *recording, const struct machine *machine, struct rl_msg *msg)
{
	struct demand *demand = recording->demand;
	int ret = put_machine(demand, machine);

	if (!ret)
		ret = put_fields(demand, "calibration", calibration_fields,
				 &recording->calibration);
	if (!ret)
		ret = put_response(demand, &recording->response);
	if (!ret && recording->lost)
		ret = demand_note(demand, "lost", "%" PRIu64, recording->lost);
	return ret ? rl_fail_errno(msg, -ret, "notes of the demand") : 0;
}

/* ---- reading ---- */

struct reader {
	const struct demand *demand;
	struct rl_msg *msg;
};

/* One number of @kind at *@text, which moves on; false when there is none. */
static bool take_value(char **text, void *at, enum kind kind, unsigned int i)
{
	char *end;

	errno = 0;
	if (kind == KIND_I64) {
		((int64_t *)at)[i] = strtoll(*text, &end, 10);
	} else {
		uint64_t value = strtoull(*text, &end, 10);

		if (strchr(*text, '-') && strchr(*text, '-') < end)
			return false;
		if (kind == KIND_U64)
			((uint64_t *)at)[i] = value;
		else if (kind == KIND_U32 && value <= UINT32_MAX)
			((uint32_t *)at)[i] = (uint32_t)value;
		else if (kind == KIND_BOOL && value <= 1)
			((bool *)at)[i] = value;
		else
			return false;
	}
	if (errno || end == *text || (*end && *end != ' '))
		return false;
	*text = end;
	return true;
}

/* Returns how many values there were, 0 when the key is not there, or -EBADMSG. */
static int get_line(struct reader *r, const char *key, void *at, enum kind kind, unsigned int count)
{
	char values[VALUE_SIZE], *text = values;
	unsigned int i;

	if (!demand_note_find(r->demand, key, values, sizeof(values)))
		return 0;
	for (i = 0; i < count && *text; i++)
		if (!take_value(&text, at, kind, i))
			break;
	if (*text || !i)
		return rl_fail(r->msg, EBADMSG, "note %s: expected up to %u numbers", key, count);
	return (int)i;
}

static int get_fields(struct reader *r, const char *prefix, const struct field *fields, void *to)
{
	char key[KEY_SIZE];
	int ret = 0;

	for (const struct field *f = fields; f->name && ret >= 0; f++) {
		make_key(key, prefix, f->name);
		ret = get_line(r, key, (char *)to + f->offset, f->kind, f->count);
	}
	return ret < 0 ? ret : 0;
}

static int get_rows(struct reader *r, const char *prefix, const struct field *fields, void *to,
		    size_t size, unsigned int nr)
{
	char row[KEY_SIZE];
	int ret = 0;

	for (unsigned int i = 0; i < nr && !ret; i++) {
		make_row_key(row, prefix, i);
		ret = get_fields(r, row, fields, (char *)to + i * size);
	}
	return ret;
}

static int get_list(struct reader *r, const char *key, uint64_t **list, size_t *nr, size_t *room)
{
	char line[KEY_SIZE];
	uint64_t count = 0;
	int ret = get_line(r, key, &count, KIND_U64, 1);

	if (ret <= 0 || !count)
		return ret < 0 ? ret : 0;
	if (count > MAX_LIST)
		return rl_fail(r->msg, EBADMSG, "note %s: expected at most %u values", key,
			       MAX_LIST);
	*list = calloc(count, sizeof(**list));
	if (!*list)
		return rl_fail_errno(r->msg, ENOMEM, "note %s", key);
	*nr = *room = count;
	for (size_t i = 0; i < count && ret >= 0; i += CHUNK) {
		size_t want = count - i < CHUNK ? count - i : CHUNK;

		make_row_key(line, key, i / CHUNK);
		ret = get_line(r, line, *list + i, KIND_U64, (unsigned int)want);
		if (ret >= 0 && (size_t)ret < want)
			ret = rl_fail(r->msg, EBADMSG, "note %s: expected %zu numbers", line, want);
	}
	return ret < 0 ? ret : 0;
}

static int get_response(struct reader *r, struct response *to)
{
	uint64_t *words = NULL;
	size_t nr = 0, room;
	int ret = get_fields(r, "response", response_fields, to);

	if (!ret)
		ret = get_list(r, "response.stall_times", &to->stall_times, &to->nr_stall_times,
			       &to->room_stall_times);
	if (!ret)
		ret = get_list(r, "response.wake_pages", &to->wake_pages, &to->nr_wake_pages,
			       &to->room_wake_pages);
	if (!ret)
		ret = get_list(r, "response.seconds", &words, &nr, &room);
	to->seconds = (struct response_second *)words;
	to->nr_seconds = to->room_seconds = nr / SECOND_WORDS;
	return ret;
}

static int get_pauses(struct reader *r, struct machine *m)
{
	int nr = get_line(r, "machine.pause_quantiles", m->pause_quantiles, KIND_I64,
			  CALIBRATE_QUANTILES);
	int64_t least = 0;

	if (nr < 0)
		return nr;
	m->machine.pauses.nr_quantiles = (size_t)nr;
	for (int i = 0; i < nr; i++) {
		if (m->pause_quantiles[i] < least)
			return rl_fail(r->msg, EBADMSG,
				       "note machine.pause_quantiles: expected ascending times");
		least = m->pause_quantiles[i];
	}
	if (m->machine.pauses.think_ppm > 1000000)
		return rl_fail(r->msg, EBADMSG,
			       "note machine.pauses.think_ppm: expected 0 to 1000000");
	if (m->machine.pauses.mean_gap_ns < 0 || m->machine.wake_latency_ns < 0)
		return rl_fail(r->msg, EBADMSG, "note machine.*: expected times above 0");
	return 0;
}

/* Frames known to be free: as many as the zones say. */
static int get_known(struct reader *r, struct machine *m)
{
	uint64_t *list = NULL, most = 0;
	size_t nr = 0, room, at = 0;
	int ret = get_list(r, "machine.known", &list, &nr, &room);

	for (uint32_t i = 0; i < m->machine.nr_zones; i++)
		most += m->initial[i].nr_known;
	if (!ret && (most != nr || nr > MACHINE_KNOWN))
		ret = rl_fail(r->msg, EBADMSG,
			      "note machine.known: expected %" PRIu64 " numbers, at most %u", most,
			      MACHINE_KNOWN);
	for (uint32_t i = 0; !ret && i < m->machine.nr_zones; i++) {
		for (uint32_t k = 0; k < m->initial[i].nr_known; k++, at++) {
			if (list[at] > UINT32_MAX)
				ret = rl_fail(r->msg, EBADMSG,
					      "note machine.known: expected frames of the zones");
			m->known[at] = (uint32_t)list[at];
		}
	}
	free(list);
	return ret;
}

static int get_machine(struct reader *r, struct machine *m)
{
	struct reclaim_machine *mm = &m->machine;
	int ret = get_fields(r, "machine", machine_fields, mm);

	if (!ret && (mm->nr_zones > RECLAIM_MAX_ZONES || mm->nr_devices > RECLAIM_MAX_DEVICES ||
		     mm->nr_memcgs > RECLAIM_MAX_MEMCGS))
		ret = rl_fail(r->msg, EBADMSG,
			      "notes: %u zones, %u devices and %u memory cgroups: expected at most "
			      "%d, %d and %d",
			      mm->nr_zones, mm->nr_devices, mm->nr_memcgs, RECLAIM_MAX_ZONES,
			      RECLAIM_MAX_DEVICES, RECLAIM_MAX_MEMCGS);
	if (!ret)
		ret = get_pauses(r, m);
	if (!ret)
		ret = get_fields(r, "cost", cost_fields, &mm->costs);
	if (!ret)
		ret = get_rows(r, "zone", zone_fields, mm->zones, sizeof(*mm->zones), mm->nr_zones);
	if (!ret)
		ret = get_rows(r, "initial", initial_fields, m->initial, sizeof(*m->initial),
			       mm->nr_zones);
	if (!ret)
		ret = get_known(r, m);
	if (!ret)
		ret = get_rows(r, "seen", wmark_fields, m->seen, sizeof(*m->seen), mm->nr_zones);
	if (!ret)
		ret = get_rows(r, "device", device_fields, mm->devices, sizeof(*mm->devices),
			       mm->nr_devices);
	if (!ret)
		ret = get_rows(r, "memcg", memcg_fields, mm->memcgs, sizeof(*mm->memcgs),
			       mm->nr_memcgs);
	if (!ret)
		ret = get_rows(r, "ref_class", class_fields, mm->ref_classes,
			       sizeof(*mm->ref_classes), RECLAIM_NR_REF_CLASSES);
	return ret;
}

int notes_read(struct recording *recording, struct machine *machine, struct rl_msg *msg)
{
	struct reader r = { .demand = recording->demand, .msg = msg };
	const struct reclaim_profile *profile;
	char name[KEY_SIZE];
	int ret = get_response(&r, &recording->response);

	if (!ret)
		ret = get_fields(&r, "calibration", calibration_fields, &recording->calibration);
	if (!ret)
		ret = get_line(&r, "lost", &recording->lost, KIND_U64, 1);
	if (ret < 0 || !demand_note_find(r.demand, "profile", name, sizeof(name)))
		return ret < 0 ? ret : 0;
	profile = reclaim_profile_find(name);
	if (!profile)
		return rl_fail(msg, EBADMSG, "note profile: \"%s\" is none that this program knows",
			       name);
	memset(machine, 0, sizeof(*machine));
	reclaim_machine_init(&machine->machine);
	machine->profile = profile;
	if (!demand_note_find(r.demand, "machine.words", machine->words, sizeof(machine->words)))
		snprintf(machine->words, sizeof(machine->words), "as the demand file says");
	ret = get_machine(&r, machine);
	if (ret)
		return ret;
	machine_fix(machine);
	return 1;
}
