/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "capture/vocabulary/binder.h"
#include "capture/vocabulary/domain.h"

static inline uint16_t load16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline int64_t translate_map(const struct vocab_map *map, int64_t number)
{
	if (number >= 0 && number < MAP_SIZE)
		return map->value[number];
	return map->other_is_value ? map->other : map->other + number;
}

static inline int64_t translate_bits(const struct vocab_bits *bits, int64_t number)
{
	return bits->byte[0][number & 0xff] | bits->byte[1][number >> 8 & 0xff] |
	       bits->byte[2][number >> 16 & 0xff] | bits->byte[3][number >> 24 & 0xff];
}

static inline int64_t translate_gfp(const struct vocab_bits *bits, int64_t number)
{
	int64_t value = translate_bits(bits, number);

	if (!(value & bits->implied_unless))
		value |= bits->implied;
	return gfp_normalize(value);
}

static void resolve_symbol(const struct vocab_binder *binder, struct event *ev, unsigned int slot,
			   int64_t address)
{
	const char *name;
	size_t len;

	ev->value[slot] = address;
	ev->string[slot] = (struct event_string){ "", 0 };
	if (!vocab_symbols_find(binder->symbols, (uint64_t)address, &name, &len))
		return;
	ev->value[slot] = 0;
	ev->string[slot] = (struct event_string){ name, (uint32_t)len };
}

static int64_t translate(const struct vocab_binder *binder, const struct vocab_accessor *a,
			 int64_t number, struct event *ev)
{
	switch (a->translation) {
	case TR_MAP:
		return translate_map(a->table, number);
	case TR_BITS:
		return translate_bits(a->table, number);
	case TR_GFP:
		return translate_gfp(a->table, number);
	default:
		resolve_symbol(binder, ev, a->slot, number);
		return ev->value[a->slot];
	}
}

static int text_at(struct event *ev, unsigned int slot, const uint8_t *data, size_t size,
		   size_t offset, size_t len)
{
	const char *text = (const char *)data + offset;

	if (offset > size || len > size - offset)
		return -EBADMSG;
	ev->value[slot] = 0;
	ev->string[slot] = (struct event_string){ text, (uint32_t)strnlen(text, len) };
	return 0;
}

static int load_text(const struct vocab_binder *binder, const struct vocab_accessor *a,
		     const uint8_t *data, size_t size, struct event *ev)
{
	size_t offset = a->offset, len = a->length;
	uint32_t word;

	if (a->op == OP_TAIL_TEXT)
		return text_at(ev, a->slot, data, size, offset, size - offset);
	if (a->op == OP_FIXED_TEXT)
		return text_at(ev, a->slot, data, size, offset, len);
	word = load32(data + offset);
	if (binder->swap)
		word = __builtin_bswap32(word);
	len = word >> 16;
	offset = (a->op == OP_REL_LOC ? offset + sizeof(word) : 0) + (word & 0xffff);
	return text_at(ev, a->slot, data, size, offset, len);
}

static inline int64_t load_number(const struct vocab_accessor *a, const uint8_t *p)
{
	switch ((enum vocab_op)a->op) {
	case OP_U8:
		return *p;
	case OP_S8:
		return (int8_t)*p;
	case OP_U16:
		return load16(p);
	case OP_S16:
		return (int16_t)load16(p);
	case OP_U32:
		return load32(p);
	case OP_S32:
		return (int32_t)load32(p);
	case OP_U64:
		return (int64_t)load64(p);
	case OP_SWAP_U16:
		return __builtin_bswap16(load16(p));
	case OP_SWAP_S16:
		return (int16_t)__builtin_bswap16(load16(p));
	case OP_SWAP_U32:
		return __builtin_bswap32(load32(p));
	case OP_SWAP_S32:
		return (int32_t)__builtin_bswap32(load32(p));
	case OP_SWAP_U64:
		return (int64_t)__builtin_bswap64(load64(p));
	default:
		return ((const struct vocab_constant *)a->table)->value;
	}
}

int vocab_record_type(const struct vocab_binder *binder, const uint8_t *data, size_t size)
{
	uint16_t type;

	if (size < (size_t)binder->type_offset + 2)
		return -1;
	type = load16(data + binder->type_offset);
	return binder->swap ? __builtin_bswap16(type) : type;
}

int32_t vocab_record_pid(const struct vocab_binder *binder, const uint8_t *data, size_t size)
{
	uint32_t pid;

	if (size < (size_t)binder->pid_offset + 4)
		return -1;
	pid = load32(data + binder->pid_offset);
	return (int32_t)(binder->swap ? __builtin_bswap32(pid) : pid);
}

int vocab_decode(const struct vocab_binder *binder, const struct vocab_bound *bound,
		 const uint8_t *data, size_t size, struct event *ev)
{
	const struct vocab_accessor *a = bound->accessors, *end = a + bound->nr_accessors;

	if (size < bound->min_size)
		return -EBADMSG;
	ev->id = bound->id;
	ev->have = bound->have;
	ev->pid = vocab_record_pid(binder, data, size);
	for (; a < end; a++) {
		int64_t number;

		if (a->op >= OP_FIXED_TEXT) {
			if (load_text(binder, a, data, size, ev))
				return -EBADMSG;
			continue;
		}
		number = load_number(a, data + a->offset);
		ev->value[a->slot] =
			a->translation == TR_NONE ? number : translate(binder, a, number, ev);
	}
	if (bound->id == VOCAB_mm_page_alloc_extfrag)
		vocab_complete(ev);
	return 0;
}
