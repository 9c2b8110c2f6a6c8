/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy.c - making policies of their specifications, built in or from a shared object
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "nearest.h"

#define MAX_SPEC 1024

static const struct rc_policy_part *find_from(const struct reclaim_policy *policy, size_t member,
					      uint32_t i)
{
	for (; i < policy->nr; i++) {
		const char *ops = (const char *)policy->parts[i].ops;
		void *fn;

		memcpy(&fn, ops + member, sizeof(fn));
		if (fn)
			return &policy->parts[i];
	}
	return NULL;
}

const struct rc_policy_part *rc_policy_find(const struct reclaim_policy *policy, size_t member)
{
	return policy ? find_from(policy, member, 0) : NULL;
}

/* Two parts that both decide the same: one of them would never be asked. */
static int check_parts(const struct reclaim_policy *policy, struct reclaim_error *error)
{
#define DECISION(member)                                                                           \
	{                                                                                          \
#member, offsetof(struct reclaim_policy_ops, member)                               \
	}
	static const struct {
		const char *name;
		size_t member;
	} decisions[] = {
		DECISION(watermarks),	DECISION(tick),		DECISION(wake_kswapd),
		DECISION(balance_mark), DECISION(scan_balance), DECISION(verdict),
		DECISION(throttle),	DECISION(bailout),	DECISION(memcg_background),
		DECISION(contiguous),
	};
#undef DECISION
	const struct reclaim_policy_ops *lists = NULL;
	size_t d;
	uint32_t i;

	for (d = 0; d < sizeof(decisions) / sizeof(decisions[0]); d++) {
		const struct rc_policy_part *first = rc_policy_find(policy, decisions[d].member);
		uint32_t after = first ? (uint32_t)(first - policy->parts) + 1 : policy->nr;
		const struct rc_policy_part *second = find_from(policy, decisions[d].member, after);

		if (second)
			return rc_fail(error, EINVAL, "policies %s and %s both decide \"%s\"",
				       first->ops->name, second->ops->name, decisions[d].name);
	}
	for (i = 0; i < policy->nr; i++) {
		const struct reclaim_policy_ops *ops = policy->parts[i].ops;

		if (ops->lru_kind == RECLAIM_LRU_PROFILE)
			continue;
		if (lists)
			return rc_fail(error, EINVAL, "policies %s and %s both decide the lists",
				       lists->name, ops->name);
		lists = ops;
	}
	return 0;
}

static const struct reclaim_policy_ops *find_builtin(const char *name)
{
	const struct reclaim_policy_ops *ops;
	size_t i;

	for (i = 0; (ops = reclaim_policy_builtin(i)); i++)
		if (!strcmp(ops->name, name))
			return ops;
	return NULL;
}

static bool is_file(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 3 && !strcmp(name + len - 3, ".so"));
}

static const struct reclaim_policy_ops *load_plugin(const char *file, void **handle,
						    struct reclaim_error *error)
{
	const struct reclaim_policy_ops *ops;
	reclaim_policy_plugin_fn fn;
	void *sym;

	*handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!*handle) {
		rc_fail(error, ENOENT, "%s", dlerror()); /* names the file */
		return NULL;
	}
	sym = dlsym(*handle, RECLAIM_POLICY_PLUGIN_SYMBOL);
	if (!sym) {
		rc_fail(error, ENOENT, "%s: no symbol %s", file, RECLAIM_POLICY_PLUGIN_SYMBOL);
		goto fail;
	}
	memcpy(&fn, &sym, sizeof(fn));
	ops = fn(RECLAIM_POLICY_ABI);
	if (!ops || ops->abi != RECLAIM_POLICY_ABI || !ops->name) {
		rc_fail(error, EPROTO, "%s: not a policy of ABI %d", file, RECLAIM_POLICY_ABI);
		goto fail;
	}
	if (ops->nr_params > RECLAIM_POLICY_MAX_PARAMS) {
		rc_fail(error, EPROTO, "%s: more than %d parameters", file,
			RECLAIM_POLICY_MAX_PARAMS);
		goto fail;
	}
	return ops;
fail:
	dlclose(*handle);
	*handle = NULL;
	return NULL;
}

static int no_policy(const char *name, struct reclaim_error *error)
{
	const char *names[RC_NEAREST_WORDS], *meant;
	size_t nr = 0;

	for (; nr < RC_NEAREST_WORDS && reclaim_policy_builtin(nr); nr++)
		names[nr] = reclaim_policy_builtin(nr)->name;
	meant = rc_nearest(name, names, nr);
	return rc_fail(error, ENOENT, "there is no policy \"%s\"%s%s%s", name,
		       meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

static int no_param(const struct reclaim_policy_ops *ops, const char *name,
		    struct reclaim_error *error)
{
	const char *names[RECLAIM_POLICY_MAX_PARAMS], *meant;
	char known[160] = "";
	size_t i, len = 0;

	for (i = 0; i < ops->nr_params && len < sizeof(known); i++) {
		names[i] = ops->params[i].name;
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					names[i]);
	}
	meant = rc_nearest(name, names, i);
	if (meant)
		return rc_fail(error, EINVAL, "policy %s has no parameter \"%s\"; did you mean %s?",
			       ops->name, name, meant);
	return rc_fail(error, EINVAL, "policy %s has no parameter \"%s\"; it has %s", ops->name,
		       name, *known ? known : "none");
}

static int set_param(const struct reclaim_policy_ops *ops, int64_t *values, char *pair,
		     struct reclaim_error *error)
{
	char *eq = strchr(pair, '='), *end;
	int64_t v;
	size_t i;

	if (!eq || eq == pair)
		return rc_fail(error, EINVAL, "policy %s: \"%s\" is not name=value", ops->name,
			       pair);
	*eq = '\0';
	for (i = 0; i < ops->nr_params; i++)
		if (!strcmp(ops->params[i].name, pair))
			break;
	if (i == ops->nr_params)
		return no_param(ops, pair, error);
	errno = 0;
	v = strtoll(eq + 1, &end, 10);
	if (errno || end == eq + 1 || *end)
		return rc_fail(error, EINVAL, "policy %s: %s=\"%s\" is not a number", ops->name,
			       pair, eq + 1);
	if (v < ops->params[i].min || v > ops->params[i].max)
		return rc_fail(error, ERANGE,
			       "policy %s: %s=%" PRId64 " is not in %" PRId64 "..%" PRId64,
			       ops->name, pair, v, ops->params[i].min, ops->params[i].max);
	values[i] = v;
	return 0;
}

static int describe(struct reclaim_policy *policy, const struct reclaim_policy_ops *ops,
		    const int64_t *values)
{
	size_t len = policy->text ? strlen(policy->text) : 0, i;
	char *text = realloc(policy->text, len + strlen(ops->name) + 2 + ops->nr_params * 64);
	char *p;

	if (!text)
		return -ENOMEM;
	policy->text = text;
	p = text + len;
	p += sprintf(p, "%s%s", len ? "+" : "", ops->name);
	for (i = 0; i < ops->nr_params; i++)
		p += sprintf(p, "%c%.40s=%" PRId64, i ? ',' : ':', ops->params[i].name, values[i]);
	return 0;
}

static int add_part(struct reclaim_policy *policy, char *text, struct reclaim_error *error)
{
	struct rc_policy_part *part = &policy->parts[policy->nr];
	int64_t values[RECLAIM_POLICY_MAX_PARAMS];
	char *colon = strchr(text, ':'), *pair, *save = NULL;
	size_t i;
	int ret;

	if (policy->nr == RECLAIM_POLICY_MAX_PARTS)
		return rc_fail(error, E2BIG, "a policy has at most %d parts",
			       RECLAIM_POLICY_MAX_PARTS);
	if (colon)
		*colon = '\0';
	part->ops = is_file(text) ? load_plugin(text, &part->handle, error) : find_builtin(text);
	if (!part->ops) {
		return is_file(text) ? -ENOENT : no_policy(text, error);
	}
	policy->nr++;
	for (i = 0; i < part->ops->nr_params; i++)
		values[i] = part->ops->params[i].def;
	for (pair = colon ? strtok_r(colon + 1, ",", &save) : NULL; pair;
	     pair = strtok_r(NULL, ",", &save)) {
		ret = set_param(part->ops, values, pair, error);
		if (ret)
			return ret;
	}
	part->state = calloc(1, rc_max(part->ops->state_size, 1));
	if (!part->state || describe(policy, part->ops, values))
		return rc_fail(error, ENOMEM, "no memory for policy %s", part->ops->name);
	return part->ops->init ? part->ops->init(part->state, values, error) : 0;
}

struct reclaim_policy *reclaim_policy_create(const char *spec, struct reclaim_error *error)
{
	struct reclaim_policy *policy;
	char buf[MAX_SPEC], *part, *save = NULL;

	if (strlen(spec) >= sizeof(buf)) {
		rc_fail(error, E2BIG, "the policy's specification is longer than %d bytes",
			MAX_SPEC - 1);
		return NULL;
	}
	policy = calloc(1, sizeof(*policy));
	if (!policy) {
		rc_fail(error, ENOMEM, "no memory for a policy");
		return NULL;
	}
	strcpy(buf, spec);
	for (part = strtok_r(buf, "+", &save); part; part = strtok_r(NULL, "+", &save)) {
		if (add_part(policy, part, error)) {
			reclaim_policy_free(policy);
			return NULL;
		}
	}
	if (!policy->nr)
		rc_fail(error, EINVAL, "an empty policy");
	if (!policy->nr || check_parts(policy, error)) {
		reclaim_policy_free(policy);
		return NULL;
	}
	return policy;
}

void reclaim_policy_free(struct reclaim_policy *policy)
{
	uint32_t i;

	if (!policy)
		return;
	for (i = 0; i < policy->nr; i++) {
		struct rc_policy_part *part = &policy->parts[i];

		if (part->state && part->ops->exit)
			part->ops->exit(part->state);
		free(part->state);
		if (part->handle)
			dlclose(part->handle);
	}
	free(policy->text);
	free(policy);
}

bool reclaim_policy_needs_future(const struct reclaim_policy *policy)
{
	uint32_t i;

	for (i = 0; i < policy->nr; i++)
		if (policy->parts[i].ops->future)
			return true;
	return false;
}

const char *reclaim_policy_describe(const struct reclaim_policy *policy)
{
	return policy->text;
}
