/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

#define KEPT (256 << 20) /* bytes at the end of the heap that are not given back */

void rl_heap_prepare(size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin, end;
	char *block;

	mallopt(M_MMAP_THRESHOLD, KEPT);
	mallopt(M_TRIM_THRESHOLD, KEPT);
	block = malloc(bytes);
	if (!block)
		return;
	begin = ((uintptr_t)block + page - 1) & ~(page - 1);
	end = ((uintptr_t)block + bytes) & ~(page - 1);
	madvise((void *)begin, end - begin, MADV_HUGEPAGE);
	madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
	free(block);
}
