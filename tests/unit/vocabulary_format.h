/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vocabulary_format.h - make the format text and records of an event shape
 *
 * What the kernel's macros would make of a shape of vocabulary_shapes.def on a machine with the
 * given size of a long: types get their sizes, fields their natural alignment.
 */
#ifndef RECLAIMLAB_TEST_VOCABULARY_FORMAT_H
#define RECLAIMLAB_TEST_VOCABULARY_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
	const char *system, *event, *kernel, *fields, *print;
};

static const struct shape shapes[] = {
#define SHAPE(system, event, kernel, fields, print) { system, event, kernel, fields, print },
#include "tests/unit/vocabulary_shapes.def"
#undef SHAPE
};

#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct shape_field {
	char declaration[96]; /* as the format shows it */
	char name[48];
	unsigned int offset, size;
	bool is_signed, array, data_loc, pointer;
};

struct shape_layout {
	struct shape_field field[32];
	unsigned int nr;
	unsigned int size;
};

static bool shape_starts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static unsigned int shape_type_size(const char *type, unsigned int long_size)
{
	if (strchr(type, '*') || strstr(type, "long long") || shape_starts(type, "u64"))
		return strchr(type, '*') ? long_size : 8;
	if (strstr(type, "long") || shape_starts(type, "pgoff_t") || shape_starts(type, "ino_t"))
		return long_size;
	if (strstr(type, "short"))
		return 2;
	if (strstr(type, "char") || strstr(type, "bool"))
		return 1;
	return 4;
}

static bool shape_type_signed(const char *type)
{
	return shape_starts(type, "int ") || shape_starts(type, "long ") ||
	       shape_starts(type, "short ") || shape_starts(type, "pid_t ");
}

/* "__array(char,comm,TASK_COMM_LEN)": 16 unless a number stands there */
static void shape_array(struct shape_field *f, const char *text)
{
	char size[24] = "";

	sscanf(text, "__array(char,%47[^,],%23[^)])", f->name, size);
	f->size = size[0] >= '0' && size[0] <= '9' ? (unsigned int)atoi(size) : 16;
	f->array = true;
	strcpy(f->declaration, "char ");
	strcat(f->declaration, f->name);
	sprintf(f->declaration + strlen(f->declaration), "[%u]", f->size);
}

static void shape_string(struct shape_field *f, const char *text)
{
	const char *open = strchr(text, '(') + 1;

	if (shape_starts(text, "__dynamic_array"))
		open = strchr(open, ',') + 1;
	sscanf(open, "%47[^,)]", f->name);
	f->size = 4;
	f->data_loc = true;
	strcpy(f->declaration, "__data_loc char[] ");
	strcat(f->declaration, f->name);
}

static void shape_plain(struct shape_field *f, const char *text, unsigned int long_size)
{
	const char *name = strrchr(text, ' ') + 1;

	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(f->declaration, sizeof(f->declaration), "%s", text);
	f->size = shape_type_size(text, long_size);
	f->is_signed = shape_type_signed(text);
	f->pointer = strchr(text, '*') != NULL;
}

static void shape_layout(struct shape_layout *layout, const struct shape *shape,
			 unsigned int long_size)
{
	char text[1024], *rest = text, *item;
	unsigned int at = 8;

	memset(layout, 0, sizeof(*layout));
	snprintf(text, sizeof(text), "%s", shape->fields);
	while ((item = strsep(&rest, ";"))) {
		struct shape_field *f = &layout->field[layout->nr];
		unsigned int align;

		item += strspn(item, " ");
		if (!*item)
			continue;
		if (shape_starts(item, "__array"))
			shape_array(f, item);
		else if (shape_starts(item, "__"))
			shape_string(f, item);
		else
			shape_plain(f, item, long_size);
		align = f->array ? 1 : f->size;
		at = (at + align - 1) / align * align;
		f->offset = at;
		at += f->size;
		layout->nr++;
	}
	layout->size = at;
}

static void shape_format_text(char *text, size_t size, const struct shape *shape,
			      const struct shape_layout *layout, unsigned int id)
{
	size_t at = snprintf(text, size,
			     "name: %s\nID: %u\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
			     "\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
			     shape->event, id);

	for (unsigned int i = 0; i < layout->nr; i++) {
		const struct shape_field *f = &layout->field[i];

		at += snprintf(text + at, size - at,
			       "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", f->declaration,
			       f->offset, f->size, f->is_signed);
	}
	snprintf(text + at, size - at, "\nprint fmt: \"%s\", 0\n", shape->print);
}

/* Store the low bytes of @value in the byte order of the recorded machine. */
static inline void shape_store(uint8_t *data, unsigned int size, uint64_t value, bool big_endian)
{
	for (unsigned int i = 0; i < size; i++)
		data[big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

#endif
