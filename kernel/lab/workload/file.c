/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file - a load on the page cache
 *
 *   read   every task streams through one file, in blocks, round and round, each from its own start
 *   zipf   every task preads single pages of one file by a Zipf law
 *   mmap   the same pages, touched through a mapping
 *   write  every task writes a file of its own from start to end, then again from the start
 *   dirty  every task overwrites single pages of its own file by a Zipf law
 *
 * In the writing modes --file is a prefix and task i works on FILE.i.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random.h"
#include "work.h"

enum file_mode { MODE_READ, MODE_ZIPF, MODE_MMAP, MODE_WRITE, MODE_DIRTY };

static const char *const mode_names[] = { "read", "zipf", "mmap", "write", "dirty", NULL };

struct file_load {
	int mode; /* enum file_mode */
	const char *path;
	uint64_t tasks;
	uint64_t size;	/* bytes of the file used; 0: all of it (reading modes) */
	uint64_t block; /* bytes a call of read and write */
	uint64_t seed;
	struct work_limit limit; /* amount: bytes of one task */
};

/* One task's state. */
struct file_job {
	const struct file_load *load;
	int fd;
	uint64_t size;
	uint64_t offset; /* of the streaming modes */
	char *buffer;	 /* one block */
	char *map;	 /* mmap mode only */
	struct zipf *zipf;
	struct random_source source;
};

static const char usage[] =
	"usage: file --mode read|zipf|mmap|write|dirty --file PATH [--size SIZE] [--block SIZE]\n"
	"            [--tasks N] [--seed N] {--bytes N | --seconds N}\n"
	"--bytes is one task's fixed work; write and dirty work on PATH.0, PATH.1 ... and need --size.\n";

static bool mode_writes(int mode)
{
	return mode == MODE_WRITE || mode == MODE_DIRTY;
}

static bool mode_streams(int mode)
{
	return mode == MODE_READ || mode == MODE_WRITE;
}

static void job_open(struct file_job *job, unsigned int index)
{
	const struct file_load *load = job->load;
	char own[4096];
	const char *path = load->path;
	struct stat stat;

	if (mode_writes(load->mode)) {
		snprintf(own, sizeof(own), "%s.%u", load->path, index);
		path = own;
	}
	job->fd = open(path, mode_writes(load->mode) ? O_RDWR | O_CREAT : O_RDONLY, 0600);
	if (job->fd < 0 || fstat(job->fd, &stat))
		work_die("%s: %s", path, strerror(errno));
	job->size = load->size ? load->size : (uint64_t)stat.st_size;
	if (!mode_writes(load->mode) && job->size > (uint64_t)stat.st_size)
		work_die("%s: has only %lld bytes", path, (long long)stat.st_size);
	if (job->size < load->block || job->size % load->block)
		work_die("%s: size %llu is not a multiple of the block of %llu bytes", path,
			 (unsigned long long)job->size, (unsigned long long)load->block);
}

static void job_prepare(struct file_job *job, unsigned int index)
{
	const struct file_load *load = job->load;
	uint64_t blocks = job->size / load->block;

	random_seed(&job->source, load->seed, index);
	job->offset = load->mode == MODE_READ ? blocks * index / load->tasks * load->block : 0;
	job->buffer = malloc(load->block);
	if (!job->buffer)
		work_die("no memory for a block of %llu bytes", (unsigned long long)load->block);
	memset(job->buffer, (int)('a' + index % 26), load->block);
	if (!mode_streams(load->mode)) {
		job->zipf = zipf_new(job->size / WORK_PAGE, load->seed);
		if (!job->zipf)
			work_die("no memory for the Zipf table");
	}
	if (load->mode == MODE_MMAP) {
		job->map = mmap(NULL, job->size, PROT_READ, MAP_SHARED, job->fd, 0);
		if (job->map == MAP_FAILED)
			work_die("cannot map the file: %s", strerror(errno));
	}
}

/* Reads or writes one block at the place of the stream; returns the bytes done. */
static uint64_t job_stream(struct file_job *job)
{
	uint64_t block = job->load->block;
	ssize_t done;

	if (job->load->mode == MODE_READ)
		done = pread(job->fd, job->buffer, block, (off_t)job->offset);
	else
		done = pwrite(job->fd, job->buffer, block, (off_t)job->offset);
	if (done != (ssize_t)block)
		work_die("block at %llu: %s", (unsigned long long)job->offset,
			 done < 0 ? strerror(errno) : "cut short");
	job->offset = (job->offset + block) % job->size;
	return block;
}

static uint64_t job_touch(struct file_job *job)
{
	uint64_t offset = zipf_next(job->zipf, &job->source) * WORK_PAGE;
	ssize_t done = WORK_PAGE;

	if (job->load->mode == MODE_ZIPF)
		done = pread(job->fd, job->buffer, WORK_PAGE, (off_t)offset);
	else if (job->load->mode == MODE_DIRTY)
		done = pwrite(job->fd, job->buffer, WORK_PAGE, (off_t)offset);
	else
		(void)*(volatile char *)(job->map + offset);
	if (done != WORK_PAGE)
		work_die("page at %llu: %s", (unsigned long long)offset,
			 done < 0 ? strerror(errno) : "cut short");
	return WORK_PAGE;
}

static int file_task(void *context, unsigned int index)
{
	struct file_load load = *(struct file_load *)context;
	struct file_job job = { .load = &load };
	uint64_t done = 0;
	unsigned int calls = 0;

	job_open(&job, index);
	job_prepare(&job, index);
	work_start(&load.limit);
	while (work_continues(&load.limit, done, &calls))
		done += mode_streams(load.mode) ? job_stream(&job) : job_touch(&job);
	printf("file[%u] mode=%s bytes=%llu secs=%.2f\n", index, mode_names[load.mode],
	       (unsigned long long)done, work_now() - load.limit.start);
	zipf_free(job.zipf);
	free(job.buffer);
	close(job.fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct file_load load = { .mode = MODE_READ, .tasks = 1, .seed = 1, .block = 65536 };
	const struct work_option options[] = {
		WORK_CHOICE(&load.mode, "mode", mode_names),
		WORK_TEXT(&load.path, "file"),
		WORK_NUMBER(&load.size, "size", WORK_PAGE, 1ULL << 40),
		WORK_NUMBER(&load.block, "block", WORK_PAGE, 1 << 26),
		WORK_NUMBER(&load.tasks, "tasks", 1, 1024),
		WORK_NUMBER(&load.seed, "seed", 0, UINT64_MAX),
		WORK_NUMBER(&load.limit.amount, "bytes", 1, UINT64_MAX),
		WORK_NUMBER(&load.limit.seconds, "seconds", 1, 86400),
		{ 0 },
	};

	work_options(argc, argv, options, usage);
	if (!load.path || (!load.limit.amount && !load.limit.seconds) ||
	    (mode_writes(load.mode) && !load.size)) {
		fputs(usage, stderr);
		return 2;
	}
	if (!mode_streams(load.mode))
		load.block = WORK_PAGE;
	return work_run((unsigned int)load.tasks, file_task, &load);
}
