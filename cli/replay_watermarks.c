/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay --watermarks: what a policy makes of a machine, without a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/replay_print.h"
#include "reclaim/policy.h"

#define PAGE 4096

static int one_policy(const struct machine *m, const char *spec, struct rl_msg *msg)
{
	struct reclaim_error error = { "" };
	struct reclaim_policy *policy = reclaim_policy_create(spec, &error);
	struct reclaim_wmarks marks;

	if (!policy)
		return rl_fail(msg, EINVAL, "%s", error.text);
	reclaim_watermarks(&m->machine, m->profile, policy, false, &marks);
	printf("%-32s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
	       spec, marks.min, marks.low, marks.high, marks.low - marks.min,
	       marks.high - marks.low);
	reclaim_policy_free(policy);
	return 0;
}

int print_watermarks(const char *kernel, const char *memory, const char *changes,
		     const char *const *policies, unsigned int nr, struct rl_msg *msg)
{
	static struct machine m;
	int ret = machine_of_size(kernel, memory, &m, msg);

	if (!ret)
		ret = machine_apply(&m, changes, msg);
	if (ret)
		return ret;
	printf("%.1f MiB in one zone, rules of %s, min_free_kbytes %" PRIu64
	       ", watermark_scale_factor %u; pages\n",
	       (double)machine_pages(&m) * PAGE / (1024.0 * 1024.0),
	       reclaim_profile_name(m.profile), reclaim_min_free_kbytes(&m.machine, m.profile),
	       m.machine.watermark_scale_factor);
	printf("%-32s %10s %10s %10s %10s %10s\n", "policy", "min", "low", "high", "low-min",
	       "high-low");
	ret = one_policy(&m, "linear", msg);
	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = one_policy(&m, policies[i], msg);
	return ret;
}
