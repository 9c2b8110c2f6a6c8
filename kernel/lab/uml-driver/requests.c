// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * requests.c - one record of the demand, performed
 *
 * A logical page is a word: 0 not allocated; PAGE_WANTED_FREE freed before it was allocated; a
 * struct page with its order in the low bits (kernel memory); or a user address with PAGE_ANON
 * (anonymous and shared memory).
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>
#include <linux/writeback.h>

#include "replay.h"

#define PAGE_ANON	 1UL
#define PAGE_WANTED_FREE 3UL
#define PAGE_ORDER_SHIFT 1
#define PAGE_ORDER_MASK	 0xfUL
#define PAGE_TAG_MASK	 0x3fUL

#define PROACTIVE_RETRIES 16

/* The project's own bits, from bit 0, as this kernel writes them. */
static const gfp_t gfp_bits[] = {
	__GFP_DMA,
	__GFP_HIGHMEM,
	__GFP_DMA32,
	__GFP_MOVABLE,
	__GFP_RECLAIMABLE,
	__GFP_HIGH,
	__GFP_IO,
	__GFP_FS,
	0 /* zeroing costs nothing here */,
	__GFP_ATOMIC,
	__GFP_DIRECT_RECLAIM,
	__GFP_KSWAPD_RECLAIM,
	__GFP_WRITE,
	__GFP_NOWARN,
	__GFP_RETRY_MAYFAIL,
	__GFP_NOFAIL,
	__GFP_NORETRY,
	__GFP_MEMALLOC,
	__GFP_COMP,
	__GFP_NOMEMALLOC,
	__GFP_HARDWALL,
	__GFP_THISNODE,
};

static gfp_t translate_gfp(u32 bits)
{
	gfp_t gfp = __GFP_NOWARN;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gfp_bits); i++)
		if (bits & (1U << i))
			gfp |= gfp_bits[i];
	return gfp;
}

static bool is_anon_use(u8 use)
{
	return use == USE_ANON || use == USE_SHMEM;
}

void replay_fault_in(struct replay_run *run, unsigned long address, bool write)
{
	struct mm_struct *mm = current->mm;
	bool unlocked = false;

	mmap_read_lock(mm);
	if (fixup_user_fault(mm, address, write ? FAULT_FLAG_WRITE : 0, &unlocked))
		run->counts[COUNT_ALLOC_FAILED]++;
	mmap_read_unlock(mm);
}

/* A high order has no place in the region of single pages; it gets a mapping of its own. */
static unsigned long anon_address(struct replay_run *run, u32 page, unsigned int order)
{
	if (!order)
		return run->anon + ((unsigned long)page << PAGE_SHIFT);
	return vm_mmap(NULL, 0, PAGE_SIZE << order, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0);
}

static void alloc_anon(struct replay_run *run, u32 page, unsigned int order)
{
	unsigned long address = anon_address(run, page, order);
	unsigned int i;

	if (IS_ERR_VALUE(address)) {
		run->counts[COUNT_ALLOC_FAILED]++;
		return;
	}
	for (i = 0; i < 1U << order; i++)
		replay_fault_in(run, address + i * PAGE_SIZE, true);
	run->pages[page] = address | order << PAGE_ORDER_SHIFT | PAGE_ANON;
}

static void alloc_kernel(struct replay_run *run, u32 page, unsigned int order, gfp_t gfp)
{
	struct page *block = alloc_pages(gfp, order);

	if (!block) {
		run->counts[COUNT_ALLOC_FAILED]++;
		return;
	}
	run->pages[page] = (unsigned long)block | order << PAGE_ORDER_SHIFT;
}

static void free_anon(unsigned long address, unsigned int order)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	if (order) {
		vm_munmap(address, PAGE_SIZE << order);
		return;
	}
	mmap_read_lock(mm);
	vma = find_vma(mm, address);
	if (vma && vma->vm_start <= address)
		zap_page_range(vma, address, PAGE_SIZE);
	mmap_read_unlock(mm);
}

static void free_page_word(struct replay_run *run, u32 page)
{
	u64 word = run->pages[page];
	unsigned int order = word >> PAGE_ORDER_SHIFT & PAGE_ORDER_MASK;

	run->pages[page] = 0;
	if (word == PAGE_WANTED_FREE || !word)
		run->pages[page] = PAGE_WANTED_FREE;
	else if (word & PAGE_ANON)
		free_anon(word & ~PAGE_TAG_MASK, order);
	else
		__free_pages((struct page *)(word & ~PAGE_TAG_MASK), order);
}

static void request_alloc(struct replay_run *run, const struct replay_record *record)
{
	u32 page = le32_to_cpu(record->object);
	u32 end = page + le16_to_cpu(record->count);
	gfp_t gfp = translate_gfp(le32_to_cpu(record->gfp));

	for (; page < end; page++) {
		bool wanted_free = run->pages[page] == PAGE_WANTED_FREE;

		if (run->pages[page] && !wanted_free)
			free_page_word(run, page);
		run->pages[page] = 0;
		if (is_anon_use(record->use))
			alloc_anon(run, page, record->order);
		else
			alloc_kernel(run, page, record->order, gfp);
		if (wanted_free && run->pages[page])
			free_page_word(run, page);
	}
}

static void request_free(struct replay_run *run, const struct replay_record *record)
{
	u32 page = le32_to_cpu(record->object);
	u32 end = page + le16_to_cpu(record->count);

	for (; page < end; page++)
		free_page_word(run, page);
}

/* Does the page table satisfy the touch? If so, it is marked as the processor would mark it. */
static bool touch_present(struct mm_struct *mm, unsigned long address, bool write)
{
	spinlock_t *lock;
	bool present;
	pte_t *pte = get_locked_pte(mm, address, &lock);

	if (!pte)
		return false;
	present = pte_present(*pte) && (!write || pte_write(*pte));
	if (present) {
		pte_t touched = pte_mkyoung(*pte);

		set_pte_at(mm, address, pte, write ? pte_mkdirty(touched) : touched);
	}
	pte_unmap_unlock(pte, lock);
	return present;
}

static void request_access(struct replay_run *run, const struct replay_record *record)
{
	bool write = record->flags & FLAG_WRITE;
	unsigned long address;
	bool present;
	u64 word;

	if (record->flags & FLAG_FILE) {
		replay_cache_touch(run, record);
		return;
	}
	word = run->pages[le32_to_cpu(record->object)];
	if (!(word & PAGE_ANON) || word == PAGE_WANTED_FREE) {
		run->counts[COUNT_HIDDEN]++;
		return;
	}
	address = word & ~PAGE_TAG_MASK;
	mmap_read_lock(current->mm);
	present = touch_present(current->mm, address, write);
	mmap_read_unlock(current->mm);
	if (!present)
		replay_fault_in(run, address, write);
}

/* By the number in the demand; the ones between are settings of memory cgroups. */
static const char *const knob_files[] = {
	[0] = "min_free_kbytes",
	[1] = "watermark_scale_factor",
	[2] = "watermark_boost_factor",
	[3] = "swappiness",
	[4] = "dirty_ratio",
	[5] = "dirty_background_ratio",
	[11] = "drop_caches",
};

static bool write_knob(const char *name, u32 value)
{
	char path[64], text[16];
	int len = scnprintf(text, sizeof(text), "%u", value);
	struct file *file;
	loff_t pos = 0;
	bool done;

	scnprintf(path, sizeof(path), "/proc/sys/vm/%s", name);
	file = filp_open(path, O_WRONLY, 0);
	if (IS_ERR(file))
		return false;
	done = kernel_write(file, text, len, &pos) == len;
	filp_close(file, NULL);
	return done;
}

static void request_knob(struct replay_run *run, const struct replay_record *record)
{
	u32 knob = le32_to_cpu(record->object);

	if (knob >= ARRAY_SIZE(knob_files) || !knob_files[knob] ||
	    !write_knob(knob_files[knob], le32_to_cpu(record->index)))
		run->counts[COUNT_HIDDEN]++;
}

/* As a write to memory.reclaim of the root does it. */
static void request_proactive(const struct replay_record *record)
{
	unsigned long wanted = le32_to_cpu(record->object), done = 0;
	unsigned int retries = PROACTIVE_RETRIES;

	while (done < wanted) {
		unsigned long got;

		if (!retries)
			lru_add_drain_all();
		got = try_to_free_mem_cgroup_pages(root_mem_cgroup, wanted - done, GFP_KERNEL,
						   MEMCG_RECLAIM_MAY_SWAP |
							   MEMCG_RECLAIM_PROACTIVE);
		if (!got && !retries--)
			return;
		done += got;
	}
}

void replay_request(struct replay_run *run, const struct replay_record *record)
{
	char text[32];

	run->counts[COUNT_OPS + record->op]++;
	switch (record->op) {
	case OP_ALLOC:
		request_alloc(run, record);
		break;
	case OP_FREE:
		request_free(run, record);
		break;
	case OP_CACHE:
		replay_cache_read(run, record);
		break;
	case OP_ACCESS:
		request_access(run, record);
		break;
	case OP_DIRTY:
		replay_cache_dirty(run, record);
		break;
	case OP_TRUNCATE:
		replay_cache_truncate(run, record);
		break;
	case OP_KNOB:
		request_knob(run, record);
		break;
	case OP_MARK:
		snprintf(text, sizeof(text), "MARK %u", le32_to_cpu(record->object));
		replay_trace_mark(text);
		break;
	case OP_SYNC:
		replay_cache_sync(run, le32_to_cpu(record->object));
		break;
	case OP_PROACTIVE:
		request_proactive(record);
		break;
	default:
		break;
	}
}

void replay_release_pages(struct replay_run *run)
{
	u32 page;

	for (page = 0; page < run->nr_pages; page++)
		if (run->pages[page] && run->pages[page] != PAGE_WANTED_FREE)
			free_page_word(run, page);
}
