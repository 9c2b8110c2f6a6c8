/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * coroutine.c - stacks for actors that wait in the middle of something
 *
 * A stack is taken when an actor starts to run rc_actor.entry and given back when that returns, so
 * a machine of a thousand tasks needs only as many stacks as tasks wait inside a request.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "context.h"
#include "internal.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_SIZE (512u << 10)
#else
#define STACK_SIZE (128u << 10)
#endif

struct rc_co {
	struct rc_context ctx;
	struct rc_co *next;
	struct reclaim_engine *engine;
	struct rc_actor *actor;
	char *stack;
	bool done;
};

/* The sanitizer has to know which stack is in use. */
static void switch_begin(void **fake, const void *stack, size_t size)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(fake, stack, size);
#endif
}

static void switch_end(void *fake, const void **stack, size_t *size)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(fake, stack, size);
#endif
}

/* A stack that is used again still has the marks of the frames that were left on it. */
static void forget_frames(const char *stack)
{
#if defined(__SANITIZE_ADDRESS__)
	__asan_unpoison_memory_region(stack, STACK_SIZE);
#endif
}

struct main_context {
	struct rc_context ctx;
	const void *stack;
	size_t size;
};

static void co_entry(void *arg)
{
	struct rc_co *co = arg;
	struct main_context *mc = co->engine->main_context;

	switch_end(NULL, &mc->stack, &mc->size);
	co->actor->entry(co->engine, co->actor);
	co->done = true;
	switch_begin(NULL, mc->stack, mc->size);
	rc_context_switch(&co->ctx, &mc->ctx);
}

static struct rc_co *co_get(struct reclaim_engine *e)
{
	struct rc_co *co = e->co_free;

	if (co) {
		e->co_free = co->next;
		return co;
	}
	co = calloc(1, sizeof(*co));
	if (!co)
		return NULL;
	co->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (co->stack == MAP_FAILED) {
		free(co);
		return NULL;
	}
	return co;
}

static bool co_start(struct reclaim_engine *e, struct rc_actor *a)
{
	struct rc_co *co = co_get(e);

	if (!co) {
		rc_fatal(e, ENOMEM, "no memory for a stack");
		return false;
	}
	a->co = co;
	co->engine = e;
	co->actor = a;
	co->done = false;
	forget_frames(co->stack);
	rc_context_make(&co->ctx, co->stack, STACK_SIZE, co_entry, co);
	return true;
}

bool rc_co_resume(struct reclaim_engine *e, struct rc_actor *a)
{
	struct main_context *mc = e->main_context;
	void *fake = NULL;

	if (!a->co && !co_start(e, a))
		return true;
	e->in_co = true;
	switch_begin(&fake, a->co->stack, STACK_SIZE);
	rc_context_switch(&mc->ctx, &a->co->ctx);
	switch_end(fake, NULL, NULL);
	e->in_co = false;
	if (!a->co->done)
		return false;
	rc_co_release(e, a);
	return true;
}

void rc_co_yield(struct reclaim_engine *e)
{
	struct main_context *mc = e->main_context;
	struct rc_co *co = rc_current(e)->co;
	void *fake = NULL;

	switch_begin(&fake, mc->stack, mc->size);
	rc_context_switch(&co->ctx, &mc->ctx);
	switch_end(fake, &mc->stack, &mc->size);
}

void rc_co_release(struct reclaim_engine *e, struct rc_actor *a)
{
	if (!a->co)
		return;
	a->co->next = e->co_free;
	e->co_free = a->co;
	a->co = NULL;
}

int rc_co_init(struct reclaim_engine *e)
{
	e->main_context = calloc(1, sizeof(struct main_context));
	return e->main_context ? 0 : -ENOMEM;
}

void rc_co_exit(struct reclaim_engine *e)
{
	struct rc_co *co;
	uint32_t i;

	for (i = 0; i < e->nr_actors; i++)
		rc_co_release(e, &e->actors[i]);
	while ((co = e->co_free)) {
		e->co_free = co->next;
		munmap(co->stack, STACK_SIZE);
		free(co);
	}
	free(e->main_context);
}
