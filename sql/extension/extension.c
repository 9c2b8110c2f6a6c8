/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loadable extension: sqlite3 run.db '.load ./reclaimlab' 'SELECT count(*) FROM page_alloc'
 */
#include <sqlite3ext.h>

#include "sql/functions.h"
#include "sql/module.h"

SQLITE_EXTENSION_INIT1

__attribute__((visibility("default"))) int sqlite3_reclaimlab_init(sqlite3 *db, char **error,
								   const sqlite3_api_routines *api);

int sqlite3_reclaimlab_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
	int rc;

	SQLITE_EXTENSION_INIT2(api);
	rc = column_module_register(db);
	return rc ? rc : functions_register(db);
}
