# SPDX-License-Identifier: GPL-2.0-or-later
# The flight recorder: files hold the last events, complete from the moment that they say, and come
# when they are asked for or when a condition holds.
. "$(dirname "$0")/recorder.sh"
events="-p none -e filemap:mm_filemap_add_to_page_cache -e kmem:mm_page_free"
cd "$work" || exit 1

ask() {
	"$TOOL" import "$1" -o ask.db >/dev/null 2>import &&
		"$TOOL" sql --csv ask.db "$2" | tail -n +2
}

# Everything in @1 is read back, by trace-cmd too, and nothing counts as lost.
whole() {
	is "$(ask "$1" "SELECT gaps FROM loss_total")" 0 "losses of $1"
	is "$(ask "$1" "SELECT count(*) FROM marker WHERE text LIKE 'DUMP %'")" 1 "markers of $1"
	[ "$(ask "$1" "SELECT count(*) FROM sample")" -gt 100 ] || fail "$1 has no counters"
	command -v trace-cmd >/dev/null || return 0
	# The first line of a report counts the CPUs.
	is "$(trace-cmd report "$1" 2>/dev/null | grep -c .)" \
		"$(($(ask "$1" "SELECT sum(records) FROM coverage") + 1))" "events of $1"
}

# A small ring overwrites; the file begins where all CPUs are complete.
: >ring.1.dat
# shellcheck disable=SC2086 # a list
start --ring -b 512 $events -o ring.dat
load 80
kill -USR1 "$pid"
soon test -s ring.2.dat
load 80
ends 0 INT
is "$(stat -c %s ring.1.dat)" 0 "a file that was there"
says err 'ring.2.dat: asked for; .* complete for the last'
says err 'ring.dat: the end; '
for file in ring.2.dat ring.dat; do
	whole $file
	[ "$(ask $file "SELECT count(*) FROM loss WHERE kind = 'overwritten'")" -gt 0 ] ||
		fail "$file: nothing was overwritten"
	is "$(ask $file "SELECT count(*) FROM span AS s JOIN loss AS l USING (run)
		WHERE l.kind = 'overwritten' AND l.ts > s.start")" 0 "$file: looked at before"
	is "$(ask $file "SELECT count(*) FROM findings WHERE key = 'flight'")" 1 "finding"
done
expect 0 "$TOOL" analyze ring.dat
says out 'nothing lost'

# Version 6 too; and what another one left there has no part in it.
# shellcheck disable=SC2086 # a list
expect 0 "$TOOL" capture --ring --format v6 $events -o old.dat -- true
is "$(head -c 11 old.dat | tail -c 1)" 6 "version 6"

# A condition: a task that stalls at the limit of its memory cgroup.
group=
if [ -d /sys/fs/cgroup/memory ] && mkdir "/sys/fs/cgroup/memory/reclaimlab-$$" 2>/dev/null; then
	group=/sys/fs/cgroup/memory/reclaimlab-$$
	limit=$group/memory.limit_in_bytes
elif mkdir "/sys/fs/cgroup/reclaimlab-$$" 2>/dev/null; then
	group=/sys/fs/cgroup/reclaimlab-$$
	limit=$group/memory.max
fi
if [ -n "$group" ] && echo 20000000 2>/dev/null >"$limit"; then
	# shellcheck disable=SC2016 # for the inner shell
	expect 0 "$TOOL" capture --ring --when-stall 1us --dumps 1 -o stall.dat -- sh -c '
		sh -c "echo \$\$ >$1/cgroup.procs && exec dd if=/dev/zero of=big bs=1M count=200"
		exec sleep 60' sh "$group"
	says err 'stall.1.dat: dd .* stalled for .* ms in direct reclaim at the limit of its cgroup'
	whole stall.1.dat
	[ ! -e stall.dat ] || fail "a last file behind the one that was wanted"
	is "$(ask stall.1.dat "SELECT count(*) > 0 FROM reclaim WHERE actor = 2 AND paired & 1")" 1 "a stall in the file"
	rm -f big
	soon rmdir "$group"
else
	echo "no memory cgroup: conditions on stalls are not tested"
	[ -z "$group" ] || rmdir "$group"
fi

# Conditions that never hold leave only the last file, and nothing in tracefs.
[ -r /proc/pressure/memory ] && psi="--when-psi 100"
[ -d $tracing/events/vmscan/mm_vmscan_throttled ] && throttle=--when-throttle
# shellcheck disable=SC2086 # a list
start --ring --when-stall 1000s ${psi:-} ${throttle:-} -o quiet.dat
ends 0 TERM
is "$(ls quiet*)" quiet.dat "files without an occasion"
finish
