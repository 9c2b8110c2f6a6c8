#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a recorder does to the machine that it records: the fixed streaming scenario in a guest without
# a recorder, under trace-cmd and under reclaimlab, with the same events. Times are ratios to the run
# without one; counts are from /proc/vmstat around the work (the recorder's last writes included).
# Usage: recorder.sh RECLAIMLAB [SCENARIO]
set -euo pipefail

program=$1
scenario=${2:-stream-fixed}
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/recorder-bench.XXXXXX")
trap 'rm -rf "$out"' EXIT

run() {
	"$root/kernel/lab/guest" run "$scenario" --preset "$2" "${@:3}" --out "$out/$1" >&2
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

row() {
	printf '%-20s %6.2f %8s %12s %10s %10s\n' "$1" \
		"$(echo "$(seconds "$1") / $(seconds none)" | bc -l)" "$(lost "$1")" \
		"$(delta "$1" workingset_refault_file)" "$(delta "$1" pgscan_direct)" \
		"$(delta "$1" allocstall_dma allocstall_dma32 allocstall_normal allocstall_movable)"
}

run none pages --recorder none
run trace-cmd pages --recorder trace-cmd
run capture-pages pages --capture "$program"
run capture-reclaim reclaim --capture "$program"
run capture-summary none --capture "$program" --capture-args --summary

printf '%-20s %6s %8s %12s %10s %10s\n' recorder time lost refaults 'direct scan' stalls
for name in none trace-cmd capture-pages capture-reclaim capture-summary; do
	row "$name"
done
