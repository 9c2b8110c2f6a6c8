// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - the tasks of the demand: each performs its own records, one after another
 */
#include <linux/hrtimer.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "host.h"
#include "replay.h"

struct replay_actor {
	struct replay_run *run;
	u32 task;
};

static unsigned int think_percent = 100;
module_param(think_percent, uint, 0644);
MODULE_PARM_DESC(think_percent, "part of the recorded thinking time that the tasks take");

void replay_sleep(u64 ns)
{
	ktime_t time = ns_to_ktime(ns);

	if (!ns)
		return;
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&time, HRTIMER_MODE_REL);
}

static void perform(struct replay_actor *actor)
{
	ktime_t begin = ktime_get();
	struct replay_run *run = actor->run;
	u32 next = run->first[actor->task];

	while (next) {
		const struct replay_record *record = &run->records[next - 1];

		/* The pace, as the model counts it: from the task's begin to asking for more. */
		if (record->op != OP_NOP &&
		    run->tasks[actor->task].kind != cpu_to_le32(KIND_KTHREAD)) {
			run->progress += ktime_to_ns(ktime_sub(ktime_get(), begin));
			run->requests++;
		}
		if (fatal_signal_pending(current)) {
			run->counts[COUNT_KILLED]++;
			return;
		}
		replay_sleep(le64_to_cpu(record->think) * think_percent / 100);
		replay_request(run, record);
		replay_trace_drain(false);
		if (record->op == OP_EXIT)
			return;
		next = run->next[next - 1];
	}
}

static int actor_main(void *context)
{
	struct replay_actor *actor = context;
	struct replay_run *run = actor->run;
	const struct replay_task_entry *entry = &run->tasks[actor->task];
	char name[TASK_COMM_LEN];

	strscpy(name, entry->name, sizeof(name));
	set_task_comm(current, name);
	replay_sleep(le64_to_cpu(entry->first) * think_percent / 100);
	perform(actor);
	if (atomic_dec_and_test(&run->running))
		wake_up(&run->idle);
	do_exit(0);
}

int replay_tasks_run(struct replay_run *run)
{
	struct replay_actor *actors = replay_host_alloc(max(run->nr_tasks, 1U) * sizeof(*actors));
	int err = 0;
	u32 i;

	if (!actors)
		return -ENOMEM;
	init_waitqueue_head(&run->idle);
	run->start = ktime_get();
	atomic_set(&run->running, 1);
	for (i = 0; i < run->nr_tasks; i++) {
		pid_t pid;

		if (!run->first[i])
			continue;
		actors[i].run = run;
		actors[i].task = i;
		atomic_inc(&run->running);
		pid = user_mode_thread(actor_main, &actors[i], CLONE_VM | CLONE_FS | CLONE_FILES);
		if (!run->first_pid)
			run->first_pid = pid;
		if (pid < 0) {
			atomic_dec(&run->running);
			err = pid;
			break;
		}
	}
	atomic_dec(&run->running);
	wait_event(run->idle, !atomic_read(&run->running));
	return err;
}
