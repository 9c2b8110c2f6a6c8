# SPDX-License-Identifier: GPL-2.0-or-later
# What a stall's time was spent on: a part whose events were not recorded is unknown and in the rest, one
# whose events came, but not in the stall, is 0.
. "$(dirname "$0")/lib.sh"

other=' other-8 [000] .... 11.000000:'
# split LINES: the parts of one stall of 10 ms in which 4 ms were throttled, with these lines behind it.
split() {
	cat >"$work/stall.txt" <<END_OF_TRACE
 make-7 [000] .... 10.000000: mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=GFP_KERNEL
 make-7 [000] .... 10.004000: mm_vmscan_throttled: nid=0 usec_timeout=100000 usect_delayed=4000 reason=VMSCAN_THROTTLE_WRITEBACK
 make-7 [000] .... 10.010000: mm_vmscan_direct_reclaim_end: nr_reclaimed=32
$1
END_OF_TRACE
	rm -f "$work/stall.db"
	expect 0 "$TOOL" import "$work/stall.txt" -o "$work/stall.db"
	expect 0 "$TOOL" sql --csv "$work/stall.db" "SELECT total, throttled, coalesce(compaction, 'unknown'),
		coalesce(slab, 'unknown'), rest, rest_share FROM stall_split"
	tail -n +2 "$work/out" | tr -d '"\r'
}

is "$(split "$other mm_vmscan_kswapd_sleep: nid=0")" 10000000,4000000,unknown,unknown,6000000,60.0
compaction="$other mm_compaction_begin: zone_start=0x1000 migrate_pfn=0x1000 free_pfn=0x2000 zone_end=0x2000, mode=async"
is "$(split "$compaction")" 10000000,4000000,0,unknown,6000000,60.0
slab="$other mm_shrink_slab_start: super_cache_scan+0x0/0x1a0 0000000012345678: nid: 0 objects to shrink 0 gfp_flags GFP_KERNEL cache items 1 delta 1 total_scan 1 priority 12"
is "$(split "$slab")" 10000000,4000000,unknown,0,6000000,60.0
finish
