/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* context.c - the switch between stacks, in the ABI's callee-saved registers */
#include "context.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

/* System V ABI: rbx, rbp and r12 to r15. A new stack begins with the entry in rbx, its argument in
 * r12. */
__asm__(".text\n"
	".p2align 4\n"
	".globl rc_context_jump\n"
	".hidden rc_context_jump\n"
	".type rc_context_jump, @function\n"
	"rc_context_jump:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size rc_context_jump, . - rc_context_jump\n"
	".globl rc_context_begin\n"
	".hidden rc_context_begin\n"
	".type rc_context_begin, @function\n"
	"rc_context_begin:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	movq %r12, %rdi\n"
	"	callq *%rbx\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size rc_context_begin, . - rc_context_begin\n");

enum { SLOT_ARG = 3, SLOT_ENTRY = 4, SLOT_RETURN = 6, SLOTS = 7 };

#elif defined(__aarch64__)

/* AAPCS64: x19 to x30 and the low halves of v8 to v15. A new stack begins with the entry in x19,
 * its argument in x20. */
__asm__(".text\n"
	".p2align 2\n"
	".globl rc_context_jump\n"
	".hidden rc_context_jump\n"
	".type rc_context_jump, %function\n"
	"rc_context_jump:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size rc_context_jump, . - rc_context_jump\n"
	".globl rc_context_begin\n"
	".hidden rc_context_begin\n"
	".type rc_context_begin, %function\n"
	"rc_context_begin:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined x30\n"
	"	mov x0, x20\n"
	"	blr x19\n"
	"	brk #0\n"
	"	.cfi_endproc\n"
	".size rc_context_begin, . - rc_context_begin\n");

enum { SLOT_ENTRY = 0, SLOT_ARG = 1, SLOT_RETURN = 11, SLOTS = 20 };

#endif

#ifdef RC_CONTEXT_ASM

void rc_context_jump(void **from, void *to);
void rc_context_begin(void);

void rc_context_make(struct rc_context *context, void *stack, size_t size, void (*entry)(void *arg),
		     void *arg)
{
	uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
	uintptr_t *slots = (uintptr_t *)top - SLOTS;

	memset(slots, 0, SLOTS * sizeof(*slots));
	slots[SLOT_ENTRY] = (uintptr_t)entry;
	slots[SLOT_ARG] = (uintptr_t)arg;
	slots[SLOT_RETURN] = (uintptr_t)rc_context_begin;
	context->sp = slots;
}

void rc_context_switch(struct rc_context *from, struct rc_context *to)
{
	rc_context_jump(&from->sp, to->sp);
}

#else

/* makecontext() passes numbers of int's size only. */
static void begin(unsigned int entry_hi, unsigned int entry_lo, unsigned int arg_hi,
		  unsigned int arg_lo)
{
	uintptr_t entry = (uintptr_t)((uint64_t)entry_hi << 32 | entry_lo);

	((void (*)(void *))entry)((void *)(uintptr_t)((uint64_t)arg_hi << 32 | arg_lo));
}

void rc_context_make(struct rc_context *context, void *stack, size_t size, void (*entry)(void *arg),
		     void *arg)
{
	uint64_t e = (uintptr_t)entry, a = (uintptr_t)arg;

	getcontext(&context->uc);
	context->uc.uc_stack.ss_sp = stack;
	context->uc.uc_stack.ss_size = size;
	context->uc.uc_link = NULL;
	makecontext(&context->uc, (void (*)(void))begin, 4, (unsigned int)(e >> 32),
		    (unsigned int)e, (unsigned int)(a >> 32), (unsigned int)a);
}

void rc_context_switch(struct rc_context *from, struct rc_context *to)
{
	swapcontext(&from->uc, &to->uc);
}

#endif
