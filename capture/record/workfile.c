/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/workfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/read/tracedat.h"
#include "capture/record/names.h"
#include "capture/record/tracedat_writer.h"

#define CMDLINES_ROOM (1 << 20)
#define KALLSYMS_MAX  (256 << 20)
#define COPY_BLOCK    (1 << 20)

struct workfile {
	struct workfile_options options;
	struct tracedat_writer *writer; /* of the working file, version 6 */
	struct tracedat_writer *final;	/* of the packed one */
	struct drain_target target;
	int fd;
	uint64_t *regions;
	uint64_t *sizes; /* as told by the drain threads */
	uint64_t *told;	 /* as in the head */
	int *stat_option;
	const struct trace_meta *meta;
};

static int add_formats(struct tracedat_writer *w, const struct trace_meta *meta, struct rl_msg *msg)
{
	int ret = tracedat_writer_headers(w, meta->header_page.data, meta->header_page.size,
					  meta->header_event.data, meta->header_event.size, msg);

	for (unsigned int i = 0; i < meta->nr_formats && !ret; i++)
		ret = tracedat_writer_event(w, meta->format[i].system, meta->format[i].text.data,
					    meta->format[i].text.size, msg);
	return ret;
}

static int add_kallsyms(struct tracedat_writer *w, struct rl_msg *msg)
{
	struct meta_text text;
	int ret;

	if (meta_read_file("/proc/kallsyms", KALLSYMS_MAX, &text, NULL))
		return 0;
	ret = tracedat_writer_kallsyms(w, text.data, text.size, msg);
	free(text.data);
	return ret;
}

static int add_printk(struct tracedat_writer *w, struct rl_msg *msg)
{
	char *path = tracefs_get_tracing_file("printk_formats");
	struct meta_text text;
	int ret = 0;

	if (path && !meta_read_file(path, KALLSYMS_MAX, &text, NULL)) {
		ret = tracedat_writer_printk(w, text.data, text.size, msg);
		free(text.data);
	}
	tracefs_put_tracing_file(path);
	return ret;
}

/* "Linux host 6.1.0 #1 ... x86_64", as uname -a prints it. */
static int add_uname(struct tracedat_writer *w, struct rl_msg *msg)
{
	struct utsname uts;
	char text[sizeof(uts)];

	if (uname(&uts))
		return 0;
	snprintf(text, sizeof(text), "%s %s %s %s %s", uts.sysname, uts.nodename, uts.release,
		 uts.version, uts.machine);
	return tracedat_writer_option(w, TRACEDAT_OPTION_UNAME, text, strlen(text) + 1, msg);
}

/* What both the working file and a compressed final file hold. */
static int add_common(struct tracedat_writer *w, const struct workfile *file, struct rl_msg *msg)
{
	int ret = add_formats(w, file->meta, msg);

	if (!ret)
		ret = add_kallsyms(w, msg);
	if (!ret)
		ret = add_printk(w, msg);
	if (!ret)
		ret = add_uname(w, msg);
	if (!ret)
		ret = tracedat_writer_buffer(w, "", file->options.clock, file->meta->page_size,
					     file->options.cpus, msg);
	return ret < 0 ? ret : 0;
}

static int reserve(struct workfile *file, struct rl_msg *msg)
{
	int ret = tracedat_writer_cmdlines_reserve(file->writer, CMDLINES_ROOM, msg);

	for (unsigned int i = 0; i < file->options.cpus && ret >= 0; i++) {
		ret = tracedat_writer_option_reserve(file->writer, TRACEDAT_OPTION_CPUSTAT,
						     REC_STATS_SIZE, msg);
		file->stat_option[i] = ret;
	}
	return ret < 0 ? ret : 0;
}

/* A region has room for everything on one CPU, within what the disk holds. */
static int choose_room(struct workfile *file, struct rl_msg *msg)
{
	uint64_t room = file->options.max_bytes;
	struct statvfs vfs;

	if (!room) {
		if (fstatvfs(tracedat_writer_fd(file->writer), &vfs))
			return rl_fail_errno(msg, errno, "%s", file->options.output);
		room = (uint64_t)vfs.f_bavail * vfs.f_frsize / 100 * 95;
	}
	room /= file->options.cpus;
	room -= room % file->meta->page_size;
	if (!room)
		return rl_fail(msg, ENOSPC, "%s: no room for a page of trace a CPU",
			       file->options.output);
	file->target.region_size = room;
	return 0;
}

/* The head went through the page cache: write it back and drop it. */
static void drop_head(int fd)
{
	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int open_data(struct workfile *file, struct rl_msg *msg)
{
	drop_head(tracedat_writer_fd(file->writer));
	file->target.direct = true;
	file->fd = tracedat_writer_reopen(file->writer, O_RDWR | O_DIRECT);
	if (file->fd == -EINVAL) {
		file->target.direct = false;
		file->fd = tracedat_writer_reopen(file->writer, O_RDWR);
	}
	if (file->fd < 0)
		return rl_fail_errno(msg, -file->fd, "%s", file->options.output);
	for (unsigned int i = 0; i < file->options.cpus; i++)
		file->regions[i] = tracedat_writer_place_offset(file->writer, 0, i);
	file->target.fd = file->fd;
	file->target.region = file->regions;
	file->target.size = file->sizes;
	return 0;
}

static struct tracedat_writer_format format_of(int version)
{
	return (struct tracedat_writer_format){
		.version = version,
		.compression = version == 7 ? "zstd" : "none",
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.long_size = sizeof(long),
		.page_size = sysconf(_SC_PAGESIZE),
	};
}

static int open_writer(struct workfile *file, struct rl_msg *msg)
{
	const struct tracedat_writer_format format = format_of(6);
	char *path;
	int ret;

	if (asprintf(&path, "%s%s", file->options.output, file->options.version == 6 ? "" : ".v6") <
	    0)
		return rl_fail(msg, ENOMEM, "out of memory");
	ret = tracedat_writer_open(path, &format, &file->writer, msg);
	free(path);
	return ret;
}

static int allocate(struct workfile *file, struct rl_msg *msg)
{
	unsigned int cpus = file->options.cpus;

	file->regions = calloc(cpus, sizeof(*file->regions));
	file->sizes = calloc(cpus, sizeof(*file->sizes));
	file->told = calloc(cpus, sizeof(*file->told));
	file->stat_option = calloc(cpus, sizeof(*file->stat_option));
	if (!file->regions || !file->sizes || !file->told || !file->stat_option)
		return rl_fail(msg, ENOMEM, "out of memory");
	return 0;
}

int workfile_open(const struct trace_meta *meta, const struct workfile_options *options,
		  struct workfile **out, struct rl_msg *msg)
{
	struct workfile *file = calloc(1, sizeof(*file));
	int ret;

	if (!file)
		return rl_fail(msg, ENOMEM, "out of memory");
	file->options = *options;
	file->meta = meta;
	file->fd = -1;
	ret = allocate(file, msg);
	if (!ret)
		ret = open_writer(file, msg);
	if (!ret)
		ret = add_common(file->writer, file, msg);
	if (!ret)
		ret = reserve(file, msg);
	if (!ret)
		ret = choose_room(file, msg);
	if (!ret)
		ret = tracedat_writer_place(file->writer, file->target.region_size, msg);
	if (!ret)
		ret = open_data(file, msg);
	if (ret) {
		workfile_close(file);
		return ret;
	}
	*out = file;
	return 0;
}

const struct drain_target *workfile_target(const struct workfile *file)
{
	return &file->target;
}

uint64_t workfile_bytes(const struct workfile *file)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < file->options.cpus; i++)
		sum += __atomic_load_n(&file->sizes[i], __ATOMIC_ACQUIRE);
	return sum;
}

const char *workfile_temp_name(const struct workfile *file)
{
	return tracedat_writer_temp_name(file->writer);
}

int workfile_update(struct workfile *file, struct rl_msg *msg)
{
	for (unsigned int i = 0; i < file->options.cpus; i++) {
		uint64_t size = __atomic_load_n(&file->sizes[i], __ATOMIC_ACQUIRE);
		int ret;

		if (size == file->told[i])
			continue;
		ret = tracedat_writer_placed(file->writer, 0, i, size, msg);
		if (ret)
			return ret;
		file->told[i] = size;
	}
	return 0;
}

int workfile_names(struct workfile *file, const struct meta_text *names, struct rl_msg *msg)
{
	return tracedat_writer_cmdlines_fill(file->writer, names->data, names->size, msg);
}

static int fill_work(struct workfile *file, const struct rec_stats *stats,
		     const struct meta_text *names, struct rl_msg *msg)
{
	int ret = workfile_names(file, names, msg);

	for (unsigned int i = 0; i < file->options.cpus && !ret; i++)
		ret = tracedat_writer_option_fill(file->writer, file->stat_option[i],
						  stats->text[i], strlen(stats->text[i]), msg);
	return ret;
}

static int copy_region(struct workfile *file, struct tracedat_writer *w, unsigned int cpu,
		       char *block, struct rl_msg *msg)
{
	uint64_t size = __atomic_load_n(&file->sizes[cpu], __ATOMIC_ACQUIRE);
	size_t most = COPY_BLOCK - COPY_BLOCK % file->meta->page_size;
	uint64_t done = 0;

	while (done < size) {
		size_t want = size - done < most ? size - done : most;
		ssize_t n = pread(file->fd, block, want, file->regions[cpu] + done);
		int ret;

		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)want)
			return rl_fail_errno(msg, n < 0 ? errno : EIO, "%s: reading it back",
					     file->options.output);
		ret = tracedat_writer_pages(w, 0, cpu, block, want, msg);
		if (ret)
			return ret;
		done += want;
	}
	return 0;
}

static int copy_data(struct workfile *file, struct tracedat_writer *w, struct rl_msg *msg)
{
	char *block = aligned_alloc(4096, COPY_BLOCK);
	int ret = 0;

	if (!block)
		return rl_fail(msg, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < file->options.cpus && !ret; i++)
		ret = copy_region(file, w, i, block, msg);
	free(block);
	return ret;
}

static int add_stats(struct workfile *file, struct tracedat_writer *w,
		     const struct rec_stats *stats, struct rl_msg *msg)
{
	int ret = 0;

	for (unsigned int i = 0; i < file->options.cpus && !ret; i++)
		ret = tracedat_writer_option(w, TRACEDAT_OPTION_CPUSTAT, stats->text[i],
					     strlen(stats->text[i]) + 1, msg);
	return ret;
}

/* A new file, packed in version 7, in the folder of the working file. */
static int write_final(struct workfile *file, const char *output, const struct rec_stats *stats,
		       const struct meta_text *names, struct rl_msg *msg)
{
	const struct tracedat_writer_format format = format_of(7);
	int ret = tracedat_writer_open_beside(file->writer, output, &format, &file->final, msg);

	if (ret)
		return ret;
	ret = add_common(file->final, file, msg);
	if (!ret)
		ret = tracedat_writer_cmdlines(file->final, names->data, names->size, msg);
	if (!ret)
		ret = add_stats(file, file->final, stats, msg);
	if (!ret)
		ret = copy_data(file, file->final, msg);
	if (!ret)
		ret = tracedat_writer_finish(file->final, msg);
	if (ret) {
		tracedat_writer_close(file->final);
		file->final = NULL;
	}
	return ret;
}

/* Let the working file itself be what the user asked for. */
static int finish_work(struct workfile *file, const char *output, const struct rec_stats *stats,
		       const struct meta_text *names, bool full, struct rl_msg *msg)
{
	int ret = tracedat_writer_rename(file->writer, output, msg);

	if (!ret)
		ret = fill_work(file, stats, names, msg);
	if (ret)
		return ret;
	return full ? tracedat_writer_finish_placed(file->writer, msg)
		    : tracedat_writer_finish(file->writer, msg);
}

int workfile_complete(struct workfile *file, const char *output, const struct rec_stats *stats,
		      const struct meta_text *names, bool full, struct rl_msg *msg)
{
	bool copy = file->options.version == 7;
	struct rl_msg why = { "" };
	int ret = workfile_update(file, msg);

	if (ret)
		return ret;
	if (copy && !full) {
		ret = write_final(file, output, stats, names, msg);
		if (!ret)
			return WORKFILE_PACKED;
		full = true;
	}
	ret = finish_work(file, output, stats, names, full, &why);
	if (ret) {
		if (msg)
			*msg = why;
		return ret;
	}
	return copy ? WORKFILE_UNPACKED : WORKFILE_PACKED;
}

bool workfile_reachable(const struct workfile *file)
{
	return tracedat_writer_reachable(file->final ? file->final : file->writer);
}

void workfile_close(struct workfile *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	tracedat_writer_close(file->final);
	tracedat_writer_close(file->writer);
	free(file->regions);
	free(file->sizes);
	free(file->told);
	free(file->stat_option);
	free(file);
}
