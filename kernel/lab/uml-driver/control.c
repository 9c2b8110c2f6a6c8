// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control.c - the driver's door: debugfs, the demand file, the result
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/mman.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <asm/tlbflush.h>
#include <asm/unhosted.h>

#include "device.h"
#include "host.h"
#include "replay.h"

static const char *const count_names[NR_COUNTS] = {
	"op_nop",      "op_alloc",   "op_free",	     "op_cache",      "op_access",    "op_dirty",
	"op_truncate", "op_exit",    "op_proactive", "op_knob",	      "op_mark",      "op_sync",
	"misses",      "read_pages", "alloc_failed", "not_performed", "tasks_killed",
};

static DEFINE_MUTEX(run_lock);
static u64 result_counts[NR_COUNTS];
static u64 result_elapsed, result_bytes, result_lost, result_pace;
static pid_t result_first_pid;
static int result_error;

/* The lengths of all parts fit the file, and every part is there. */
static int check_header(const struct replay_header *header, unsigned long size, u64 *data)
{
	u64 tasks = le32_to_cpu(header->tasks);
	u64 files = le32_to_cpu(header->files);
	u64 notes = le32_to_cpu(header->notes);
	u64 records = le64_to_cpu(header->records);
	u64 head = le32_to_cpu(header->header_size);

	if (size < REPLAY_HEADER_SIZE || memcmp(header->magic, REPLAY_MAGIC, 8) ||
	    le32_to_cpu(header->version) != REPLAY_VERSION || head < REPLAY_HEADER_SIZE ||
	    head > size || le32_to_cpu(header->record_size) != REPLAY_RECORD_SIZE ||
	    !(le32_to_cpu(header->flags) & REPLAY_FLAG_PLAIN) ||
	    le32_to_cpu(header->page_size) != PAGE_SIZE)
		return -EINVAL;
	if (tasks > REPLAY_MAX_TASKS || files > REPLAY_MAX_FILES || notes > REPLAY_MAX_NOTES ||
	    records >= REPLAY_NONE)
		return -E2BIG;
	*data = head + tasks * sizeof(struct replay_task_entry) +
		files * sizeof(struct replay_file_entry) + notes;
	return *data + records * REPLAY_RECORD_SIZE == size ? 0 : -EINVAL;
}

static int open_demand(struct replay_run *run, const char *path)
{
	const struct replay_header *header;
	u64 data;
	int err;

	run->map = replay_host_map(path, &run->map_size);
	if (!run->map)
		return -ENOENT;
	header = run->map;
	err = check_header(header, run->map_size, &data);
	if (err)
		return err;
	run->nr_records = le64_to_cpu(header->records);
	run->nr_tasks = le32_to_cpu(header->tasks);
	run->nr_files = le32_to_cpu(header->files);
	run->nr_pages = le32_to_cpu(header->pages);
	run->tasks = run->map + le32_to_cpu(header->header_size);
	run->files = (const void *)(run->tasks + run->nr_tasks);
	run->records = run->map + data;
	return 0;
}

static bool names_pages(const struct replay_record *record)
{
	return record->op == OP_ALLOC || record->op == OP_FREE;
}

static bool names_file(const struct replay_record *record)
{
	switch (record->op) {
	case OP_CACHE:
	case OP_DIRTY:
	case OP_TRUNCATE:
		return true;
	case OP_ACCESS:
		return record->flags & FLAG_FILE;
	case OP_SYNC:
		return le32_to_cpu(record->object) != REPLAY_NONE;
	default:
		return false;
	}
}

static bool record_is_sound(const struct replay_run *run, const struct replay_record *record)
{
	u64 object = le32_to_cpu(record->object);

	if (record->op >= NR_OPS || le32_to_cpu(record->task) >= run->nr_tasks ||
	    record->order > 10 || record->use >= NR_USES)
		return false;
	if (names_file(record))
		return object < run->nr_files;
	if (names_pages(record))
		return object + le16_to_cpu(record->count) <= run->nr_pages;
	if (record->op == OP_ACCESS)
		return object < run->nr_pages;
	return true;
}

/* Can this driver perform the record? All tasks live in the root's memory cgroup. */
static int check_record(const struct replay_run *run, u64 nr)
{
	const struct replay_record *record = &run->records[nr];

	if (!record_is_sound(run, record)) {
		pr_err("replay: record %llu is damaged\n", nr);
		return -EBADMSG;
	}
	if (record->memcg) {
		pr_err("replay: record %llu belongs to a memory cgroup, of which there are none here\n",
		       nr);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Chain the records of each task, from the back to the front. */
static int index_demand(struct replay_run *run)
{
	u64 i;

	run->next = replay_host_alloc((run->nr_records + 1) * sizeof(*run->next));
	run->first = replay_host_alloc((run->nr_tasks + 1UL) * sizeof(*run->first));
	run->pages = replay_host_alloc((run->nr_pages + 1UL) * sizeof(*run->pages));
	run->inodes = replay_host_alloc((run->nr_files + 1UL) * sizeof(*run->inodes));
	if (!run->next || !run->first || !run->pages || !run->inodes)
		return -ENOMEM;
	for (i = run->nr_records; i-- > 0;) {
		u32 task = le32_to_cpu(run->records[i].task);
		int err = check_record(run, i);

		if (err)
			return err;
		run->next[i] = run->first[task];
		run->first[task] = i + 1;
	}
	return 0;
}

static int map_anon(struct replay_run *run)
{
	unsigned long size = max(run->nr_pages, 1U) * PAGE_SIZE;

	run->anon = vm_mmap(NULL, 0, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0);
	return IS_ERR_VALUE(run->anon) ? (int)run->anon : 0;
}

/*
 * Everything that the demand still holds goes before the writer returns to user space: there User
 * Mode Linux would give each anonymous page a mapping on the host, which has a limit of them.
 */
static void release(struct replay_run *run)
{
	replay_start_release();
	replay_release_pages(run);
	vm_munmap(run->anon, max(run->nr_pages, 1U) * PAGE_SIZE);
	um_unhosted_mm = NULL;
	flush_tlb_mm(current->mm);
	replay_cache_close(run);
}

static int replay_run_demand(const char *demand, const char *trace)
{
	static struct replay_run run;
	int err, stopped;

	memset(&run, 0, sizeof(run));
	err = open_demand(&run, demand);
	if (!err)
		err = index_demand(&run);
	if (!err)
		err = map_anon(&run);
	if (!err)
		err = replay_cache_open(&run);
	if (!err)
		err = replay_start(&run);
	if (err)
		goto out;
	err = replay_trace_start(trace);
	if (err)
		goto out;
	replay_trace_mark("SNAP before");
	replay_counters_take(MOMENT_BEFORE);
	/* Carrying each change of a page table over to the host would be most of the work. */
	um_unhosted_mm = current->mm;
	err = replay_tasks_run(&run);
	result_elapsed = ktime_to_ns(ktime_sub(ktime_get(), run.start));
	replay_counters_take(MOMENT_AFTER);
	replay_trace_mark("SNAP after");
	stopped = replay_trace_stop(&result_bytes, &result_lost);
	err = err ? err : stopped;
	memcpy(result_counts, run.counts, sizeof(result_counts));
	result_first_pid = run.first_pid;
	result_pace = run.requests ? div64_u64(run.progress, run.requests) : 0;
	release(&run);
out:
	if (run.map)
		replay_host_unmap(run.map, run.map_size);
	return err;
}

static ssize_t run_write(struct file *file, const char __user *text, size_t count, loff_t *pos)
{
	char *line = memdup_user_nul(text, min_t(size_t, count, PAGE_SIZE - 1));
	char *rest = line;
	char *demand, *trace;

	if (IS_ERR(line))
		return PTR_ERR(line);
	demand = strsep(&rest, " ");
	trace = rest ? strim(rest) : "-";
	mutex_lock(&run_lock);
	memset(result_counts, 0, sizeof(result_counts));
	result_error = replay_run_demand(strim(demand), trace);
	mutex_unlock(&run_lock);
	kfree(line);
	return result_error ? result_error : (ssize_t)count;
}

static const struct file_operations run_ops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int result_show(struct seq_file *seq, void *unused)
{
	int i;

	seq_printf(seq, "error %d\nelapsed_ns %llu\npace_ns %llu\nfirst_pid %d\n", result_error,
		   result_elapsed, result_pace, result_first_pid);
	seq_printf(seq, "trace_bytes %llu\ntrace_lost %llu\n", result_bytes, result_lost);
	for (i = 0; i < NR_COUNTS; i++)
		seq_printf(seq, "%s %llu\n", count_names[i], result_counts[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static int before_show(struct seq_file *seq, void *unused)
{
	replay_counters_show(seq, MOMENT_BEFORE);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(before);

static int after_show(struct seq_file *seq, void *unused)
{
	replay_counters_show(seq, MOMENT_AFTER);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(after);

static int __init replay_init(void)
{
	struct dentry *dir;
	int err = replay_cache_init();

	if (!err)
		err = replay_swapdisk_init();
	if (err)
		return err;
	dir = debugfs_create_dir("replay", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_ops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	debugfs_create_file("vmstat.before", 0400, dir, NULL, &before_fops);
	debugfs_create_file("vmstat.after", 0400, dir, NULL, &after_fops);
	return 0;
}
late_initcall(replay_init);
