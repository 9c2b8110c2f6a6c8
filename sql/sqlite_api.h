/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sqlite_api.h - SQLite, linked or handed over
 *
 * The virtual tables and functions are built twice: into the program, and into an extension that
 * must call the SQLite of whoever loads it.
 */
#ifndef RECLAIMLAB_SQLITE_API_H
#define RECLAIMLAB_SQLITE_API_H

#ifdef RECLAIMLAB_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
