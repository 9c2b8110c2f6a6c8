/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/uml_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reclaim/policy.h"

#define NS_PER_S	 UINT64_C(1000000000)
#define PAGES_PER_MIB	 256
#define KIB_PER_PAGE	 4
#define BOOT_PAGES	 4096 /* the kernel's image and what it reserves, and some to spare */
#define BOOT_SHARE	 60   /* one page of so many describes the others; 64, and some to spare */
#define SPEC_SIZE	 512
#define LEAVE_ZERO_ALONE true

/*
 * What a policy is in the patched kernel. A row counts where the policy has @param, with @value if
 * one is given; it sets @knob to @to, or to the parameter's value. In a parameter whose 0 says "the
 * machine's own" 0 sets nothing.
 */
static const struct rule {
	const char *policy, *param, *value, *knob, *to;
	bool leave_zero_alone;
} rules[] = {
	{ "linear", "wsf", NULL, "watermark_scale_factor", NULL, LEAVE_ZERO_ALONE },
	{ "gap-sqrt", NULL, NULL, "reclaimlab.gap", "sqrt", false },
	{ "gap-sqrt", "wsf", NULL, "watermark_scale_factor", NULL, LEAVE_ZERO_ALONE },
	{ "gap-split", NULL, NULL, "reclaimlab.gap", "split", false },
	{ "gap-split", "wsf", NULL, "watermark_scale_factor", NULL, LEAVE_ZERO_ALONE },
	{ "gap-split", "high", NULL, "reclaimlab.gap_split_factor", NULL, false },
	{ "hit-quickly", NULL, NULL, "reclaimlab.feedback", "1", false },
	{ "hit-quickly", "wsf", NULL, "watermark_scale_factor", NULL, LEAVE_ZERO_ALONE },
	{ "hit-quickly", "max", NULL, "reclaimlab.feedback_max", NULL, false },
	{ "hit-quickly", "step", NULL, "reclaimlab.feedback_step", NULL, false },
	{ "hit-quickly", "threshold", NULL, "reclaimlab.feedback_threshold", NULL, false },
	{ "bailout-none", NULL, NULL, "reclaimlab.costly_bailout", "none", false },
	{ "bailout-54", "exempt", "1", "reclaimlab.costly_bailout", "early", false },
	{ "bailout-54", "exempt", "0", "reclaimlab.costly_bailout", "early-all", false },
	{ "two-list", NULL, NULL, "/sys/kernel/mm/lru_gen/enabled", "n", false },
	{ "mglru", NULL, NULL, "/sys/kernel/mm/lru_gen/enabled", "y", false },
};

#define NR_RULES (sizeof(rules) / sizeof(*rules))

static int __attribute__((format(printf, 3, 4)))
add(struct uml_settings *s, struct rl_msg *msg, const char *fmt, ...)
{
	va_list args;
	int len;

	if (s->nr == UML_MAX_SETTINGS)
		return rl_fail(msg, E2BIG, "more than %d settings", UML_MAX_SETTINGS);
	va_start(args, fmt);
	len = vsnprintf(s->word[s->nr], UML_SETTING_SIZE, fmt, args);
	va_end(args);
	if (len >= UML_SETTING_SIZE)
		return rl_fail(msg, E2BIG, "a setting is too long: %s", s->word[s->nr]);
	s->nr++;
	return 0;
}

static int add_knob(struct uml_settings *s, const char *knob, const char *value, struct rl_msg *msg)
{
	int ret = add(s, msg, "--knob");

	return ret ? ret : add(s, msg, "%s=%s", knob, value);
}

static int add_number(struct uml_settings *s, const char *knob, uint64_t value, struct rl_msg *msg)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return add_knob(s, knob, text, msg);
}

/* ---- the machine ---- */

static struct reclaim_initial sum_of_zones(const struct machine *machine)
{
	struct reclaim_initial sum = { 0 };

	for (uint32_t i = 0; i < machine->machine.nr_zones; i++) {
		const struct reclaim_initial *zone = &machine->initial[i];

		sum.inactive_anon += zone->inactive_anon;
		sum.active_anon += zone->active_anon;
		sum.inactive_file += zone->inactive_file;
		sum.active_file += zone->active_file;
		sum.free += zone->free + zone->pcp;
	}
	return sum;
}

static int add_memory(struct uml_settings *s, const struct machine *machine, struct rl_msg *msg)
{
	const struct reclaim_machine *m = &machine->machine;
	uint64_t managed = machine_pages(machine);
	uint64_t pages = managed + managed / BOOT_SHARE + BOOT_PAGES;
	struct reclaim_initial initial = sum_of_zones(machine);
	int64_t min_free = m->min_free_kbytes;
	const struct {
		const char *knob;
		uint64_t value;
	} start[] = {
		{ "replay.managed", managed },
		{ "replay.free", initial.free },
		{ "replay.active_file", initial.active_file },
		{ "replay.inactive_file", initial.inactive_file },
		{ "replay.anon", initial.active_anon + initial.inactive_anon },
		{ "min_free_kbytes", min_free < 0 ? reclaim_min_free_kbytes(m, machine->profile)
						  : (uint64_t)min_free },
		{ "watermark_scale_factor", m->watermark_scale_factor },
		{ "watermark_boost_factor", m->watermark_boost_factor },
		{ "swappiness", m->swappiness },
		{ "page-cluster", m->page_cluster },
		{ "dirty_ratio", m->dirty_ratio },
		{ "dirty_background_ratio", m->dirty_background_ratio },
		{ "dirty_writeback_centisecs", m->dirty_writeback_ms / 10 },
		{ "dirty_expire_centisecs", m->dirty_expire_ms / 10 },
	};
	int ret = add(s, msg, "--memory");

	if (!ret)
		ret = add(s, msg, "%" PRIu64 "K", pages * KIB_PER_PAGE);
	if (!ret)
		ret = add(s, msg, "--swap");
	if (!ret)
		ret = add(s, msg, "%" PRIu64, (m->swap_pages + PAGES_PER_MIB - 1) / PAGES_PER_MIB);
	for (size_t i = 0; i < sizeof(start) / sizeof(*start) && !ret; i++)
		ret = add_number(s, start[i].knob, start[i].value, msg);
	return ret;
}

static int add_disk(struct uml_settings *s, const char *name, const struct reclaim_machine *m,
		    uint32_t device, struct rl_msg *msg)
{
	const struct reclaim_device_desc *desc = &m->devices[device];
	const struct {
		const char *field;
		uint64_t value;
	} times[] = {
		{ "read_ns", (uint64_t)desc->read_latency_ns },
		{ "write_ns", (uint64_t)desc->write_latency_ns },
		{ "read_page_ns", m->page_size * NS_PER_S / desc->read_bytes_per_s },
		{ "write_page_ns", m->page_size * NS_PER_S / desc->write_bytes_per_s },
		{ "depth", desc->queue_depth },
	};
	char knob[UML_SETTING_SIZE];
	int ret = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times) && !ret; i++) {
		snprintf(knob, sizeof(knob), "replay.%s_%s", name, times[i].field);
		ret = add_number(s, knob, times[i].value, msg);
	}
	return ret;
}

int uml_settings_machine(struct uml_settings *s, const struct machine *machine, struct rl_msg *msg)
{
	const struct reclaim_machine *m = &machine->machine;
	int ret;

	if (m->nr_memcgs > 1)
		return rl_fail(
			msg, EOPNOTSUPP,
			"the load runs in %u memory cgroups, of which User Mode Linux has none; "
			"--engine model replays them",
			m->nr_memcgs - 1);
	ret = add_memory(s, machine, msg);
	if (!ret)
		ret = add_disk(s, "file", m, 0, msg);
	if (!ret)
		ret = add_disk(s, "swap", m, m->swap_device, msg);
	if (!ret)
		ret = add_number(s, "reclaimlab.scan_cost_ns",
				 m->costs.scan_page + m->costs.reclaim_page, msg);
	return ret;
}

/* ---- the policy ---- */

static int no_switch(const char *policy, const char *param, struct rl_msg *msg)
{
	char known[160] = "";
	size_t len = 0;

	for (size_t i = 0; i < NR_RULES; i++)
		if ((!i || strcmp(rules[i].policy, rules[i - 1].policy)) && len < sizeof(known))
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
						len ? ", " : "", rules[i].policy);
	if (param)
		return rl_fail(msg, EOPNOTSUPP, "the patched kernel has no %s of policy %s", param,
			       policy);
	return rl_fail(msg, EOPNOTSUPP, "the patched kernel has no policy %s; it has %s", policy,
		       known);
}

/* The rules of @policy for @param (NULL: those without) with @value. */
static int apply(struct uml_settings *s, const char *policy, const char *param, const char *value,
		 struct rl_msg *msg)
{
	bool found = !param;
	int ret = 0;

	for (size_t i = 0; i < NR_RULES && !ret; i++) {
		const struct rule *rule = &rules[i];

		if (strcmp(rule->policy, policy) || !rule->param != !param ||
		    (param && strcmp(rule->param, param)) ||
		    (rule->value && strcmp(rule->value, value)))
			continue;
		found = true;
		if (!rule->leave_zero_alone || strcmp(value, "0"))
			ret = add_knob(s, rule->knob, rule->to ? rule->to : value, msg);
	}
	return found ? ret : no_switch(policy, param, msg);
}

static bool has_rules(const char *policy)
{
	for (size_t i = 0; i < NR_RULES; i++)
		if (!strcmp(rules[i].policy, policy))
			return true;
	return false;
}

/* "name" or "name:param=value,...", every parameter written out. */
static int apply_part(struct uml_settings *s, char *part, struct rl_msg *msg)
{
	char *params = strchr(part, ':'), *param, *rest = NULL;
	int ret;

	if (params)
		*params++ = '\0';
	if (!has_rules(part))
		return no_switch(part, NULL, msg);
	ret = apply(s, part, NULL, "", msg);
	for (param = params ? strtok_r(params, ",", &rest) : NULL; param && !ret;
	     param = strtok_r(NULL, ",", &rest)) {
		char *value = strchr(param, '=');

		if (value)
			*value++ = '\0';
		ret = apply(s, part, param, value ? value : "", msg);
	}
	return ret;
}

int uml_settings_policy(struct uml_settings *s, const char *policy, struct rl_msg *msg)
{
	struct reclaim_error error = { "" };
	struct reclaim_policy *made;
	char spec[SPEC_SIZE], *part, *rest = NULL;
	int ret = 0;

	if (!policy || !*policy)
		return 0;
	made = reclaim_policy_create(policy, &error);
	if (!made)
		return rl_fail(msg, EINVAL, "%s", error.text);
	snprintf(spec, sizeof(spec), "%s", reclaim_policy_describe(made));
	reclaim_policy_free(made);
	for (part = strtok_r(spec, "+", &rest); part && !ret; part = strtok_r(NULL, "+", &rest))
		ret = apply_part(s, part, msg);
	return ret;
}
