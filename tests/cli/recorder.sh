# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests that record: skips where that is not possible, and helps to wait.
. "$SOURCE/tests/cli/lib.sh"

tracing=/sys/kernel/tracing

skip() {
	echo "skipped: $*"
	exit 77
}

[ "$(id -u)" -eq 0 ] || skip "recording needs root"
[ -w $tracing/instances ] || mount -t tracefs none $tracing 2>/dev/null
[ -w $tracing/instances ] || skip "no tracefs with instances"

# soon COMMAND...: try again until it succeeds; half a minute is for a very busy machine.
soon() {
	for _ in $(seq 300); do
		"$@" && return 0
		sleep 0.1
	done
	fail "never: $*"
	return 1
}

# recording PID: the instance of that process traces (a new one does for a moment, too).
recording() {
	# shellcheck disable=SC2010 # links of /proc
	ls -l "/proc/$1/fd" 2>/dev/null | grep -q "reclaimlab-$1/per_cpu" &&
		[ "$(cat "$tracing/instances/reclaimlab-$1/tracing_on" 2>/dev/null)" = 1 ]
}

gone() {
	! [ -e "$tracing/instances/reclaimlab-$1" ] && ! [ -e "$tracing/instances/reclaimlab-$1-watch" ]
}

# start ARGUMENT...: capture in the background; sets $pid; its words go to $work/err.
start() {
	"$TOOL" capture "$@" >"$work/out" 2>"$work/err" </dev/null &
	pid=$!
	soon recording "$pid"
}

# ends STATUS SIGNAL: stop what start() began, and expect its status.
ends() {
	[ "$2" = none ] || kill "-$2" "$pid"
	wait "$pid"
	is "$?" "$1" "status after signal $2: $(cat "$work/err")"
	gone "$pid" || fail "the instance stays after $2"
}

# records FILE: how many events import reads from it.
records() {
	"$TOOL" import "$1" -o "$work/records.db" >/dev/null 2>"$work/import" &&
		sqlite3 "$work/records.db" "SELECT sum(records) FROM coverage"
}

# Events of the page cache.
load() {
	for _ in $(seq "${1:-20}"); do
		head -c 1000000 "$TOOL" >"$work/copy"
	done
}
