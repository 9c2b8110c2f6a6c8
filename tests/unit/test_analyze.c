/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of analyze/ that print: durations, tables, JSON, pictures. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/format.h"
#include "analyze/json.h"
#include "analyze/picture.h"
#include "analyze/table.h"
#include "capture/base/utf8.h"

static void test_durations(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },		{ 999, "999 ns" },	  { 1000, "1.00 us" },
		{ 35100, "35.1 us" },	{ 999400, "999 us" },	  { 999600, "1.00 ms" },
		{ 9994000, "9.99 ms" }, { 9996000, "10.0 ms" },	  { 99940000, "99.9 ms" },
		{ 99960000, "100 ms" }, { 1602300000, "1.60 s" }, { 2402850000000, "2403 s" },
	};
	char buf[FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(format_duration(cases[i].ns, buf), cases[i].text);
}

/* What @print writes, to be freed. */
static char *printed(void (*print)(const struct table *table, FILE *out), const struct table *table)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(table, out);
	fclose(out);
	return text;
}

static void print_narrow(const struct table *table, FILE *out)
{
	table_print(table, out, 24);
}

static struct table *make_table(const char *const *cell, size_t count)
{
	struct table *table = table_new();

	assert_non_null(table);
	assert_int_equal(table_column(table, "name", true, NULL), 0);
	assert_int_equal(table_column(table, "n", false, NULL), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(table_cell(table, cell[i], NULL), 0);
	return table;
}

/* Text is cut to fit the line, numbers are not; characters count, not bytes. */
static void test_table(void **state)
{
	static const char *const cell[] = { "a rather long name of something", "12345678",
					    "\xc3\xa4\xc3\xb6", "1" };
	struct table *table = make_table(cell, 4);
	char *text = printed(print_narrow, table);

	assert_string_equal(text, "  name                 n\n"
				  "  a rather l..  12345678\n"
				  "  \xc3\xa4\xc3\xb6                   1\n");
	free(text);
	table_free(table);
}

/* What a program calls itself does not break the table that it is shown in. */
static void test_table_escapes(void **state)
{
	static const char *const cell[] = { "a|b*c", "1", "say \"x\", y", "2" };
	struct table *table = make_table(cell, 4);
	char *text = printed(table_print_markdown, table);

	assert_string_equal(text, "| name | n |\n|---|---:|\n| a\\|b\\*c | 1 |\n"
				  "| say \"x\", y | 2 |\n");
	free(text);
	text = printed(table_print_csv, table);
	assert_string_equal(text, "name,n\r\na|b*c,1\r\n\"say \"\"x\"\", y\",2\r\n");
	free(text);
	table_free(table);
}

/* Names are bytes; what is printed is UTF-8 that no terminal obeys. */
static void test_utf8(void **state)
{
	const char *text = "a\xc3\xa4\xff\x1b\xc2\x9b\xe2\x82";
	static const char *const wanted[] = { "a", "\xc3\xa4",	     UTF8_REPLACEMENT, "?",
					      "?", UTF8_REPLACEMENT, UTF8_REPLACEMENT };
	char one[UTF8_SIZE];

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(utf8_take(&text, one), strlen(wanted[i]));
		assert_string_equal(one, wanted[i]);
	}
	assert_int_equal(utf8_take(&text, one), 0);
}

static char *wrapped(const char *head, const char *text, unsigned int width)
{
	char *out_text = NULL;
	size_t size;
	FILE *out = open_memstream(&out_text, &size);

	assert_non_null(out);
	format_hanging(out, head, text, 4, width);
	fclose(out);
	return out_text;
}

/* Lines end at blanks, have no more than the width, and count characters. */
static void test_wrapping(void **state)
{
	char *text = wrapped("on:", "\xc3\xa4\xc3\xb6 two three", 12);

	assert_string_equal(text, "on: \xc3\xa4\xc3\xb6 two\n    three\n");
	free(text);
	text = wrapped("", "about 92.41 % more", 14);
	assert_string_equal(text, "    about\n    92.41 %\n    more\n");
	free(text);
}

static void test_json(void **state)
{
	char *text = NULL;
	size_t size;
	struct json json = { .out = open_memstream(&text, &size) };

	assert_non_null(json.out);
	json_open(&json, NULL, '{');
	json_string(&json, "comm", "<script>\"\\\n\x7f");
	json_string(&json, "bad", "a\xff\xc3(\xed\xa0\x80z");
	json_string(&json, "good", "\xc3\xa4\xf0\x9f\x98\x80");
	json_integer(&json, "n", -9223372036854775807 - 1);
	json_real(&json, "r", 53501.15);
	json_real(&json, "nan", 0.0 / 0.0);
	json_thousandths(&json, "us", 2592000123456789);
	json_thousandths(&json, "back", -7);
	json_boolean(&json, "yes", true);
	json_open(&json, "empty", '[');
	json_close(&json, ']');
	json_close(&json, '}');
	fclose(json.out);
	assert_string_equal(text, "{\n"
				  "  \"comm\": \"<script>\\\"\\\\\\u000a\\u007f\",\n"
				  "  \"bad\": \"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd"
				  "\xef\xbf\xbdz\",\n"
				  "  \"good\": \"\xc3\xa4\xf0\x9f\x98\x80\",\n"
				  "  \"n\": -9223372036854775808,\n"
				  "  \"r\": 53501.15,\n"
				  "  \"nan\": null,\n"
				  "  \"us\": 2592000123456.789,\n"
				  "  \"back\": -0.007,\n"
				  "  \"yes\": true,\n"
				  "  \"empty\": []\n"
				  "}\n");
	free(text);
}

/* Zero is nothing, anything above shows, the largest is full; neighbours are added up to fit. */
static void test_picture(void **state)
{
	static const double value[] = { 0, 0.001, 4, 8 };
	static const double many[] = { 1, 1, 0, 0, 4, 4 };
	char buf[PICTURE_BYTES(4)];

	assert_true(picture_line(value, 4, 4, buf) == 8);
	assert_string_equal(buf, " \u2581\u2584\u2588");
	assert_true(picture_line(many, 6, 3, buf) == 8);
	assert_string_equal(buf, "\u2582 \u2588");
	assert_true(picture_line(many, 0, 4, buf) == 0);
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),     cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_escapes), cmocka_unit_test(test_json),
		cmocka_unit_test(test_picture),	      cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_wrapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
