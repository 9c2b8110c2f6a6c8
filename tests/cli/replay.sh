# SPDX-License-Identifier: GPL-2.0-or-later
# Replays of a database's run, an interruption, and a sweep that goes on after a kill.
. "$(dirname "$0")/lib.sh"

runs() {
	sqlite3 "$work/run.db" "$1"
}

cp -r "$SOURCE/samples/stream" "$work/stream"
expect 0 "$TOOL" import "$work/stream" -o "$work/run.db"
expect 0 "$TOOL" replay "$work/run.db" --ensemble 1 --policy linear:wsf=120
says err "run 1, recorded in $work/stream/trace.dat"
is "$(runs "SELECT group_concat(run || kind || parent || policy, ' ') FROM run WHERE run > 1")" \
	"2replayed1as recorded 3replayed1linear:wsf=120" "runs of the replay"
is "$(runs "SELECT count(*) FROM sample AS s JOIN counter USING (counter) WHERE s.run = 3
	AND name = 'pgsteal_kswapd' AND value > 0")" 1 "a counter of the replay"
# The counters are the database's: those beside the trace may go.
cp "$work/out" "$work/with_files"
rm "$work/stream/"*.before
expect 0 "$TOOL" replay "$work/run.db" --ensemble 1 --policy linear:wsf=120
diff "$work/out" "$work/with_files" >&2 || fail "counters of the database give another answer"
expect 1 "$TOOL" replay --run 2 "$work/run.db"
says err 'run 2 is replayed; a replay starts from a recorded run'
expect 1 "$TOOL" replay --run 9 "$work/run.db"
says err 'has no run 9'
mv "$work/stream" "$work/away"
for command in "replay" "sweep --grid swappiness=10,20"; do
	expect 1 "$TOOL" $command "$work/run.db"
	is "$(lines err)" 1 "lines about a trace that is gone"
	says err "stream/trace.dat\", is not there"
done

# A demand file replays as its recording does.
expect 0 "$TOOL" replay "$SOURCE/samples/stream" --export "$work/stream.demand"
for from in "$SOURCE/samples/stream" "$work/stream.demand"; do
	expect 0 "$TOOL" replay "$from" --ensemble 2 --policy linear:wsf=120 --policy belady
	mv "$work/out" "$work/out.$(basename "$from")"
done
diff "$work/out.stream" "$work/out.stream.demand" >&2 || fail "the demand file replays otherwise"
expect 0 "$TOOL" sweep "$work/stream.demand" --ensemble 1 --grid "policy=linear wsf=10,500"
says out 'linear:wsf=500'
head -c 50000 "$work/stream.demand" >"$work/cut.demand"
expect 1 "$TOOL" replay "$work/cut.demand"
is "$(lines err)" 1 "lines about a demand file that was cut"

# What is wrong with the command line is said before anything is read, with the word that was meant.
while read -r words; do
	expect 2 "$TOOL" replay /nowhere ${words%%;*}
	is "$(lines err)" 1 "lines about a wrong option"
	says err "${words##*;}"
done <<'END'
--policy gap-sqr;did you mean gap-sqrt\?
--policy linear:wfs=10;did you mean wsf\?
--policy linear:wsf=4000;not in 0..3000
--policy ./none.so;none.so: cannot open
--memory lots;a factor .* or a size
--set watermark_scale=3;did you mean watermark_scale_factor\?
--device floppy;expected ssd, hdd
END
expect 2 "$TOOL" sweep /nowhere --grid "policy=linaer"
says err 'did you mean linear\?'
expect 2 "$TOOL" sweep /nowhere --grid "wsf=10,20"
says err 'wsf is no property of the machine; a parameter needs its policy'
# A point that cannot run fails alone.
expect 0 "$TOOL" sweep "$work/stream.demand" --ensemble 1 --grid "policy=linear,two-list wsf=20"
says out '^. [0-9a-f]{16} linear:wsf=20 +[0-9]'
says out 'two-list:wsf=20 +failed: policy two-list has no parameter'
# The kernel as the engine: refused in one line where it cannot be.
expect 2 "$TOOL" replay --engine dream "$SOURCE/samples/stream"
says err '--engine: expected model or uml, found dream'
expect 1 env RECLAIMLAB_LAB="$work/no-lab" "$TOOL" replay --engine uml --ensemble 1 "$SOURCE/samples/stream"
says err "no kernel lab in $work/no-lab"
expect 1 env RECLAIMLAB_LAB="$SOURCE/kernel/lab" RECLAIMLAB_CACHE="$work/empty" \
	"$TOOL" replay --engine uml --ensemble 1 "$SOURCE/samples/stream"
says err 'User Mode Linux is not built; '
is "$(lines err)" 1 "lines about a kernel that is not built"

# What nothing beats can be queried.
expect 0 "$TOOL" sweep "$work/stream.demand" --ensemble 1 --grid "policy=linear wsf=10,500" \
	-o "$work/front.db"
is "$(sqlite3 "$work/front.db" "SELECT count(*) FROM run WHERE kind = 'replayed' AND policy <> 'as recorded'")" \
	"$(grep -c '^\* [0-9a-f]\{16\}' "$work/out")" "points of the front in the database"

# background JOURNAL: a long sweep, when it has finished a point or more; its number is in $sweep.
background() {
	"$TOOL" sweep "$SOURCE/samples/stream" --ensemble 1 -j 1 --journal "$1" \
		--grid "policy=linear wsf=10:1000:1" >"$work/out" 2>"$work/err" &
	sweep=$!
	tries=0
	until [ -s "$1" ] || [ $tries -eq 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	[ -s "$1" ] || fail "no point of the sweep in its journal"
}

background "$work/term"
kill -TERM $sweep
wait $sweep
is $? 1 "exit status of an interrupted sweep"
is "$(cat "$work/err")" "reclaimlab sweep: interrupted"
says out '^. [0-9a-f]{16} linear:wsf=1000 .*not run'

background "$work/journal"
kill -KILL $sweep
wait $sweep 2>"$work/killed"
head -1 "$work/journal" >"$work/first"
# A finished point is taken from the journal, as a figure that no replay would give shows; a line
# cut by the kill is not taken.
sed 's/^\([0-9a-f]*\) [^ ]*/\1 424242.0/' "$work/first" >"$work/journal"
printf '%s' "$(head -c 30 "$work/first")" | sed 's/^../ff/' >>"$work/journal"
expect 0 "$TOOL" sweep "$SOURCE/samples/stream" --ensemble 1 --journal "$work/journal" \
	--grid "policy=linear wsf=10,500"
says out '^. [0-9a-f]{16} linear:wsf=10 +424242 '
is "$(grep -c 'linear:wsf=500 .*424242\|not run' "$work/out")" 0 "points that were not run"
cp "$work/journal" "$work/before"
expect 0 "$TOOL" sweep "$SOURCE/samples/stream" --ensemble 1 --journal "$work/journal" \
	--grid "policy=linear wsf=500"
cmp "$work/before" "$work/journal" >&2 || fail "a point that was in the journal ran again"

# A plugin that was built anew is another policy, whatever its name.
for plugin in fifo fifo sieve; do
	cp "$BUILD/samples/policies/$plugin.so" "$work/mine.so"
	expect 0 "$TOOL" sweep "$work/stream.demand" --ensemble 1 --journal "$work/plugin" \
		--grid "policy=$work/mine.so"
	wc -l <"$work/plugin" >>"$work/points"
done
is "$(tr '\n' ' ' <"$work/points")" "1 1 2 " "points of a plugin, the same again, and another"
finish
