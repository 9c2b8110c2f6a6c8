/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embedded.h - SQL files that are built into the program (see embed.cmake)
 */
#ifndef RECLAIMLAB_EMBEDDED_H
#define RECLAIMLAB_EMBEDDED_H

struct embedded_view {
	const char *name; /* of the file, without .sql */
	const char *sql;  /* one CREATE VIEW, with the comments that document it */
};

/* sql/schema/meta.sql */
extern const char store_meta_sql[];

/* sql/views, sorted by file name so that a view may name those before it; ends with NULL. */
extern const struct embedded_view store_views[];

#endif
