/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * context.h - switching between two stacks of one thread
 *
 * The C library's swapcontext() asks the kernel for the signal mask at each switch, which took more
 * time than all else that the engine does. On x86-64 and AArch64 a switch is what a function call
 * has to keep, a dozen registers; elsewhere it is swapcontext().
 */
#ifndef RECLAIM_CONTEXT_H
#define RECLAIM_CONTEXT_H

#include <stddef.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define RC_CONTEXT_ASM
#else
#include <ucontext.h>
#endif

struct rc_context {
#ifdef RC_CONTEXT_ASM
	void *sp;
#else
	ucontext_t uc;
#endif
};

/*
 * Prepare @context: the first switch to it calls @entry(@arg) on the stack [@stack, @stack +
 * @size).
 * @entry must not return.
 */
void rc_context_make(struct rc_context *context, void *stack, size_t size, void (*entry)(void *arg),
		     void *arg);

/* Go on where @to was left (or begins), leaving this place in @from. */
void rc_context_switch(struct rc_context *from, struct rc_context *to);

#endif
