#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a recorder does to the machine that it records: the fixed streaming scenario in a guest without
# a recorder, under trace-cmd and under reclaimlab, with the same events. Times are ratios to the run
# without one, of a guest with one processor whose time is its instructions; counts are from
# /proc/vmstat around the work (the recorder's last writes included); memory is the ring buffers and
# what the recorder locks.
# Usage: recorder.sh RECLAIMLAB [SCENARIO]
set -euo pipefail

program=$1
scenario=${2:-stream-fixed}
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/recorder-bench.XXXXXX")
trap 'rm -rf "$out"' EXIT

run() {
	"$root/kernel/lab/guest" run "$scenario" --icount --timeout 3000 --preset "$2" "${@:3}" \
		--out "$out/$1" >&2
}

# The slowest task's seconds.
seconds() {
	sed -n 's/.*secs=//p' "$out/$1/workload.log" | sort -n | tail -1
}

# delta RUN KEY...: the sum of the keys' differences.
delta() {
	local run=$1
	shift
	awk -v keys=" $* " 'index(keys, " " $1 " ") { sum += FNR == NR ? -$2 : $2 }
		END { print sum + 0 }' "$out/$run/vmstat.before" "$out/$run/vmstat.after"
}

lost() {
	[ -e "$out/$1/trace.dat" ] || { echo -; return; }
	trace-cmd report --stat "$out/$1/trace.dat" 2>/dev/null |
		awk '/^overrun:|^dropped events:/ { n += $NF } END { print n + 0 }'
}

# MB of the ring buffers and locked; of trace-cmd the ring that guest-init asks for.
memory() {
	case $1 in
	none) echo - ;;
	trace-cmd) echo 8.4 ;;
	*) sed -n 's/^ring \([0-9.]*\) MB, recorder \([0-9.]*\) MB locked.*/\1+\2/p' "$out/$1/recorder.log" ;;
	esac
}

row() {
	printf '%-16s %6.3f %7s %9s %9s %11s %7s\n' "$1" \
		"$(echo "$(seconds "$1") / $(seconds none)" | bc -l)" "$(lost "$1")" "$(memory "$1")" \
		"$(delta "$1" workingset_refault_file)" "$(delta "$1" pgscan_direct)" \
		"$(delta "$1" allocstall_dma allocstall_dma32 allocstall_normal allocstall_movable)"
}

run none pages --recorder none
run trace-cmd pages --recorder trace-cmd
run capture-pages pages --capture "$program"
run capture-reclaim reclaim --capture "$program"
run capture-summary none --capture "$program" --capture-args --summary

printf '%-16s %6s %7s %9s %9s %11s %7s\n' recorder time lost MB refaults 'direct scan' stalls
for name in none trace-cmd capture-pages capture-reclaim capture-summary; do
	row "$name"
done
