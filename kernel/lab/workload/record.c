/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record - the raw recorder of the lab's guests
 *
 * Runs a command while the kernel traces it, and leaves in a directory: the ring-buffer pages of
 * each CPU (cpuN.raw), counter snapshots before and after (and at moments that the command chooses
 * by calling "record --snap NAME"), counter samples once a second, and the buffer's own statistics.
 * The host makes a trace.dat of it. It shares nothing with "reclaimlab capture", so that it can be
 * the witness where that is tested.
 *
 * The recorder must not take part in what it records: its memory is locked before the work starts,
 * threads have small stacks, trace pages are written with O_DIRECT, and nothing is formatted. One
 * thread a CPU reads trace_pipe_raw a page at a time without blocking and sleeps when there is
 * nothing; at the end each drains its buffer and stops. Threads run at the lowest real-time
 * priority: under TCG a normal one may wait longer than the buffer holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "direct_file.h"
#include "snapshot.h"

#define MAX_CPUS       64
#define THREAD_STACK   (64 * 1024)
#define SUBBUF_SIZE    4096
#define PAGE_BUFFER    (64 * SUBBUF_SIZE)
#define SAMPLE_BUFFER  (64 * 1024)
#define IDLE_NS	       20000000L
#define TRACING	       "/sys/kernel/tracing"
#define INSTANCE_SPACE 256

struct recorder;

struct cpu_reader {
	struct recorder *recorder;
	pthread_t thread;
	struct direct_file file;
	int source;
	int err;
};

struct recorder {
	const char *out;
	const char *events;
	const char *instance; /* NULL: the top-level buffer */
	unsigned long buffer_kb;
	bool samples;
	char tracing[INSTANCE_SPACE];
	unsigned int cpus;
	struct cpu_reader reader[MAX_CPUS];
	pthread_t sampler;
	struct direct_file vmstat;
	struct direct_file zoneinfo;
	int sampler_err;
	atomic_bool stop;
};

static const char usage[] =
	"usage: record --out DIR --events LIST [--buffer-kb N] [--instance NAME] [--no-samples] -- COMMAND...\n"
	"       record --out DIR [--instance NAME] --snap NAME\n"
	"LIST holds system or system:event, separated by commas or blanks; empty records counters only.\n";

static int fail(const char *what, int err)
{
	fprintf(stderr, "record: %s: %s\n", what, strerror(err < 0 ? -err : err));
	return 1;
}

static int write_text(const struct recorder *recorder, const char *name, const char *text)
{
	char path[INSTANCE_SPACE + 256];
	int err = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", recorder->tracing, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(path, errno);
	if (write(fd, text, strlen(text)) < 0)
		err = fail(path, errno);
	close(fd);
	return err;
}

static int copy_text(const struct recorder *recorder, const char *source, const char *target)
{
	struct direct_file file;
	char path[INSTANCE_SPACE + 256];
	int err;
	int closed;
	int fd = open(source, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(source, errno);
	snprintf(path, sizeof(path), "%s/%s", recorder->out, target);
	err = direct_file_open(&file, path, 16 * DIRECT_ALIGN);
	if (!err) {
		err = direct_file_copy(&file, fd);
		closed = direct_file_close(&file);
		err = err ? err : closed;
	}
	close(fd);
	return err ? fail(path, err) : 0;
}

static int enable_event(const struct recorder *recorder, char *name)
{
	char path[256];
	char *colon = strchr(name, ':');

	if (colon)
		*colon = '/';
	if (snprintf(path, sizeof(path), "events/%s/enable", name) >= (int)sizeof(path))
		return fail(name, ENAMETOOLONG);
	return write_text(recorder, path, "1");
}

static int enable_events(const struct recorder *recorder)
{
	char *list = strdup(recorder->events);
	char *rest = list;
	char *name;
	int err = list ? 0 : fail("event list", ENOMEM);

	while (!err && (name = strsep(&rest, ", \n")))
		if (*name)
			err = enable_event(recorder, name);
	free(list);
	return err;
}

static int tracing_prepare(struct recorder *recorder)
{
	char size[32];

	if (recorder->instance && mkdir(recorder->tracing, 0700) && errno != EEXIST)
		return fail(recorder->tracing, errno);
	snprintf(size, sizeof(size), "%lu", recorder->buffer_kb);
	return write_text(recorder, "tracing_on", "0") ||
	       write_text(recorder, "trace_clock", "mono") ||
	       write_text(recorder, "buffer_size_kb", size) || write_text(recorder, "trace", "") ||
	       enable_events(recorder);
}

static void idle(void)
{
	const struct timespec pause = { .tv_nsec = IDLE_NS };

	nanosleep(&pause, NULL);
}

static void *reader_run(void *context)
{
	struct cpu_reader *reader = context;
	char page[SUBBUF_SIZE] __attribute__((aligned(8)));

	for (;;) {
		bool last = atomic_load(&reader->recorder->stop);
		ssize_t got;

		memset(page, 0, sizeof(page));
		got = read(reader->source, page, sizeof(page));
		if (got > 0) {
			reader->err = direct_file_write(&reader->file, page, sizeof(page));
			if (reader->err)
				return NULL;
		} else if (got < 0 && errno != EAGAIN && errno != EINTR) {
			reader->err = -errno;
			return NULL;
		} else if (last) {
			return NULL;
		} else {
			idle();
		}
	}
}

static int sample(struct direct_file *file, const char *source)
{
	char stamp[64];
	struct timespec now;
	int err;
	int fd = open(source, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(stamp, sizeof(stamp), "T %lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
	err = direct_file_write(file, stamp, strlen(stamp));
	if (!err)
		err = direct_file_copy(file, fd);
	close(fd);
	return err;
}

static void *sampler_run(void *context)
{
	struct recorder *recorder = context;
	unsigned int ticks = 0;

	while (!atomic_load(&recorder->stop) && !recorder->sampler_err) {
		if (ticks++ % (1000000000L / IDLE_NS) == 0) {
			recorder->sampler_err = sample(&recorder->vmstat, "/proc/vmstat");
			if (!recorder->sampler_err)
				recorder->sampler_err =
					sample(&recorder->zoneinfo, "/proc/zoneinfo");
		}
		idle();
	}
	return NULL;
}

static int thread_start(pthread_t *thread, void *(*run)(void *), void *context, bool urgent)
{
	const struct sched_param param = { .sched_priority = 1 };
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	err = pthread_create(thread, &attr, run, context);
	pthread_attr_destroy(&attr);
	if (!err && urgent)
		err = pthread_setschedparam(*thread, SCHED_FIFO, &param);
	return err;
}

static int open_out(struct recorder *recorder, struct direct_file *file, const char *name,
		    size_t buffer)
{
	char path[512];
	int err;

	snprintf(path, sizeof(path), "%s/%s", recorder->out, name);
	err = direct_file_open(file, path, buffer);
	return err ? fail(path, err) : 0;
}

static int reader_open(struct recorder *recorder, unsigned int cpu)
{
	struct cpu_reader *reader = &recorder->reader[cpu];
	char path[INSTANCE_SPACE + 64];
	char name[32];

	reader->recorder = recorder;
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", recorder->tracing, cpu);
	reader->source = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (reader->source < 0)
		return fail(path, errno);
	snprintf(name, sizeof(name), "cpu%u.raw", cpu);
	return open_out(recorder, &reader->file, name, PAGE_BUFFER);
}

static int threads_start(struct recorder *recorder)
{
	int err = 0;

	for (unsigned int cpu = 0; cpu < recorder->cpus && !err; cpu++)
		err = thread_start(&recorder->reader[cpu].thread, reader_run,
				   &recorder->reader[cpu], true);
	if (!err && recorder->samples)
		err = thread_start(&recorder->sampler, sampler_run, recorder, false);
	return err ? fail("cannot start a thread", err) : 0;
}

static int outputs_open(struct recorder *recorder)
{
	int err = 0;

	for (unsigned int cpu = 0; cpu < recorder->cpus && !err; cpu++)
		err = reader_open(recorder, cpu);
	if (!err && recorder->samples)
		err = open_out(recorder, &recorder->vmstat, "vmstat.samples", SAMPLE_BUFFER) ||
		      open_out(recorder, &recorder->zoneinfo, "zoneinfo.samples", SAMPLE_BUFFER);
	return err;
}

static int threads_finish(struct recorder *recorder)
{
	int failed = 0;

	atomic_store(&recorder->stop, true);
	for (unsigned int cpu = 0; cpu < recorder->cpus; cpu++) {
		struct cpu_reader *reader = &recorder->reader[cpu];
		int err;

		pthread_join(reader->thread, NULL);
		err = direct_file_close(&reader->file);
		if (reader->err || err)
			failed = fail("trace pages", reader->err ? reader->err : err);
		close(reader->source);
	}
	if (recorder->samples) {
		pthread_join(recorder->sampler, NULL);
		if (recorder->sampler_err)
			failed = fail("samples", recorder->sampler_err);
		if (direct_file_close(&recorder->vmstat) || direct_file_close(&recorder->zoneinfo))
			failed = fail("samples", EIO);
	}
	return failed;
}

static int save_statistics(const struct recorder *recorder)
{
	int err = 0;

	for (unsigned int cpu = 0; cpu < recorder->cpus && !err; cpu++) {
		char source[INSTANCE_SPACE + 64];
		char target[64];

		snprintf(source, sizeof(source), "%s/per_cpu/cpu%u/stats", recorder->tracing, cpu);
		snprintf(target, sizeof(target), "cpu%u.stats", cpu);
		err = copy_text(recorder, source, target);
	}
	return err;
}

static int run_command(char **command)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return fail("fork", errno);
	if (pid == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail("wait", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "record: the command failed (status %#x)\n", (unsigned int)status);
		return 1;
	}
	return 0;
}

static int record(struct recorder *recorder, char **command)
{
	struct timespec start;
	struct timespec end;
	int failed;
	int err;

	if (tracing_prepare(recorder) || outputs_open(recorder))
		return 1;
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return fail("cannot lock memory", errno);
	if (write_text(recorder, "tracing_on", "1") || threads_start(recorder))
		return 1;
	err = snapshot_take(recorder->tracing, recorder->out, "before");
	clock_gettime(CLOCK_MONOTONIC, &start);
	failed = run_command(command);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (!err)
		err = snapshot_take(recorder->tracing, recorder->out, "after");
	if (err)
		failed = fail("snapshot", err);
	write_text(recorder, "tracing_on", "0");
	failed |= threads_finish(recorder);
	printf("ELAPSED %.3f\n",
	       (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
	return failed | save_statistics(recorder) |
	       copy_text(recorder, TRACING "/saved_cmdlines", "saved_cmdlines");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "out", required_argument, NULL, 'o' },
		{ "events", required_argument, NULL, 'e' },
		{ "buffer-kb", required_argument, NULL, 'b' },
		{ "instance", required_argument, NULL, 'i' },
		{ "snap", required_argument, NULL, 's' },
		{ "no-samples", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static struct recorder recorder = { .events = "", .buffer_kb = 8192, .samples = true };
	const char *snap = NULL;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int option;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			recorder.out = optarg;
			break;
		case 'e':
			recorder.events = optarg;
			break;
		case 'b':
			recorder.buffer_kb = strtoul(optarg, NULL, 10);
			break;
		case 'i':
			recorder.instance = optarg;
			break;
		case 's':
			snap = optarg;
			break;
		case 'n':
			recorder.samples = false;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!recorder.out || !recorder.buffer_kb || (snap ? optind != argc : optind == argc)) {
		fputs(usage, stderr);
		return 2;
	}
	recorder.cpus = (unsigned int)(cpus < 1 ? 1 : cpus > MAX_CPUS ? MAX_CPUS : cpus);
	if (recorder.instance)
		snprintf(recorder.tracing, sizeof(recorder.tracing), TRACING "/instances/%s",
			 recorder.instance);
	else
		snprintf(recorder.tracing, sizeof(recorder.tracing), TRACING);
	if (snap) {
		int err = snapshot_take(recorder.tracing, recorder.out, snap);

		return err ? fail("snapshot", err) : 0;
	}
	return record(&recorder, argv + optind);
}
