/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_set.h - the counters of one moment, found by name
 *
 * Holds the values of any counter files of one label ("before", "after"): source, scope and name as
 * capture/read/counters.h gives them. A missing counter is told apart from one that is 0.
 */
#ifndef RECLAIMLAB_COUNTER_SET_H
#define RECLAIMLAB_COUNTER_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"

struct counter_set;

/* NULL when memory is short. */
struct counter_set *counter_set_new(void);
void counter_set_free(struct counter_set *set);

/* Add or replace a value; texts are copied. Returns 0 or -ENOMEM. */
int counter_set_put(struct counter_set *set, const char *source, const char *scope,
		    const char *name, int64_t value);

/* False when there is no such counter; *@value is then unchanged. */
bool counter_set_get(const struct counter_set *set, const char *source, const char *scope,
		     const char *name, int64_t *value);

/* The value, or @absent. */
int64_t counter_set_value(const struct counter_set *set, const char *source, const char *scope,
			  const char *name, int64_t absent);

/* The vmstat counter @name, or @absent. */
int64_t counter_set_vmstat(const struct counter_set *set, const char *name, int64_t absent);

/* Scopes of @source in the order they came, each once; NULL behind the last. */
const char *counter_set_scope(const struct counter_set *set, const char *source, unsigned int i);

bool counter_set_empty(const struct counter_set *set);

#endif
