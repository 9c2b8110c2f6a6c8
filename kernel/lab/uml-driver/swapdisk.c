// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * swapdisk.c - /dev/replayswap, a block device in host memory with the times of a modelled disk
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/highmem.h>
#include <linux/moduleparam.h>

#include "device.h"
#include "host.h"

static unsigned int swap_mib;
static bool rotational = true;
static char *storage;

module_param(swap_mib, uint, 0444);
MODULE_PARM_DESC(swap_mib, "size of /dev/replayswap in MiB");
module_param_named(swap_rotational, rotational, bool, 0444);
MODULE_PARM_DESC(swap_rotational, "N: a solid state disk, with readahead by address");

static void swap_done(struct replay_io *io)
{
	bio_endio(io->context);
}

static void swap_copy(struct bio *bio)
{
	loff_t offset = (loff_t)bio->bi_iter.bi_sector << SECTOR_SHIFT;
	struct bvec_iter iter;
	struct bio_vec vec;

	bio_for_each_segment(vec, bio, iter)
	{
		char *data = bvec_kmap_local(&vec);

		if (op_is_write(bio_op(bio)))
			memcpy(storage + offset, data, vec.bv_len);
		else
			memcpy(data, storage + offset, vec.bv_len);
		kunmap_local(data);
		offset += vec.bv_len;
	}
}

static void swap_submit(struct bio *bio)
{
	unsigned int pages = DIV_ROUND_UP(bio->bi_iter.bi_size, PAGE_SIZE);
	struct replay_io *io;

	if (op_is_write(bio_op(bio)))
		replay_device_wait(&replay_swap_disk);
	io = replay_io_get();
	if (!io) {
		bio_io_error(bio);
		return;
	}
	if (op_is_write(bio_op(bio)) || bio_op(bio) == REQ_OP_READ)
		swap_copy(bio);
	io->write = op_is_write(bio_op(bio));
	io->done = swap_done;
	io->context = bio;
	replay_io_submit(&replay_swap_disk, io, pages);
}

static const struct block_device_operations swap_ops = {
	.owner = THIS_MODULE,
	.submit_bio = swap_submit,
};

int replay_swapdisk_init(void)
{
	struct gendisk *disk;
	int err;

	if (!swap_mib)
		return 0;
	storage = replay_host_alloc((unsigned long)swap_mib << 20);
	disk = blk_alloc_disk(NUMA_NO_NODE);
	if (!storage || !disk)
		return -ENOMEM;
	strscpy(disk->disk_name, "replayswap", sizeof(disk->disk_name));
	disk->fops = &swap_ops;
	disk->flags |= GENHD_FL_NO_PART;
	blk_queue_logical_block_size(disk->queue, PAGE_SIZE);
	blk_queue_physical_block_size(disk->queue, PAGE_SIZE);
	if (!rotational)
		blk_queue_flag_set(QUEUE_FLAG_NONROT, disk->queue);
	set_capacity(disk, (sector_t)swap_mib << (20 - SECTOR_SHIFT));
	err = add_disk(disk);
	if (err)
		put_disk(disk);
	return err;
}
