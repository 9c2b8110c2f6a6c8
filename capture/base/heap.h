/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h - memory of the process before it is needed
 *
 * The first touch of each page is a fault, and where the machine is a guest whose faults are
 * handled by its host they take longer than all else that a short command does. Pages asked for in
 * one go cost a small part of that.
 */
#ifndef RECLAIMLAB_HEAP_H
#define RECLAIMLAB_HEAP_H

#include <stddef.h>

/*
 * Let the heap have @bytes more that malloc() can give out without a fault, and keep what is freed.
 * A hint: nothing is said where the kernel or the C library cannot do it.
 */
void rl_heap_prepare(size_t bytes);

#endif
