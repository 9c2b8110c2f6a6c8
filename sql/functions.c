/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/functions.h"

#include <stddef.h>

static const struct sql_function *const tables[] = {
	regexp_functions,
	name_functions,
	number_functions,
	sample_functions,
};

const struct sql_function *function_at(unsigned int i)
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct sql_function *f = tables[t]; f->name; f++)
			if (!i--)
				return f;
	return NULL;
}

const struct sql_function *function_of(sqlite3_context *context)
{
	return sqlite3_user_data(context);
}

int functions_register(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	const struct sql_function *f;
	int rc = SQLITE_OK;

	for (unsigned int i = 0; !rc && (f = function_at(i)); i++)
		rc = sqlite3_create_function_v2(db, f->name, f->nr_args, flags, (void *)f, f->call,
						f->step, f->final, NULL);
	return rc;
}
