/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - accesses and references on stock kernels, through dynamic probes
 *
 * Where the kernel has no tracepoint for what a replay needs to know (references of scanned pages,
 * refaults, evictions, read demand, the identity of swapped pages), kprobes at exported or global
 * functions give it. probe.def says where and what; the offsets of members come from the running
 * kernel's BTF, never from a table of versions. Page frame numbers are taken from the low 30 bits
 * of the struct page pointer, which is right on x86-64 with and without KASLR up to 64 GiB of
 * memory; beyond that, and elsewhere, they are only unique.
 *
 * Recordings that run at a time share the probes: each enables them in its own instance, and the
 * last one to close removes them (the kernel refuses while another has one enabled).
 */
#ifndef RECLAIMLAB_PROBE_H
#define RECLAIMLAB_PROBE_H

#include <stddef.h>

#include "capture/base/message.h"

#define PROBE_SYSTEM "reclaimlab"

struct probes;

/*
 * Create every probe whose function the kernel has. @warn gets a line for each that could not be
 * made and what it costs. -ENOTSUP: the kernel has no dynamic probes or no BTF; the line says
 * which.
 */
int probes_open(struct probes **out, void (*warn)(void *ctx, const char *line), void *ctx,
		struct rl_msg *msg);
void probes_close(struct probes *probes);

/* Name of the @i-th probe that was made, or NULL behind the last. */
const char *probes_name(const struct probes *probes, unsigned int i);

/*
 * The argument text of @arguments with its placeholders filled in from BTF at @btf_path (NULL: the
 * running kernel). For tests. Returns 0 or -ENOENT naming the structure or member in @msg.
 */
int probe_arguments(const char *btf_path, const char *arguments, char *out, size_t size,
		    struct rl_msg *msg);

#endif
