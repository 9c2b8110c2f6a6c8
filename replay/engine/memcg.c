/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memcg.c - memory cgroups: charging, max, high, protection, soft limit, proactive and background
 * reclaim
 *
 * mm/memcontrol.c: try_charge_memcg(), mem_cgroup_handle_over_high(), and the soft limit of
 * version 1. A charge is taken in batches into a stock of each CPU. Group 0 is the root: it has no
 * limit and is not charged.
 */
#include "internal.h"

#define CHARGE_BATCH 64

bool rc_memcg_under(const struct reclaim_engine *e, uint16_t memcg, uint16_t root)
{
	uint32_t m = memcg;

	while (m && m != root)
		m = e->memcgs[m].desc.parent;
	return m == root;
}

/* ---- counting ---- */

static void count_down(struct reclaim_engine *e, uint32_t memcg, uint64_t nr)
{
	for (; memcg; memcg = e->memcgs[memcg].desc.parent)
		e->memcgs[memcg].usage -= nr;
}

/* page_counter_try_charge(): the group that is at its limit, or RC_NONE when all had room. */
static uint32_t count_up(struct reclaim_engine *e, uint32_t memcg, uint64_t nr, bool force)
{
	uint32_t m;

	for (m = memcg; m && !force; m = e->memcgs[m].desc.parent)
		if (e->memcgs[m].desc.max != UINT64_MAX &&
		    e->memcgs[m].usage + nr > e->memcgs[m].desc.max)
			return m;
	for (m = memcg; m; m = e->memcgs[m].desc.parent)
		e->memcgs[m].usage += nr;
	return RC_NONE;
}

static void drain_stock(struct reclaim_engine *e, struct rc_cpu *c)
{
	if (c->stock)
		count_down(e, c->stock_memcg, c->stock);
	c->stock = 0;
}

static void drain_stocks(struct reclaim_engine *e)
{
	uint32_t i;

	for (i = 0; i < e->nr_cpus; i++)
		drain_stock(e, &e->cpus[i]);
}

static void refill_stock(struct reclaim_engine *e, uint16_t memcg, uint32_t nr)
{
	struct rc_cpu *c = rc_this_cpu(e);

	if (c->stock_memcg != memcg) {
		drain_stock(e, c);
		c->stock_memcg = memcg;
	}
	c->stock += nr;
	if (c->stock > CHARGE_BATCH)
		drain_stock(e, c);
}

void rc_memcg_uncharge(struct reclaim_engine *e, uint16_t memcg, uint32_t nr)
{
	count_down(e, memcg, nr);
}

/* ---- the background worker ---- */

static struct reclaim_memcg_view view_of(struct reclaim_engine *e, uint32_t m, bool running)
{
	const struct rc_memcg *g = &e->memcgs[m];

	return (struct reclaim_memcg_view){
		.memcg = m,
		.usage = g->usage,
		.max = g->desc.max,
		.high = g->desc.high,
		.low = g->desc.low,
		.soft_limit = g->desc.soft_limit,
		.events = g->charge_events,
		.running = running,
		.at = rc_now(e),
	};
}

static void ask_background(struct reclaim_engine *e, uint32_t memcg)
{
	struct reclaim_memcg_plan plan;
	struct reclaim_memcg_view view;
	uint32_t m;

	for (m = memcg; m; m = e->memcgs[m].desc.parent) {
		struct rc_memcg *g = &e->memcgs[m];

		g->charge_events++;
		if (g->background)
			continue;
		plan = (struct reclaim_memcg_plan){ 0 };
		view = view_of(e, m, false);
		if (!e->p_memcg->ops->memcg_background(e->p_memcg->state, &view, &plan))
			continue;
		g->charge_events = 0;
		if (!plan.reclaim)
			continue;
		g->background = true;
		rc_wake_all(e, &e->memcg_wait);
	}
}

/* One run for one group; true when it wants another. */
static bool background_run(struct reclaim_engine *e, uint32_t m)
{
	struct reclaim_memcg_view view = view_of(e, m, true);
	struct reclaim_memcg_plan plan = { 0 };
	struct rc_memcg *g = &e->memcgs[m];
	uint64_t freed;

	if (!e->p_memcg->ops->memcg_background(e->p_memcg->state, &view, &plan) || !plan.reclaim) {
		g->background = false;
		return false;
	}
	rc_count(e, RECLAIM_VM_MEMCG_ASYNC_RUNS, 1);
	freed = rc_memcg_reclaim(e, (uint16_t)m, plan.reclaim, RECLAIM_GFP_KERNEL, true, false,
				 plan.scan_limit);
	if (freed * 2 <= plan.reclaim && plan.again_ns)
		rc_sleep_until(e, rc_now(e) + plan.again_ns);
	return true;
}

void rc_memcg_worker_main(struct reclaim_engine *e, struct rc_actor *a)
{
	uint32_t m;
	bool more;

	while (!e->fatal) {
		more = false;
		for (m = 1; m < e->m.nr_memcgs && !e->fatal; m++)
			if (e->memcgs[m].background)
				more |= background_run(e, m);
		if (more)
			rc_burn(e, e->m.costs.wake);
		else
			rc_wait(e, &e->memcg_wait, RECLAIM_NO_TIME);
	}
}

/* ---- charging ---- */

static void note_high(struct reclaim_engine *e, struct rc_actor *a, uint32_t memcg, uint32_t nr)
{
	uint32_t m;

	for (m = memcg; m; m = e->memcgs[m].desc.parent) {
		if (e->memcgs[m].usage > e->memcgs[m].desc.high) {
			a->high_pending += nr;
			return;
		}
	}
}

static void charge_done(struct reclaim_engine *e, struct rc_actor *a, uint16_t memcg,
			uint32_t batch, uint32_t nr)
{
	if (batch > nr)
		refill_stock(e, memcg, batch - nr);
	note_high(e, a, memcg, batch);
	if (e->p_memcg)
		ask_background(e, memcg);
}

int rc_memcg_charge(struct reclaim_engine *e, struct rc_actor *a, uint16_t memcg, uint32_t gfp,
		    uint32_t nr)
{
	struct rc_cpu *c = rc_this_cpu(e);
	uint32_t batch = rc_max(nr, CHARGE_BATCH), over;
	int retries = RC_MAX_RETRIES;
	bool drained = false;
	uint64_t freed;

	if (c->stock_memcg == memcg && c->stock >= nr) {
		c->stock -= nr;
		return 0;
	}
	for (;;) {
		over = count_up(e, memcg, batch, false);
		if (over != RC_NONE && batch > nr) {
			batch = nr;
			over = count_up(e, memcg, batch, false);
		}
		if (over == RC_NONE) {
			charge_done(e, a, memcg, batch, nr);
			return 0;
		}
		if (a->memalloc || a->killed || (gfp & (RECLAIM_GFP_NOFAIL | RECLAIM_GFP_HIGH)))
			break;
		if (!(gfp & RECLAIM_GFP_DIRECT_RECLAIM))
			return -ENOMEM;
		if (!e->in_co)
			return RC_AGAIN;
		e->memcgs[over].max_events++;
		rc_count(e, RECLAIM_VM_MEMCG_MAX_EVENTS, 1);
		freed = rc_memcg_reclaim(e, (uint16_t)over, nr, gfp, true, false, 0);
		if (e->fatal)
			return -ENOMEM;
		if (e->memcgs[over].usage + nr <= e->memcgs[over].desc.max)
			continue;
		if (!drained) {
			drain_stocks(e);
			drained = true;
			continue;
		}
		if (gfp & RECLAIM_GFP_NORETRY)
			return -ENOMEM;
		if (freed && nr <= 8)
			continue;
		if (retries-- > 0)
			continue;
		if (gfp & RECLAIM_GFP_RETRY_MAYFAIL)
			return -ENOMEM;
		e->memcgs[over].oom_kills++;
		rc_oom(e, 0, gfp, (int)over);
		if (a->killed)
			break;
		retries = RC_MAX_RETRIES;
	}
	count_up(e, memcg, nr, true);
	return 0;
}

/* calculate_high_delay() in jiffies for one group. */
static uint64_t high_delay(const struct reclaim_engine *e, const struct rc_memcg *g, uint64_t nr)
{
	uint64_t high = rc_max(g->desc.high, 1), over;

	if (g->usage <= g->desc.high)
		return 0;
	over = rc_min(((g->usage - g->desc.high) << 20) / high, 1ULL << 31);
	return (((over * over >> 20) * e->m.hz) >> 14) * nr / CHARGE_BATCH;
}

void rc_memcg_handle_high(struct reclaim_engine *e, struct rc_actor *a)
{
	uint64_t nr = a->high_pending, delay, jiffies = 0, freed, began;
	int64_t jiffy = RC_NSEC / e->m.hz;
	int retries = RC_MAX_RETRIES;
	uint32_t m;

	a->high_pending = 0;
	began = nr;
	for (;;) {
		freed = 0;
		for (m = a->task.memcg; m; m = e->memcgs[m].desc.parent) {
			if (e->memcgs[m].usage <= e->memcgs[m].desc.high)
				continue;
			e->memcgs[m].high_events++;
			rc_count(e, RECLAIM_VM_MEMCG_HIGH_EVENTS, 1);
			freed += rc_memcg_reclaim(e, (uint16_t)m, began, RECLAIM_GFP_KERNEL, true,
						  false, 0);
		}
		jiffies = 0;
		for (m = a->task.memcg; m; m = e->memcgs[m].desc.parent) {
			delay = high_delay(e, &e->memcgs[m], nr);
			jiffies = rc_max(jiffies, delay);
		}
		jiffies = rc_min(jiffies, 2 * e->m.hz);
		if (jiffies <= e->m.hz / 100 || e->fatal)
			return;
		if (!freed && !retries--)
			break;
		began = RC_BATCH;
	}
	a->stall_ns += (int64_t)jiffies * jiffy;
	rc_sleep_until(e, rc_now(e) + (int64_t)jiffies * jiffy);
}

/* ---- protection and the soft limit ---- */

/* effective_protection(), 5.7 and later */
uint64_t rc_effective_protection(uint64_t usage, uint64_t parent_usage, uint64_t setting,
				 uint64_t parent_effective, uint64_t siblings, bool recursive)
{
	uint64_t protected = rc_min(usage, setting);

	if (siblings > parent_effective)
		return (uint64_t)((unsigned __int128)protected * parent_effective / siblings);
	if (!recursive || parent_effective <= siblings || parent_usage <= siblings ||
	    usage <= protected)
		return protected;
	return protected + (uint64_t)((unsigned __int128)(parent_effective - siblings) *
				      (usage - protected) / (parent_usage - siblings));
}

/* mem_cgroup_calculate_protection() */
void rc_memcg_calculate_protection(struct reclaim_engine *e, uint16_t memcg, uint16_t root)
{
	struct rc_memcg *g = &e->memcgs[memcg];
	const struct rc_memcg *parent = &e->memcgs[g->desc.parent];
	uint64_t min = 0, low = 0;
	uint32_t m;

	if (memcg == root || !g->usage)
		return;
	if (g->desc.parent == root) {
		g->emin = g->desc.min;
		g->elow = g->desc.low;
		return;
	}
	for (m = 1; m < e->m.nr_memcgs; m++) {
		if (e->memcgs[m].desc.parent != g->desc.parent)
			continue;
		min += rc_min(e->memcgs[m].usage, e->memcgs[m].desc.min);
		low += rc_min(e->memcgs[m].usage, e->memcgs[m].desc.low);
	}
	g->emin = rc_effective_protection(g->usage, parent->usage, g->desc.min, parent->emin, min,
					  e->m.memory_recursiveprot);
	g->elow = rc_effective_protection(g->usage, parent->usage, g->desc.low, parent->elow, low,
					  e->m.memory_recursiveprot);
}

uint64_t rc_memcg_protection(const struct reclaim_engine *e, uint16_t memcg, struct rc_scan *sc)
{
	const struct rc_memcg *g = &e->memcgs[memcg];

	if (sc->memcg_low_reclaim || g->elow <= g->emin)
		return g->emin;
	sc->memcg_low_skipped = true;
	return g->elow;
}

bool rc_memcg_protected(const struct reclaim_engine *e, uint16_t memcg, uint16_t root,
			struct rc_scan *sc)
{
	const struct rc_memcg *g = &e->memcgs[memcg];

	if (memcg == root || !memcg)
		return false;
	if (g->emin >= g->usage)
		return true;
	if (g->elow < g->usage || sc->memcg_low_reclaim)
		return false;
	sc->memcg_low_skipped = true;
	return true;
}

static uint32_t largest_excess(const struct reclaim_engine *e, uint64_t below)
{
	uint64_t best_excess = 0, excess;
	uint32_t best = 0, m;

	for (m = 1; m < e->m.nr_memcgs; m++) {
		const struct rc_memcg *g = &e->memcgs[m];

		excess =
			g->desc.soft_limit == UINT64_MAX ? 0 : rc_sub(g->usage, g->desc.soft_limit);
		if (excess > best_excess && excess < below) {
			best_excess = excess;
			best = m;
		}
	}
	return best;
}

/* mem_cgroup_soft_limit_reclaim(): from the largest excess down, until something was reclaimed. */
void rc_memcg_soft_limit(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	uint64_t below = UINT64_MAX;
	struct reclaim_event ev;
	uint32_t m;

	if (sc->order || e->mglru || e->m.nr_memcgs == 1)
		return;
	while ((m = largest_excess(e, below))) {
		struct rc_scan soft = *sc;

		below = e->memcgs[m].usage - e->memcgs[m].desc.soft_limit;
		soft.nr_to_reclaim = RC_BATCH;
		soft.nr_reclaimed = 0;
		soft.nr_scanned = 0;
		soft.priority = 0;
		ev = rc_event(e, RECLAIM_EV_SOFTLIMIT_BEGIN);
		ev.memcg = (uint16_t)m;
		ev.gfp = sc->gfp;
		rc_emit(e, &ev);
		rc_shrink_lruvec(e, rc_lruvec(e, n->id, m), &soft);
		ev = rc_event(e, RECLAIM_EV_SOFTLIMIT_END);
		ev.memcg = (uint16_t)m;
		ev.u.sum.reclaimed = soft.nr_reclaimed;
		rc_emit(e, &ev);
		sc->nr_scanned += soft.nr_scanned;
		sc->nr_reclaimed += soft.nr_reclaimed;
		if (soft.nr_reclaimed || e->fatal)
			return;
	}
}

/* ---- memory.reclaim and writes to memory.max ---- */

/* user_proactive_reclaim() */
uint64_t rc_proactive(struct reclaim_engine *e, uint16_t memcg, uint64_t nr)
{
	int retries = RC_MAX_RETRIES;
	uint64_t total = 0, freed;
	uint32_t cpu;

	while (total < nr && !e->fatal) {
		if (!retries)
			for (cpu = 0; cpu < e->nr_cpus; cpu++)
				rc_lru_drain_cpu(e, cpu);
		freed = rc_memcg_reclaim(e, memcg, rc_max((nr - total) / 4, RC_BATCH),
					 RECLAIM_GFP_KERNEL, true, true, 0);
		if (!freed && !retries--)
			break;
		total += freed;
	}
	return total;
}

void rc_memcg_set_max(struct reclaim_engine *e, uint16_t memcg, uint64_t max)
{
	struct rc_memcg *g = &e->memcgs[memcg];
	int retries = RC_MAX_RETRIES;

	g->desc.max = max;
	drain_stocks(e);
	while (memcg && g->usage > max && retries && !e->fatal)
		if (!rc_memcg_reclaim(e, memcg, g->usage - max, RECLAIM_GFP_KERNEL, true, false, 0))
			retries--;
	if (memcg && g->usage > max && !e->fatal) {
		g->oom_kills++;
		rc_oom(e, 0, RECLAIM_GFP_KERNEL, memcg);
	}
}
