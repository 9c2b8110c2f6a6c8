/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/binder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "capture/vocabulary/domain.h"
#include "capture/vocabulary/print_format.h"
#include "capture/vocabulary/record_format.h"

#define FORMAT_TEXT_MAX (1u << 20)
#define NAMES_MAX	4096

/* One format on its way to a struct vocab_bound. */
struct binding {
	struct vocab_binder *binder;
	const struct record_format *format;
	const struct vocab_entry *entry;
	const struct vocab_field *field; /* the one being bound */
	struct vocab_accessor accessor[EVENT_SLOTS];
	unsigned int nr_accessors;
	unsigned int min_size;
	uint32_t have;
	bool no_memory;
};

static bool host_is_big_endian(void)
{
	const uint16_t one = 1;
	uint8_t first;

	memcpy(&first, &one, 1);
	return !first;
}

/* The four lowest bits mean the same in every kernel; the rest is unknown until a table names it.
 */
static struct vocab_bits *gfp_bits_new(void)
{
	struct vocab_bits *bits = calloc(1, sizeof(*bits));

	if (!bits)
		return NULL;
	for (unsigned int bit = 0; bit < 32; bit++)
		vocab_bits_set(bits, 1u << bit, bit < 4 ? INT64_C(1) << bit : RL_GFP(UNKNOWN));
	return bits;
}

struct vocab_binder *vocab_binder_new(bool big_endian, unsigned int long_size)
{
	struct vocab_binder *binder = calloc(1, sizeof(*binder));

	if (!binder)
		return NULL;
	binder->gfp = gfp_bits_new();
	if (!binder->gfp) {
		free(binder);
		return NULL;
	}
	binder->big_endian = big_endian;
	binder->swap = big_endian != host_is_big_endian();
	binder->long_size = long_size;
	binder->pid_offset = 4;
	return binder;
}

static bool translation_owned(uint8_t translation, uint8_t op)
{
	return translation == TR_MAP || translation == TR_BITS || op == OP_CONSTANT;
}

static void bound_free(struct vocab_bound *bound)
{
	if (!bound)
		return;
	for (unsigned int i = 0; i < bound->nr_accessors; i++)
		if (translation_owned(bound->accessors[i].translation, bound->accessors[i].op))
			free((void *)bound->accessors[i].table);
	free((void *)bound->accessors);
	free((char *)bound->system);
	free((char *)bound->name);
	free((char *)bound->missing);
	free(bound);
}

void vocab_binder_free(struct vocab_binder *binder)
{
	if (!binder)
		return;
	for (unsigned int i = 0; i < binder->nr_bound; i++)
		bound_free(binder->bound[i]);
	for (unsigned int i = 0; i < binder->nr_names; i++)
		free(binder->names[i].name);
	free(binder->bound);
	free(binder->names);
	free(binder->gfp);
	vocab_symbols_free(binder->symbols);
	free(binder);
}

int vocab_binder_kallsyms(struct vocab_binder *binder, const char *text, size_t len,
			  struct rl_msg *msg)
{
	struct symbols *symbols = vocab_symbols_new(text, len);

	if (!symbols)
		return rl_fail(msg, ENOMEM, "kallsyms: no memory for %zu bytes", len);
	vocab_symbols_free(binder->symbols);
	binder->symbols = symbols;
	return 0;
}

void vocab_bits_set(struct vocab_bits *bits, uint32_t number, int64_t value)
{
	unsigned int bit, byte, mask;
	int64_t old;

	if (!number || number & (number - 1))
		return;
	bit = (unsigned int)__builtin_ctz(number);
	byte = bit / 8;
	mask = 1u << bit % 8;
	old = bits->byte[byte][mask];
	for (unsigned int i = 0; i < 256; i++)
		if (i & mask)
			bits->byte[byte][i] = (bits->byte[byte][i] & ~old) | value;
	for (unsigned int i = 0; i < 256; i++)
		for (unsigned int b = 1; b < 256; b <<= 1)
			if (i & b)
				bits->byte[byte][i] |= bits->byte[byte][b];
}

/* Remember a recorded name for vocab_binder_names(), once. */
static void binder_note_name(struct vocab_binder *binder, enum vocab_kind kind, int64_t number,
			     struct text_span name)
{
	struct vocab_name *names;

	for (unsigned int i = 0; i < binder->nr_names; i++)
		if (binder->names[i].kind == kind && binder->names[i].number == number &&
		    span_equal(name, binder->names[i].name))
			return;
	if (binder->nr_names == NAMES_MAX)
		return;
	if (rl_array_room(&binder->names, &binder->max_names, binder->nr_names, sizeof(*names)))
		return;
	names = &binder->names[binder->nr_names];
	names->kind = kind;
	names->number = number;
	names->name = strndup(name.text, name.len);
	if (names->name)
		binder->nr_names++;
}

void vocab_binder_names(const struct vocab_binder *binder, enum vocab_kind kind,
			int (*each)(void *ctx, int64_t recorded, const char *name), void *ctx)
{
	for (unsigned int i = 0; i < binder->nr_names; i++)
		if (binder->names[i].kind == kind &&
		    each(ctx, binder->names[i].number, binder->names[i].name))
			return;
}

static bool is_one_bit(int64_t number)
{
	return number > 0 && number <= UINT32_MAX && !(number & (number - 1));
}

static void gfp_entry(void *ctx, bool known, int64_t number, struct text_span name)
{
	struct vocab_binder *binder = ctx;
	struct vocab_bits *bits = binder->gfp;
	int64_t value;

	number &= UINT32_MAX;
	if (!known)
		return;
	binder_note_name(binder, VOCAB_GFP, number, name);
	if (!is_one_bit(number) || !gfp_single_name(name.text, name.len, &value))
		return;
	if (span_equal(name, "GFP_WAIT")) {
		bits->implied = RL_GFP(KSWAPD_RECLAIM);
		bits->implied_unless = RL_GFP(KSWAPD_RECLAIM) | RL_GFP(NO_KSWAPD);
	}
	/* Up to 4.3 GFP_ATOMIC was another name of GFP_HIGH, which stands on its own in the table.
	 */
	if (span_equal(name, "GFP_ATOMIC") && number == 0x20)
		value = RL_GFP(HIGH);
	vocab_bits_set(bits, (uint32_t)number, value);
}

static void bind_gfp(struct binding *b, const struct record_field *field, struct vocab_accessor *a)
{
	if (!b->binder->gfp->known &&
	    print_table(b->format->print, field->name, gfp_entry, b->binder))
		b->binder->gfp->known = true;
	a->translation = TR_GFP;
	a->table = b->binder->gfp;
}

/* A recorded table on its way to a struct vocab_map or vocab_bits. */
struct table {
	struct vocab_binder *binder;
	enum vocab_kind kind;
	unsigned int known;
	bool identity;
	bool mask;
	int64_t number[MAP_SIZE];
	int64_t value[MAP_SIZE];
};

static void table_add(void *ctx, bool known, int64_t number, struct text_span name)
{
	struct table *table = ctx;
	int64_t value;

	if (!known || table->known == MAP_SIZE || !name.len)
		return;
	binder_note_name(table->binder, table->kind, number, name);
	if (!domain_value(table->kind, name.text, name.len, &value))
		return;
	table->number[table->known] = number;
	table->value[table->known++] = value;
	table->identity &= number == value;
}

static void *table_map(const struct table *table)
{
	struct vocab_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->other = domain_keeps_order(table->kind) ? 0 : VOCAB_RAW;
	if (table->kind == VOCAB_ZONE && table->known) {
		/* Kernels name every zone but ZONE_DEVICE. */
		domain_value(VOCAB_ZONE, "Device", 6, &map->other);
		map->other_is_value = true;
	}
	for (int i = 0; i < MAP_SIZE; i++)
		map->value[i] = map->other_is_value ? map->other : map->other + i;
	for (unsigned int i = 0; i < table->known; i++)
		if (table->number[i] >= 0 && table->number[i] < MAP_SIZE)
			map->value[table->number[i]] = table->value[i];
	return map;
}

static void *table_bits(const struct table *table)
{
	struct vocab_bits *bits = calloc(1, sizeof(*bits));

	if (!bits)
		return NULL;
	for (unsigned int i = 0; i < table->known; i++)
		if (is_one_bit(table->number[i]))
			vocab_bits_set(bits, (uint32_t)table->number[i], table->value[i]);
	return bits;
}

/* The bits of a task state that print a "+" behind it. */
static void table_add_plus(struct binding *b, const struct record_field *field, struct table *table)
{
	struct text_span argument = print_plus_argument(b->format->print);
	struct text_span plus = { "+", 1 };
	int64_t result;

	if (table->kind != VOCAB_STATE || !argument.len)
		return;
	for (unsigned int bit = 0; bit < 16; bit++)
		if (print_evaluate(argument, &field->name, INT64_C(1) << bit, &result) && result)
			table_add(table, true, INT64_C(1) << bit, plus);
}

/* 4.0 to 4.3 printed the status through an array of the kernel; its order is known. */
static void table_add_status(struct binding *b, struct table *table)
{
	static const char array[] = "compaction_status_string";
	static const char *const order[] = {
		"deferred", "skipped",		"continue",	     "partial",
		"complete", "no_suitable_page", "not_suitable_zone", "contended",
	};
	struct text_span print = b->format->print;

	if (table->kind != VOCAB_COMPACT || table->known ||
	    !memmem(print.text, print.len, array, sizeof(array) - 1))
		return;
	for (unsigned int i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		table_add(table, true, i, (struct text_span){ order[i], strlen(order[i]) });
}

static void bind_domain(struct binding *b, const struct record_field *field,
			struct vocab_accessor *a)
{
	struct table table = {
		.binder = b->binder,
		.kind = b->field->kind,
		.identity = true,
		.mask = domain_is_mask(b->field->kind),
	};

	print_table(b->format->print, field->name, table_add, &table);
	table_add_plus(b, field, &table);
	table_add_status(b, &table);
	if (table.identity && domain_keeps_order(table.kind))
		return;
	a->translation = table.mask ? TR_BITS : TR_MAP;
	a->table = table.mask ? table_bits(&table) : table_map(&table);
	b->no_memory |= !a->table;
}

static enum vocab_op number_op(const struct vocab_binder *binder, uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? OP_S8 : OP_U8;
	case 2:
		if (binder->swap)
			return is_signed ? OP_SWAP_S16 : OP_SWAP_U16;
		return is_signed ? OP_S16 : OP_U16;
	case 4:
		if (binder->swap)
			return is_signed ? OP_SWAP_S32 : OP_SWAP_U32;
		return is_signed ? OP_S32 : OP_U32;
	default:
		return binder->swap ? OP_SWAP_U64 : OP_U64;
	}
}

static bool kind_is_text(enum vocab_kind kind)
{
	return kind == VOCAB_STRING;
}

static bool bind_text(const struct record_field *field, struct vocab_accessor *a)
{
	switch (field->shape) {
	case FIELD_ARRAY:
		a->op = OP_FIXED_TEXT;
		a->length = (uint16_t)field->size;
		return true;
	case FIELD_DATA_LOC:
		a->op = OP_DATA_LOC;
		return true;
	case FIELD_REL_LOC:
		a->op = OP_REL_LOC;
		return true;
	case FIELD_TAIL:
		a->op = OP_TAIL_TEXT;
		return true;
	default:
		return false; /* a pointer to text is of no use outside its kernel */
	}
}

static bool bind_number(struct binding *b, const struct record_field *field,
			struct vocab_accessor *a)
{
	bool is_signed = field->is_signed;

	if (field->shape != FIELD_NUMBER && field->shape != FIELD_POINTER)
		return false;
	/* A failed allocation has frame -1, as unsigned long of whatever size. */
	if (b->field->kind == VOCAB_HEX && !strcmp(b->field->unit, "pages"))
		is_signed = true;
	a->size = (uint8_t)field->size;
	a->op = (uint8_t)number_op(b->binder, field->size, is_signed);
	if (b->field->kind == VOCAB_GFP)
		bind_gfp(b, field, a);
	else if (b->field->kind == VOCAB_SYMBOL)
		a->translation = TR_SYMBOL;
	else if (domain_is_named(b->field->kind))
		bind_domain(b, field, a);
	return true;
}

/* A value that the kernel prints but does not record, because it is the same in every record. */
static bool bind_constant(struct binding *b, struct vocab_accessor *a)
{
	struct text_span argument;
	struct vocab_constant *constant;
	int64_t value;

	if (!b->field->keys[0] || b->field->kind != VOCAB_INT)
		return false;
	argument = print_argument(b->format->print, b->field->keys, strcspn(b->field->keys, "|:"));
	if (!argument.len || !print_evaluate(argument, NULL, 0, &value))
		return false;
	constant = malloc(sizeof(*constant));
	b->no_memory |= !constant;
	if (!constant)
		return false;
	constant->value = value;
	a->op = OP_CONSTANT;
	a->table = constant;
	return true;
}

/* The first of "a|b" that the format has. */
static const struct record_field *find_field(const struct record_format *format, const char *names)
{
	const struct record_field *field = NULL;

	while (*names && !field) {
		size_t len = strcspn(names, "|");

		field = record_format_field(format, names, len);
		names += len;
		names += *names == '|';
	}
	return field;
}

static void bind_slot(struct binding *b, unsigned int slot)
{
	const struct record_field *field = find_field(b->format, b->field->formats);
	struct vocab_accessor *a = &b->accessor[b->nr_accessors];
	unsigned int end = 0;
	bool bound;

	*a = (struct vocab_accessor){ .slot = (uint8_t)slot };
	if (!field) {
		bound = bind_constant(b, a);
	} else {
		a->offset = (uint16_t)field->offset;
		end = field->offset + field->size;
		bound = kind_is_text(b->field->kind) ? bind_text(field, a)
						     : bind_number(b, field, a);
	}
	if (!bound)
		return;
	b->nr_accessors++;
	b->have |= 1u << slot;
	if (end > b->min_size)
		b->min_size = end;
}

/* Names of the fields without a slot in @have, separated by blanks. NULL: no memory. */
static char *missing_names(const struct vocab_entry *entry, uint32_t have)
{
	size_t len = 1;
	char *names;

	for (unsigned int i = 0; i < entry->nr_fields; i++)
		len += strlen(entry->fields[i].name) + 1;
	names = calloc(1, len);
	for (unsigned int i = 0; names && i < entry->nr_fields; i++) {
		if (have & 1u << i)
			continue;
		if (names[0])
			strcat(names, " ");
		strcat(names, entry->fields[i].name);
	}
	return names;
}

/* fragmenting is worked out of two other slots where they are there. */
static uint32_t completed_have(enum vocab_id id, uint32_t have)
{
	struct event ev = { .id = (uint16_t)id, .have = have };

	vocab_complete(&ev);
	return ev.have;
}

static struct vocab_bound *bound_new(struct binding *b, const char *system, enum vocab_id id)
{
	struct vocab_bound *bound = calloc(1, sizeof(*bound));
	struct vocab_accessor *accessors;

	if (!bound)
		return NULL;
	accessors = calloc(b->nr_accessors + 1, sizeof(*accessors));
	bound->type = b->format->id;
	bound->id = (uint16_t)id;
	bound->min_size = (uint16_t)b->min_size;
	bound->system = strdup(system);
	bound->name = strndup(b->format->name.text, b->format->name.len);
	bound->missing =
		b->entry ? missing_names(b->entry, completed_have(id, b->have)) : strdup("");
	bound->have = b->have;
	bound->accessors = accessors;
	if (!accessors || !bound->system || !bound->name || !bound->missing) {
		bound_free(bound);
		return NULL;
	}
	memcpy(accessors, b->accessor, b->nr_accessors * sizeof(*accessors));
	bound->nr_accessors = (uint16_t)b->nr_accessors;
	return bound;
}

/* Where common_type and common_pid lie; the same in every format of a kernel. */
static unsigned int bind_common(struct vocab_binder *binder, const struct record_format *format)
{
	const struct record_field *type = record_format_field(format, "common_type", 11);
	const struct record_field *pid = record_format_field(format, "common_pid", 10);
	unsigned int end = 0;

	if (type && type->size == 2) {
		binder->type_offset = (uint16_t)type->offset;
		end = type->offset + type->size;
	}
	if (pid && pid->size == 4) {
		binder->pid_offset = (uint16_t)pid->offset;
		end = pid->offset + pid->size > end ? pid->offset + pid->size : end;
	}
	return end;
}

static void binding_free_tables(struct binding *b)
{
	for (unsigned int i = 0; i < b->nr_accessors; i++)
		if (translation_owned(b->accessor[i].translation, b->accessor[i].op))
			free((void *)b->accessor[i].table);
}

static int binder_bind(struct vocab_binder *binder, const char *system,
		       const struct record_format *format, struct rl_msg *msg)
{
	enum vocab_id id = vocab_find(system, format->name.text, format->name.len);
	struct binding b = { .binder = binder, .format = format };
	struct vocab_bound *bound;

	b.min_size = bind_common(binder, format);
	if (id != VOCAB_UNKNOWN) {
		b.entry = vocab_entry(id);
		for (unsigned int i = 0; i < b.entry->nr_fields; i++) {
			b.field = &b.entry->fields[i];
			bind_slot(&b, i);
		}
	}
	bound = b.no_memory || rl_array_room(&binder->bound, &binder->max_bound, binder->nr_bound,
					     sizeof(*binder->bound))
			? NULL
			: bound_new(&b, system, id);
	if (!bound) {
		binding_free_tables(&b);
		return rl_fail(msg, ENOMEM, "format %.*s: no memory", (int)format->name.len,
			       format->name.text);
	}
	binder->bound[binder->nr_bound++] = bound;
	binder->by_type[bound->type] = binder->nr_bound;
	if (id != VOCAB_UNKNOWN && !binder->by_id[id])
		binder->by_id[id] = bound;
	return 0;
}

int vocab_binder_add(struct vocab_binder *binder, const char *system, const char *text, size_t len,
		     struct rl_msg *msg)
{
	struct record_format *format;
	int ret;

	if (len > FORMAT_TEXT_MAX)
		return rl_fail(msg, EINVAL, "format of %zu bytes, expected at most %u", len,
			       FORMAT_TEXT_MAX);
	format = malloc(sizeof(*format));
	if (!format)
		return rl_fail(msg, ENOMEM, "format: no memory");
	ret = record_format_parse(format, text, len, msg);
	if (!ret)
		ret = binder_bind(binder, system, format, msg);
	else
		rl_msg_prefix(msg, "system %s", system);
	free(format);
	return ret;
}

const struct vocab_bound *vocab_bound_by_type(const struct vocab_binder *binder, uint16_t type)
{
	uint32_t nr = binder->by_type[type];

	return nr ? binder->bound[nr - 1] : NULL;
}

const struct vocab_bound *vocab_bound_at(const struct vocab_binder *binder, unsigned int i)
{
	return i < binder->nr_bound ? binder->bound[i] : NULL;
}

const struct vocab_bound *vocab_bound_by_id(const struct vocab_binder *binder, enum vocab_id id)
{
	return binder->by_id[id];
}
