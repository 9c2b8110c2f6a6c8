/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vocabulary.h - every event that the project knows
 *
 * One table, events.def, says everything that is known of an event: its system and name, the names
 * it had in other kernels, its fields with the names they have in formats and the keys they have on
 * a line, the kind of each value, and the store table that its records land in. Adding an event is
 * one entry there. No code anywhere asks for a kernel version: a recorded format (binary) or the
 * keys on a line (text) decide what is present.
 *
 * Values are canonical, so that runs of different kernels can be compared:
 *
 *	VOCAB_INT	the recorded integer, sign-extended as its format says
 *	VOCAB_GFP	GFP_* bits of gfp.h, translated by name through the recorded kernel's own
 *			table (print fmt) or from the names on a line
 *	VOCAB_FLAGS	reclaim flags: bit 0 ANON, 1 FILE, 2 SYNC, 3 ASYNC, 4 MIXED
 *	VOCAB_LRU	enum lru_list: 0 inactive_anon 1 active_anon 2 inactive_file 3 active_file
 *			4 unevictable
 *	VOCAB_REASON	throttle reasons, bit mask: 0 WRITEBACK 1 ISOLATED 2 NOPROGRESS 3 CONGESTED
 *	VOCAB_ZONE	zone_type by name: 0 DMA 1 DMA32 2 Normal 3 HighMem 4 Movable 5 Device
 *	VOCAB_COMPACT	compaction result by name, see vocab_domain_name()
 *	VOCAB_MODE	migrate_mode by name; VOCAB_MIGRATE_REASON by name
 *	VOCAB_DEV	major << 20 | minor
 *	VOCAB_BOOL	0 or 1 ("async" and "sync", "false" and "true", ...)
 *	VOCAB_STATE	task state, bit mask of 4.14 and later: 1 S 2 D 4 T 8 t 0x10 X 0x20 Z 0x40 P
 *			0x80 I, with 0x100 preempted while runnable ("R+") and, of older kernels,
 *			0x200 K 0x400 W 0x800 N 0x1000 x; 0 is R
 *	VOCAB_PRIO	compaction priority: 0 sync full, 1 sync light, 2 async
 *	VOCAB_RETRY	how a compaction ended for compact_retry: 1 failed 2 withdrawn 3 progress
 *	VOCAB_RSS	counter of an address space: 0 file, 1 anon, 2 swap entries, 3 shared memory
 *	VOCAB_WB_REASON	why a flusher works, by name; VOCAB_THP khugepaged's result by name
 *	VOCAB_PAGE	state of a page put on a list: 1 mapped, 2 anon, 8 swap cache, 0x10 swap
 *			backed, 0x20 mapped to disk, 0x40 has buffers
 *	VOCAB_STRING	text; VOCAB_SYMBOL a kernel symbol (address resolved by kallsyms where it is
 *			recorded): the text is in event.string, the value is 0. A symbol that cannot
 *			be resolved has an empty text and the address as value
 *
 * Enumerations without a table in the recording (raw integers) keep their number and the domain's
 * mapping of the release family that the other fields prove; where that is ambiguous the number is
 * kept, with VOCAB_RAW added to it so that it is not taken for another value, and
 *vocab_domain_name() answers NULL. vocab_format() prints the number itself.
 *
 * This layer knows formats, keys and values. It knows no files and no time order.
 */
#ifndef RECLAIMLAB_VOCABULARY_H
#define RECLAIMLAB_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/vocabulary/event.h"

#define VOCAB_RAW (INT64_C(1) << 20)

enum vocab_kind {
	VOCAB_INT,
	VOCAB_HEX, /* as VOCAB_INT; printed and usually written in hexadecimal (pfn, addresses) */
	VOCAB_GFP,
	VOCAB_FLAGS,
	VOCAB_LRU,
	VOCAB_REASON,
	VOCAB_ZONE,
	VOCAB_COMPACT,
	VOCAB_MODE,
	VOCAB_MIGRATE_REASON,
	VOCAB_DEV,
	VOCAB_BOOL,
	VOCAB_STATE,
	VOCAB_PRIO,
	VOCAB_RETRY,
	VOCAB_RSS,
	VOCAB_WB_REASON,
	VOCAB_THP,
	VOCAB_PAGE,
	VOCAB_STRING,
	VOCAB_SYMBOL,
};

/* Where the records of an event land. */
enum vocab_storage {
	VOCAB_COUNTED, /* only counted, in the coverage table */
	VOCAB_ROWS,    /* one row each in an ordinary table whose columns are the slots */
	VOCAB_COLUMNS, /* the same at page rate, in the column store */
	VOCAB_PAIRED,  /* an ingest handler makes rows of it (see sql/ingest.h) */
};

/* enum vocab_id: one enumerator an event, VOCAB_<name>. */
enum vocab_id {
#define EVENT(system, name, storage, table, doc) VOCAB_##name,
#define ALIAS(name, system, other)
#define FIELD(name, slot, kind, formats, keys, unit, doc)
#define EVENT_END(name)
#include "capture/vocabulary/events.def"
#undef EVENT
#undef ALIAS
#undef FIELD
#undef EVENT_END
	VOCAB_NR,
	VOCAB_UNKNOWN = 0xffff,
};

/* One enumerator a field: <name>_<slot>, counted from 0 within its event. */
#define EVENT(system, name, storage, table, doc)                                                   \
	enum name##_slots                                                                          \
	{
#define ALIAS(name, system, other)
#define FIELD(name, slot, kind, formats, keys, unit, doc) name##_##slot,
#define EVENT_END(name)                                                                            \
	name##_nr_slots                                                                            \
	}                                                                                          \
	;
#include "capture/vocabulary/events.def"
#undef EVENT
#undef ALIAS
#undef FIELD
#undef EVENT_END

struct vocab_field {
	const char *name; /* canonical name, also the column in the store */
	enum vocab_kind kind;
	const char *formats; /* names in recorded formats, "a|b", first that exists wins */
	const char *keys;    /* keys on a line, "a|b"; "" when the text has none */
	const char *unit;    /* "pages", "ns", "us", "bytes", "" */
	const char *doc;     /* one line for people */
};

struct vocab_entry {
	const char *system;
	const char *name;
	enum vocab_storage storage;
	const char *table;
	const char *doc;
	unsigned int nr_fields;
	const struct vocab_field *fields;
	const char *const *aliases; /* "system:name" of other kernels, NULL-terminated */
};

/* The entry of @id; @id must be below VOCAB_NR. */
const struct vocab_entry *vocab_entry(enum vocab_id id);

/*
 * The event called @name (not terminated, @len bytes), by its own name or an alias. @system may be
 * NULL when the input does not say it. VOCAB_UNKNOWN where the vocabulary has no such event.
 */
enum vocab_id vocab_find(const char *system, const char *name, size_t len);

/*
 * The slot of @id whose text key or format name is @key (not terminated), or -1.
 * Both spellings of every key are known ("usect_delayed" and "usec_delayed").
 */
int vocab_key(enum vocab_id id, const char *key, size_t len);

/*
 * How a key prints its value where the kind does not say it (events.def), and vocab_key() that
 * tells it: bare hexadecimal, bytes of a value in pages, one shifted left by the value.
 */
enum vocab_form {
	VOCAB_FORM_PLAIN = 0,
	VOCAB_FORM_HEX = 'x',
	VOCAB_FORM_BYTES = 'b',
	VOCAB_FORM_SHIFTED = 'l',
	VOCAB_FORM_BYTE_RANGE = 'r', /* "0-4095": two slots, the parts of it are FORM_BYTES */
	VOCAB_FORM_RANGE = 'p',	     /* "(0x1 ~ 0x2)": two slots */
};

int vocab_key_form(enum vocab_id id, const char *key, size_t len, enum vocab_form *form);

/*
 * Parse the text of a value of @kind, as kernels, trace-cmd, perf and raw (-R) output print it.
 * Returns 0 and sets *@value, or -EINVAL. Strings and symbols are not parsed here.
 */
int vocab_parse(enum vocab_kind kind, const char *text, size_t len, int64_t *value);

/* The same for a value printed in @form; @page_size is the recorded machine's in bytes, 0 unknown.
 */
int vocab_parse_form(enum vocab_kind kind, enum vocab_form form, unsigned int page_size,
		     const char *text, size_t len, int64_t *value);

/*
 * The mask that a kernel from 5.2 on has recorded as @number: its lowest 23 bits have not moved
 * since, the others depend on the kernel's configuration.
 */
int64_t vocab_gfp_number(int64_t number);

/*
 * Work out what an event's values imply: extfrag's fragmenting from its two orders, as the kernel
 * does and as no text can be trusted to say. vocab_decode() has done it; text sources call it.
 */
void vocab_complete(struct event *ev);

/* The name of @value in the domain of @kind, or NULL. For bit masks use vocab_format(). */
const char *vocab_domain_name(enum vocab_kind kind, int64_t value);

/* Print @value as the newest kernels do ("GFP_KERNEL|__GFP_COMP"); always terminated; returns buf.
 */
char *vocab_format(enum vocab_kind kind, int64_t value, char *buf, size_t size);

/*
 * Binding of recorded formats. A struct vocab_binder belongs to one recording: it knows the byte
 * order, the size of the kernel's long, and turns each format text into compiled accessors.
 */
struct vocab_binder;

/* @long_size: 4 or 8, the recorded kernel's. Returns NULL when memory is short. */
struct vocab_binder *vocab_binder_new(bool big_endian, unsigned int long_size);
void vocab_binder_free(struct vocab_binder *binder);

/*
 * Recorded kallsyms text ("address type name"), for VOCAB_SYMBOL values. It is not copied and must
 * outlive the binder.
 */
int vocab_binder_kallsyms(struct vocab_binder *binder, const char *text, size_t len,
			  struct rl_msg *msg);

/*
 * Add one recorded format. Unknown events are accepted and remembered by name for coverage. A
 * format that cannot be parsed or whose fields lie outside 64 KiB gives -EINVAL and is left out;
 * the caller notes it and goes on.
 */
int vocab_binder_add(struct vocab_binder *binder, const char *system, const char *text, size_t len,
		     struct rl_msg *msg);

/* How one field of a bound event is read. */
struct vocab_accessor {
	uint16_t offset;
	uint8_t size; /* 1, 2, 4, 8; 0: array of bytes */
	uint8_t slot;
	uint8_t op;	     /* enum vocab_op of binder.h: the load */
	uint8_t translation; /* enum vocab_translation of binder.h */
	uint16_t length;     /* of an array */
	const void *table;   /* translation table or NULL */
};

struct vocab_bound {
	uint16_t type;	   /* common_type */
	uint16_t id;	   /* enum vocab_id or VOCAB_UNKNOWN */
	uint16_t min_size; /* a record shorter than this is damaged */
	uint16_t nr_accessors;
	uint32_t have; /* slots that the format provides */
	const struct vocab_accessor *accessors;
	const char *system;  /* as recorded */
	const char *name;    /* as recorded */
	const char *missing; /* fields of the vocabulary that the format lacks, "a b", or "" */
};

/* The binding of common_type @type, or NULL. */
const struct vocab_bound *vocab_bound_by_type(const struct vocab_binder *binder, uint16_t type);

/* Iterate over everything bound: @i from 0 until NULL. */
const struct vocab_bound *vocab_bound_at(const struct vocab_binder *binder, unsigned int i);

/* The binding of an event of the vocabulary in this recording, or NULL: the kernel had it not. */
const struct vocab_bound *vocab_bound_by_id(const struct vocab_binder *binder, enum vocab_id id);

/* common_type and common_pid of a record; offsets are the recording's own. */
int vocab_record_type(const struct vocab_binder *binder, const uint8_t *data, size_t size);
int32_t vocab_record_pid(const struct vocab_binder *binder, const uint8_t *data, size_t size);

/*
 * Decode one record in place: sets id, pid, have, value and string of @ev (not ts, cpu, lost,
 * where). Returns 0, or -EBADMSG when the record is shorter than its format or a dynamic string
 * points outside it. Allocates nothing; cost is a load and a switch a field.
 */
int vocab_decode(const struct vocab_binder *binder, const struct vocab_bound *bound,
		 const uint8_t *data, size_t size, struct event *ev);

/*
 * The recorded kernel's own table of @kind, for the store: calls @each with each number and name
 * that some recorded print fmt gives. @each returns non-zero to stop.
 */
void vocab_binder_names(const struct vocab_binder *binder, enum vocab_kind kind,
			int (*each)(void *ctx, int64_t recorded, const char *name), void *ctx);

#endif
