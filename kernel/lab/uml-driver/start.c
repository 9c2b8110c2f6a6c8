// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - memory as the recorded machine had it when the window began
 *
 * The guest is booted with more memory than that. What is too much is taken away from the zone, as
 * a balloon does it; pages of the lists are made; and kernel memory is held until as many pages are
 * free as were then.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/moduleparam.h>
#include <linux/vmstat.h>

#include "replay.h"

static unsigned long managed, wanted_free, active_file, inactive_file, anon;

module_param(managed, ulong, 0644);
MODULE_PARM_DESC(managed, "pages that the zone manages; 0: all there are");
module_param_named(free, wanted_free, ulong, 0644);
MODULE_PARM_DESC(free, "pages free when the replay begins; 0: as they are");
module_param(active_file, ulong, 0644);
MODULE_PARM_DESC(active_file, "pages of the page cache on the active list");
module_param(inactive_file, ulong, 0644);
MODULE_PARM_DESC(inactive_file, "pages of the page cache on the inactive list");
module_param(anon, ulong, 0644);
MODULE_PARM_DESC(anon, "anonymous pages that nobody touches again");

static LIST_HEAD(taken);
static LIST_HEAD(held);
static struct inode *cache;
static unsigned long anon_start, anon_size;

static bool hold_page(struct list_head *list)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);

	if (page)
		list_add(&page->lru, list);
	return page;
}

static int shrink_zone(void)
{
	while (managed && totalram_pages() > managed) {
		if (!hold_page(&taken))
			return -ENOMEM;
		adjust_managed_page_count(list_first_entry(&taken, struct page, lru), -1);
	}
	setup_per_zone_wmarks();
	return 0;
}

static int map_anon(struct replay_run *run)
{
	unsigned long i;

	if (!anon)
		return 0;
	anon_size = anon << PAGE_SHIFT;
	anon_start = vm_mmap(NULL, 0, anon_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0);
	if (IS_ERR_VALUE(anon_start))
		return (int)anon_start;
	for (i = 0; i < anon; i++)
		replay_fault_in(run, anon_start + (i << PAGE_SHIFT), true);
	return 0;
}

int replay_start(struct replay_run *run)
{
	int err = shrink_zone();

	if (!err)
		err = map_anon(run);
	if (!err && active_file + inactive_file)
		err = replay_cache_fill(active_file, inactive_file, &cache);
	if (err)
		return err;
	while (wanted_free && global_zone_page_state(NR_FREE_PAGES) > wanted_free)
		if (!hold_page(&held))
			break;
	return 0;
}

static void let_go(struct list_head *list, long adjust)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, list, lru)
	{
		list_del(&page->lru);
		if (adjust)
			adjust_managed_page_count(page, adjust);
		__free_page(page);
	}
}

void replay_start_release(void)
{
	let_go(&held, 0);
	let_go(&taken, 1);
	if (anon_size)
		vm_munmap(anon_start, anon_size);
	anon_size = 0;
	iput(cache);
	cache = NULL;
}
