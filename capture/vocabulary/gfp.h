/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gfp.h - allocation flags in the project's own bits
 *
 * The kernel moves its bits between releases and configurations, so a recorded mask means nothing
 * without the recorded kernel's table. The vocabulary translates by name into these bits, which the
 * store keeps and SQL functions, views and the replay read. Bits that the recorded table does not
 * name are kept together in RL_GFP_UNKNOWN.
 *
 * One meaning has one form here, whatever a kernel calls it:
 *	- Up to 4.3 every allocation woke kswapd unless it said NO_KSWAPD: KSWAPD_RECLAIM is set.
 *	- GFP_ATOMIC held a bit ATOMIC of its own from 4.4 to 6.2: it is dropped where HIGH and
 *	  KSWAPD_RECLAIM say the same.
 *	- GFP_NOWAIT holds NOWARN since 6.7: it is set wherever kswapd may be woken, the allocation
 *	  neither waits nor uses reserves.
 */
#ifndef RECLAIMLAB_GFP_H
#define RECLAIMLAB_GFP_H

#define RL_GFP_BITS(B)                                                                             \
	B(0, DMA)                                                                                  \
	B(1, HIGHMEM)                                                                              \
	B(2, DMA32)                                                                                \
	B(3, MOVABLE)                                                                              \
	B(4, RECLAIMABLE)                                                                          \
	B(5, HIGH)                                                                                 \
	B(6, IO)                                                                                   \
	B(7, FS)                                                                                   \
	B(8, ZERO)                                                                                 \
	B(9, ATOMIC)                                                                               \
	B(10, DIRECT_RECLAIM)                                                                      \
	B(11, KSWAPD_RECLAIM)                                                                      \
	B(12, WRITE)                                                                               \
	B(13, NOWARN)                                                                              \
	B(14, RETRY_MAYFAIL)                                                                       \
	B(15, NOFAIL)                                                                              \
	B(16, NORETRY)                                                                             \
	B(17, MEMALLOC)                                                                            \
	B(18, COMP)                                                                                \
	B(19, NOMEMALLOC)                                                                          \
	B(20, HARDWALL)                                                                            \
	B(21, THISNODE)                                                                            \
	B(22, ACCOUNT)                                                                             \
	B(23, ZEROTAGS)                                                                            \
	B(24, SKIP_ZERO)                                                                           \
	B(25, SKIP_KASAN)                                                                          \
	B(26, NOLOCKDEP)                                                                           \
	B(27, NO_OBJ_EXT)                                                                          \
	B(28, COLD)                                                                                \
	B(29, NOTRACK)                                                                             \
	B(30, NO_KSWAPD)                                                                           \
	B(31, OTHER_NODE)                                                                          \
	B(32, UNKNOWN)

enum rl_gfp {
#define B(bit, name) RL_GFP_BIT_##name = (bit),
	RL_GFP_BITS(B)
#undef B
		RL_GFP_NR_BITS
};

#define RL_GFP(name) (INT64_C(1) << RL_GFP_BIT_##name)

#endif
