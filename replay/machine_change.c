/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a what-if changes of the machine instead of the policy (see machine_change()). */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/engine/nearest.h"
#include "replay/machine.h"

#define KIB	       1024
#define MAX_MULTIPLE   1024
#define PER_MILLE      1000
#define MAX_SWAPPINESS 200
#define DEVICE_MB_MAX  1000000	/* a TB a second */
#define DEVICE_US_MAX  60000000 /* a minute */

/* Devices by name: read and write MB/s, us, and whether seeks are expensive. */
static const struct {
	const char *name;
	uint32_t mb_per_s, us;
	bool rotational;
} devices[] = {
	{ "hdd", 150, 8000, true },
	{ "ssd", 500, 100, false },
	{ "nvme", 3000, 20, false },
};

/* "1.5x" in thousandths, or -1. */
static int64_t multiple(const char *text)
{
	char *end;
	long whole = strtol(text, &end, 10), part = 0, scale = PER_MILLE;

	if (end == text || whole < 0 || whole > MAX_MULTIPLE)
		return -1;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++)
			if (scale > 1) {
				scale /= 10;
				part += (*end - '0') * scale;
			}
	return (*end == 'x' || *end == 'X') && !end[1] ? whole * PER_MILLE + part : -1;
}

/* "2G", "512M", "4096K" in bytes, or -1. */
static int64_t bytes(const char *text)
{
	static const char units[] = "KMGT";
	char *end;
	long long value;
	const char *unit;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || errno || value < 0)
		return -1;
	if (!*end)
		return value;
	unit = strchr(units, toupper((unsigned char)*end));
	if (!unit || end[1])
		return -1;
	for (const char *u = units; u <= unit; u++) {
		if (value > INT64_MAX / KIB)
			return -1;
		value *= KIB;
	}
	return value;
}

/* A plain number of @min..@max, or -1. */
static int64_t number(const char *text, int64_t min, int64_t max)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	return end == text || *end || errno || value < min || value > max ? -1 : value;
}

static int change_memory(struct machine *m, const char *value, struct rl_msg *msg)
{
	int64_t factor = multiple(value), size = bytes(value);
	uint64_t pages;

	if (factor > 0)
		pages = machine_pages(m) * (uint64_t)factor / PER_MILLE;
	else if (size > 0)
		pages = (uint64_t)size / m->machine.page_size;
	else
		return rl_fail(msg, EINVAL,
			       "memory=%s: expected a factor (2x, 0.5x) or a size (2G)", value);
	return machine_resize(m, pages, msg);
}

static int change_swap(struct machine *m, const char *value, struct rl_msg *msg)
{
	int64_t size = strcmp(value, "off") ? bytes(value) : 0;

	if (size < 0)
		return rl_fail(msg, EINVAL, "swap=%s: expected off or a size (1G)", value);
	m->machine.swap_pages = (uint64_t)size / m->machine.page_size;
	return 0;
}

static int change_device(struct machine *m, const char *value, struct rl_msg *msg)
{
	unsigned int mb = 0, us = 0;
	int used = 0, rotational = -1;

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (!strcmp(value, devices[i].name)) {
			mb = devices[i].mb_per_s;
			us = devices[i].us;
			rotational = devices[i].rotational;
		}
	if (!mb && (sscanf(value, "%u,%u%n", &mb, &us, &used) != 2 || value[used] || !mb ||
		    mb > DEVICE_MB_MAX || us > DEVICE_US_MAX))
		return rl_fail(msg, EINVAL,
			       "device=%s: expected ssd, hdd, nvme or MB/s,us (\"200,100\")",
			       value);
	for (uint32_t i = 0; i < m->machine.nr_devices; i++) {
		struct reclaim_device_desc *desc = &m->machine.devices[i];

		desc->read_bytes_per_s = desc->write_bytes_per_s = (uint64_t)mb * 1000000;
		desc->read_latency_ns = desc->write_latency_ns = (int64_t)us * 1000;
		if (rotational >= 0)
			desc->rotational = rotational;
	}
	return 0;
}

static int change_min_free(struct machine *m, const char *value, struct rl_msg *msg)
{
	int64_t factor = multiple(value), kib = number(value, 0, INT32_MAX);

	if (factor > 0)
		kib = (int64_t)reclaim_min_free_kbytes(&m->machine, m->profile) * factor /
		      PER_MILLE;
	if (kib < 0)
		return rl_fail(msg, EINVAL, "min_free_kbytes=%s: expected KiB or a factor (4x)",
			       value);
	m->machine.min_free_kbytes = kib;
	return 0;
}

/* The calibrated costs of reclaim, all by one factor: does an answer hang on them? */
static int change_costs(struct machine *m, const char *value, struct rl_msg *msg)
{
	struct reclaim_costs *costs = &m->machine.costs;
	uint32_t *const cost[] = { &costs->scan_page,	  &costs->reclaim_page,
				   &costs->pageout_page,  &costs->activate_page,
				   &costs->reclaim_batch, &costs->reclaim_pass,
				   &costs->compact_page,  &costs->migrate_page };
	int64_t factor = multiple(value);

	if (factor < 0)
		return rl_fail(msg, EINVAL, "costs=%s: expected a factor (0.5x, 2x)", value);
	for (size_t i = 0; i < sizeof(cost) / sizeof(*cost); i++) {
		uint64_t scaled = *cost[i] * (uint64_t)factor / PER_MILLE;

		*cost[i] = scaled > UINT32_MAX ? UINT32_MAX : (uint32_t)scaled;
	}
	return 0;
}

/* Setting the limit puts it in force at once. */
static int change_dirty_ratio(struct machine *m, const char *value, struct rl_msg *msg)
{
	int64_t percent = number(value, 0, 100);

	if (percent < 0)
		return rl_fail(msg, EINVAL, "dirty_ratio=%s: expected 0..100", value);
	m->machine.dirty_ratio = (uint32_t)percent;
	m->machine.dirty_limit = 0;
	return 0;
}

/* A property that all devices have or have not. */
static int change_devices(struct machine *m, size_t offset, const char *key, const char *value,
			  struct rl_msg *msg)
{
	bool on = !strcmp(value, "on");

	if (!on && strcmp(value, "off"))
		return rl_fail(msg, EINVAL, "%s=%s: expected on or off", key, value);
	for (uint32_t i = 0; i < m->machine.nr_devices; i++)
		*(bool *)((char *)&m->machine.devices[i] + offset) = on;
	return 0;
}

static int change_rotational(struct machine *m, const char *value, struct rl_msg *msg)
{
	return change_devices(m, offsetof(struct reclaim_device_desc, rotational), "rotational",
			      value, msg);
}

static int change_write_throttling(struct machine *m, const char *value, struct rl_msg *msg)
{
	return change_devices(m, offsetof(struct reclaim_device_desc, throttle_writes),
			      "write_throttling", value, msg);
}

static int change_timeslice(struct machine *m, const char *value, struct rl_msg *msg)
{
	int64_t us = number(value, 100, 1000000);

	if (us < 0)
		return rl_fail(msg, EINVAL, "timeslice_us=%s: expected 100..1000000", value);
	m->machine.timeslice_ns = us * 1000;
	return 0;
}

/* A plain number of struct reclaim_machine. */
#define NUMBER(member, min, max)                                                                   \
	{                                                                                          \
#member, offsetof(struct reclaim_machine, member), min, max                        \
	}
static const struct {
	const char *key;
	size_t offset;
	int64_t min, max;
} numbers[] = {
	NUMBER(swappiness, 0, MAX_SWAPPINESS),	    NUMBER(watermark_scale_factor, 1, 3000),
	NUMBER(watermark_boost_factor, 0, 1000000), NUMBER(dirty_background_ratio, 0, 100),
	NUMBER(cpus, 1, RECLAIM_MAX_CPUS),	    NUMBER(wake_spread_ppm, 0, 1000000),
	NUMBER(idle_pull_ppm, 0, 1000000),
};

static const struct {
	const char *key;
	int (*change)(struct machine *machine, const char *value, struct rl_msg *msg);
} others[] = {
	{ "memory", change_memory },
	{ "swap", change_swap },
	{ "device", change_device },
	{ "min_free_kbytes", change_min_free },
	{ "costs", change_costs },
	{ "timeslice_us", change_timeslice },
	{ "dirty_ratio", change_dirty_ratio },
	{ "rotational", change_rotational },
	{ "write_throttling", change_write_throttling },
};

#define NR_NUMBERS (sizeof(numbers) / sizeof(*numbers))
#define NR_OTHERS  (sizeof(others) / sizeof(*others))

static int no_property(const char *key, struct rl_msg *msg)
{
	const char *keys[NR_NUMBERS + NR_OTHERS], *meant;
	char known[320] = "";
	size_t nr = 0, len = 0;

	for (size_t i = 0; i < NR_OTHERS; i++)
		keys[nr++] = others[i].key;
	for (size_t i = 0; i < NR_NUMBERS; i++)
		keys[nr++] = numbers[i].key;
	meant = rc_nearest(key, keys, nr);
	if (meant)
		return rl_fail(msg, EINVAL, "%s: not a property of the machine; did you mean %s?",
			       key, meant);
	for (size_t i = 0; i < nr && len < sizeof(known); i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					keys[i]);
	return rl_fail(msg, EINVAL, "%s: not a property of the machine; expected %s", key, known);
}

bool machine_has_key(const char *key)
{
	for (size_t i = 0; i < NR_OTHERS; i++)
		if (!strcmp(others[i].key, key))
			return true;
	for (size_t i = 0; i < NR_NUMBERS; i++)
		if (!strcmp(numbers[i].key, key))
			return true;
	return false;
}

int machine_change(struct machine *machine, const char *key, const char *value, struct rl_msg *msg)
{
	for (size_t i = 0; i < NR_OTHERS; i++)
		if (!strcmp(others[i].key, key))
			return others[i].change(machine, value, msg);
	for (size_t i = 0; i < NR_NUMBERS; i++) {
		int64_t n;

		if (strcmp(numbers[i].key, key))
			continue;
		n = number(value, numbers[i].min, numbers[i].max);
		if (n < 0)
			return rl_fail(msg, EINVAL, "%s=%s: expected %lld..%lld", key, value,
				       (long long)numbers[i].min, (long long)numbers[i].max);
		*(uint32_t *)((char *)&machine->machine + numbers[i].offset) = (uint32_t)n;
		return 0;
	}
	return no_property(key, msg);
}

int machine_apply(struct machine *machine, const char *changes, struct rl_msg *msg)
{
	char *copy = strdup(changes), *save = NULL;
	int ret = 0;

	if (!copy)
		return rl_fail_errno(msg, ENOMEM, "machine");
	for (char *word = strtok_r(copy, " ", &save); word && !ret;
	     word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		if (!equals) {
			ret = rl_fail(msg, EINVAL, "%s: expected key=value", word);
			break;
		}
		*equals = '\0';
		ret = machine_change(machine, word, equals + 1, msg);
	}
	free(copy);
	return ret;
}
