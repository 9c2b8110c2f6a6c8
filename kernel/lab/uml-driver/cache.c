// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cache.c - the page cache of the replay
 *
 * Each file of the demand is an inode of a file system that exists only here. Reads and writeback
 * go to the modelled disk; everything above is the kernel's: readahead's allocation flags, the LRU,
 * shadow entries, dirty accounting, the flusher.
 */
#include <linux/backing-dev.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/pseudo_fs.h>
#include <linux/swap.h>
#include <linux/writeback.h>

#include "device.h"
#include "replay.h"

#define REPLAY_SUPER_MAGIC 0x726c6162

static struct vfsmount *mount;

static void write_done(struct replay_io *io)
{
	unsigned int i;

	for (i = 0; i < io->nr; i++)
		folio_end_writeback(io->folios[i]);
}

static void read_done(struct replay_io *io)
{
	unsigned int i;

	for (i = 0; i < io->nr; i++) {
		folio_mark_uptodate(io->folios[i]);
		folio_unlock(io->folios[i]);
	}
}

static void submit_writes(struct replay_io *io)
{
	io->write = true;
	io->done = write_done;
	replay_io_submit(&replay_file_disk, io, io->nr);
}

/* What follows the last folio of the request goes with it; anything else starts a new one. */
static struct replay_io *writable(struct replay_io *io, const struct folio *folio)
{
	if (io && (io->nr == IO_FOLIOS || io->folios[io->nr - 1]->index + 1 != folio->index)) {
		submit_writes(io);
		io = NULL;
	}
	if (!io) {
		replay_device_wait(&replay_file_disk);
		io = replay_io_get();
	}
	return io;
}

static int write_folio(struct page *page, struct writeback_control *wbc, void *request)
{
	struct folio *folio = page_folio(page);
	struct replay_io **io = request;

	*io = writable(*io, folio);
	if (!*io) {
		folio_redirty_for_writepage(wbc, folio);
		folio_unlock(folio);
		return 0;
	}
	(*io)->folios[(*io)->nr++] = folio;
	folio_start_writeback(folio);
	folio_unlock(folio);
	return 0;
}

static int replay_writepage(struct page *page, struct writeback_control *wbc)
{
	struct replay_io *io = NULL;
	int err = write_folio(page, wbc, &io);

	if (io)
		submit_writes(io);
	return err;
}

static int replay_writepages(struct address_space *mapping, struct writeback_control *wbc)
{
	struct replay_io *io = NULL;
	int err = write_cache_pages(mapping, wbc, write_folio, &io);

	if (io)
		submit_writes(io);
	return err;
}

static const struct address_space_operations replay_aops = {
	.writepage = replay_writepage,
	.writepages = replay_writepages,
	.dirty_folio = filemap_dirty_folio,
	.migrate_folio = filemap_migrate_folio,
};

static int replay_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, REPLAY_SUPER_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type replay_fs = {
	.name = "reclaimlab_replay",
	.init_fs_context = replay_init_fs_context,
	.kill_sb = kill_anon_super,
};

int replay_cache_init(void)
{
	mount = kern_mount(&replay_fs);
	if (IS_ERR(mount))
		return PTR_ERR(mount);
	return super_setup_bdi(mount->mnt_sb);
}

static struct inode *replay_inode(const struct replay_file_entry *entry)
{
	struct inode *inode = new_inode(mount->mnt_sb);

	if (!inode)
		return NULL;
	inode->i_ino = le64_to_cpu(entry->ino);
	inode->i_mode = S_IFREG | 0600;
	inode->i_mapping->a_ops = &replay_aops;
	i_size_write(inode, (loff_t)le32_to_cpu(entry->pages) << PAGE_SHIFT);
	inode_fake_hash(inode);
	return inode;
}

int replay_cache_open(struct replay_run *run)
{
	u32 i;

	for (i = 0; i < run->nr_files; i++) {
		run->inodes[i] = replay_inode(&run->files[i]);
		if (!run->inodes[i])
			return -ENOMEM;
	}
	return 0;
}

void replay_cache_close(struct replay_run *run)
{
	u32 i;

	for (i = 0; i < run->nr_files; i++)
		iput(run->inodes[i]);
}

int replay_cache_fill(unsigned long active, unsigned long inactive, struct inode **inode)
{
	const struct replay_file_entry entry = { .pages = cpu_to_le32(active + inactive) };
	struct inode *made = replay_inode(&entry);
	unsigned long i;

	if (!made)
		return -ENOMEM;
	*inode = made;
	for (i = 0; i < active + inactive; i++) {
		struct folio *folio = __filemap_get_folio(made->i_mapping, i, FGP_LOCK | FGP_CREAT,
							  mapping_gfp_mask(made->i_mapping));

		if (!folio)
			return -ENOMEM;
		folio_mark_uptodate(folio);
		folio_unlock(folio);
		if (i < active) {
			folio_mark_accessed(folio);
			folio_mark_accessed(folio);
		}
		folio_put(folio);
	}
	return 0;
}

static void submit_reads(struct replay_run *run, struct replay_io *io)
{
	run->counts[COUNT_READ_PAGES] += io->nr;
	io->done = read_done;
	replay_io_submit(&replay_file_disk, io, io->nr);
}

/* A locked folio of the mapping for @index that waits to be read, or NULL. */
static struct folio *add_absent(struct address_space *mapping, pgoff_t index, gfp_t gfp)
{
	struct folio *folio;
	void *entry = xa_load(&mapping->i_pages, index);

	if (entry && !xa_is_value(entry))
		return NULL;
	folio = filemap_alloc_folio(gfp, 0);
	if (!folio)
		return ERR_PTR(-ENOMEM);
	if (filemap_add_folio(mapping, folio, index, gfp)) {
		folio_put(folio);
		return ERR_PTR(-ENOMEM);
	}
	return folio;
}

/* Start the read of what is absent of [start, start + count), as readahead does: until memory
 * fails. */
static void read_window(struct replay_run *run, struct address_space *mapping, pgoff_t start,
			unsigned int count, gfp_t gfp)
{
	struct replay_io *io = NULL;
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct folio *folio = add_absent(mapping, start + i, gfp);

		if (!folio)
			continue;
		if (IS_ERR(folio))
			break;
		if (!io)
			io = replay_io_get();
		if (!io) {
			folio_unlock(folio);
			folio_put(folio);
			break;
		}
		io->folios[io->nr++] = folio;
		folio_put(folio);
		if (io->nr == IO_FOLIOS) {
			submit_reads(run, io);
			io = NULL;
		}
	}
	if (io)
		submit_reads(run, io);
}

/* The folio at @index, up to date, with a reference; NULL when memory failed. */
static struct folio *read_index(struct replay_run *run, struct address_space *mapping,
				const struct replay_record *record)
{
	pgoff_t index = le32_to_cpu(record->index);
	unsigned int count = le16_to_cpu(record->count);
	struct folio *folio = filemap_get_folio(mapping, index);

	if (!folio && count) {
		read_window(run, mapping, le32_to_cpu(record->start), count,
			    readahead_gfp_mask(mapping));
		folio = filemap_get_folio(mapping, index);
	}
	if (!folio) {
		read_window(run, mapping, index, 1, mapping_gfp_mask(mapping));
		folio = filemap_get_folio(mapping, index);
	}
	if (!folio) {
		run->counts[COUNT_ALLOC_FAILED]++;
		return NULL;
	}
	if (!folio_test_uptodate(folio)) {
		run->counts[COUNT_MISSES]++;
		folio_wait_locked(folio);
	}
	return folio;
}

void replay_cache_read(struct replay_run *run, const struct replay_record *record)
{
	struct address_space *mapping = run->inodes[le32_to_cpu(record->object)]->i_mapping;
	struct folio *folio;

	if (record->flags & FLAG_ASYNC) {
		read_window(run, mapping, le32_to_cpu(record->start), le16_to_cpu(record->count),
			    readahead_gfp_mask(mapping));
		return;
	}
	folio = read_index(run, mapping, record);
	if (!folio)
		return;
	if (!(record->flags & FLAG_NO_MARK))
		folio_mark_accessed(folio);
	folio_put(folio);
}

/*
 * A touch through a mapping. The replay maps no files; what reclaim would learn from the page table
 * is put into the folio's referenced flag.
 */
void replay_cache_touch(struct replay_run *run, const struct replay_record *record)
{
	struct address_space *mapping = run->inodes[le32_to_cpu(record->object)]->i_mapping;
	struct folio *folio = read_index(run, mapping, record);

	if (!folio)
		return;
	folio_set_referenced(folio);
	if (record->flags & FLAG_WRITE) {
		folio_lock(folio);
		folio_mark_dirty(folio);
		folio_unlock(folio);
		balance_dirty_pages_ratelimited(mapping);
	}
	folio_put(folio);
}

void replay_cache_dirty(struct replay_run *run, const struct replay_record *record)
{
	struct address_space *mapping = run->inodes[le32_to_cpu(record->object)]->i_mapping;
	const int fgp = FGP_LOCK | FGP_WRITE | FGP_CREAT | FGP_STABLE;
	pgoff_t index = le32_to_cpu(record->index);
	unsigned int i;

	for (i = 0; i < le16_to_cpu(record->count); i++) {
		struct folio *folio =
			__filemap_get_folio(mapping, index + i, fgp, mapping_gfp_mask(mapping));

		if (!folio) {
			run->counts[COUNT_ALLOC_FAILED]++;
			return;
		}
		folio_mark_uptodate(folio);
		folio_mark_dirty(folio);
		folio_unlock(folio);
		folio_put(folio);
		balance_dirty_pages_ratelimited(mapping);
	}
}

void replay_cache_truncate(struct replay_run *run, const struct replay_record *record)
{
	struct address_space *mapping = run->inodes[le32_to_cpu(record->object)]->i_mapping;
	loff_t start = (loff_t)le32_to_cpu(record->index) << PAGE_SHIFT;
	loff_t end = start + ((loff_t)le16_to_cpu(record->count) << PAGE_SHIFT) - 1;

	if (record->count)
		truncate_inode_pages_range(mapping, start, end);
}

void replay_cache_sync(struct replay_run *run, u32 file)
{
	if (file != REPLAY_NONE) {
		filemap_write_and_wait(run->inodes[file]->i_mapping);
		return;
	}
	for (file = 0; file < run->nr_files; file++)
		filemap_write_and_wait(run->inodes[file]->i_mapping);
}
