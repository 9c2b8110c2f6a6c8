# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped experiments of the kernel's lists: what was published comes out of them, as far as is said
# below. They are sketches: direction and rough size count, not the figure.
. "$(dirname "$0")/lib.sh"
folder=$SOURCE/samples/scenarios

# The generator writes what is shipped.
mkdir "$work/new"
expect 0 "$BUILD/samples/scenarios/scenarios" "$work/new"
for file in "$folder"/*.demand; do
	name=$(basename "$file")
	expect 0 "$TOOL" replay --export "$work/shipped" --plain "$file"
	expect 0 "$TOOL" replay --export "$work/generated" --plain "$work/new/$name"
	cmp -s "$work/shipped" "$work/generated" || fail "$name is not what the generator writes"
done

# replayed NAME POLICY...: one replay under each policy, into a database.
replayed() {
	file=$folder/$1.demand
	shift
	rm -f "$work/run.db"
	for policy; do
		set -- "$@" -p "$policy"
		shift
	done
	expect 0 "$TOOL" replay --ensemble 1 "$@" -o "$work/run.db" "$file"
}

# of POLICY COUNTER: its growth under the policy.
of() {
	"$TOOL" sql --csv "$work/run.db" "SELECT delta FROM counter_delta AS c
		JOIN run AS r ON r.run = c.run
		WHERE r.policy = '$1' AND c.name = '$2'" | tail -1
}

# between LEAST VALUE MOST WHAT
between() {
	[ "$2" -ge "$1" ] && [ "$2" -le "$3" ] || fail "$4: $2 is not in $1..$3"
	echo "$4: $2"
}

# 2019, 256 huge pages on a node full of page cache: 256 before, 11 and 12 with the fast bail-out, 256
# with the exemption of __GFP_RETRY_MAYFAIL. Half to twice of "about 11".
replayed hugetlb-pool bailout-none bailout-54:exempt=0 bailout-54:exempt=1
between 240 "$(of bailout-none thp_fault_alloc)" 256 "huge pages without the bail-out"
between 5 "$(of bailout-54:exempt=0 thp_fault_alloc)" 24 "huge pages with the bail-out"
between 240 "$(of bailout-54:exempt=1 thp_fault_alloc)" 256 "huge pages with the exemption"

# 2019, 500 MiB of transparent huge pages on such a node: 99.6 % huge before, 93 and 90 % with the series.
# All but a few, then 60 to 97 %.
replayed huge-faults bailout-none bailout-54:exempt=0
between 245 "$(of bailout-none thp_fault_alloc)" 250 "huge faults of 250 without the bail-out"
between 150 "$(of bailout-54:exempt=0 thp_fault_alloc)" 243 "huge faults with the bail-out"

# 2011, a copy in a cgroup: with 4 to 8 MiB of margin the task does not stall at the limit. At most a
# tenth of the stalls may be left, for a tenth more pages reclaimed.
replayed cgroup-copy memcg-none memcg-async
stalls=$(of memcg-none memcg_max_events)
stolen=$(of memcg-none pgsteal_memcg)
between 1000 "$stalls" 100000 "stalls at the limit"
between 0 "$(of memcg-async memcg_max_events)" $((stalls / 10)) "stalls with a margin"
between 0 "$(of memcg-async pgsteal_memcg)" $((stolen * 11 / 10)) "pages reclaimed for the margin"

# 2007, blocks out of ZONE_MOVABLE: 12 of 122 before, 50 with the wait for a block's writeback, as many
# with one pass as with five. At most a quarter, then at least twice as many.
replayed lumpy-blocks lumpy lumpy-sync:passes=1 lumpy-sync:passes=5
lumpy=$(of lumpy thp_fault_alloc)
between 6 "$lumpy" 31 "blocks of 122, lumpy"
between $((2 * lumpy)) "$(of lumpy-sync:passes=1 thp_fault_alloc)" 100 "blocks, one synchronous pass"
between $((2 * lumpy)) "$(of lumpy-sync:passes=5 thp_fault_alloc)" 100 "blocks, five"

# 2021, throttling by events instead of congestion_wait(): direct scan -58 %, kswapd's +29 %. At least a
# tenth less and a tenth more: this demand does not press as hard as the benchmark did.
replayed stutter congestion-wait reclaim-throttle-v2r5
direct=$(of congestion-wait pgscan_direct)
kswapd=$(of congestion-wait pgscan_kswapd)
between 0 "$(of reclaim-throttle-v2r5 pgscan_direct)" $((direct * 9 / 10)) "scanned directly, of $direct"
between $((kswapd * 11 / 10)) "$(of reclaim-throttle-v2r5 pgscan_kswapd)" $((kswapd * 4)) \
	"scanned by kswapd, of $kswapd"
finish
