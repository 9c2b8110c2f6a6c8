# SPDX-License-Identifier: GPL-2.0-or-later
# A browser draws the page: the sums that it shows are those of the database, its script runs under the
# page's own policy, and a name made of markup stays a name.
. "$(dirname "$0")/lib.sh"
browser=$(command -v chromium || command -v chromium-browser) || {
	echo "no chromium: the page cannot be looked at" >&2
	exit 77
}

# The page as it is once its script has run goes to $work/dom.
render() {
	mkdir -p "$work/profile"
	"$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$work/profile" --virtual-time-budget=5000 --enable-logging=stderr \
		--dump-dom "file://$1" >"$work/dom" 2>"$work/log" || fail "the browser fails"
	! grep -q CONSOLE "$work/log" || fail "$(grep CONSOLE "$work/log")"
}

# drawn ID: the value of the element with that id.
drawn() {
	sed -n "s/.*<data id=\"$1\" value=\"\([0-9]*\)\".*/\1/p" "$work/dom"
}

# On paper the page is light, plots and all, whatever the colours on the screen: mean grey of the
# pages, of 255.
printed() {
	"$browser" --headless --no-sandbox --disable-gpu --force-dark-mode --no-first-run \
		--user-data-dir="$work/profile" --virtual-time-budget=5000 --no-pdf-header-footer \
		--print-to-pdf="$work/page.pdf" "file://$1" 2>"$work/log" || fail "cannot print"
	pdftoppm -gray -r 20 "$work/page.pdf" | tail -c +16 | od -An -v -tu1 |
		awk '{ for (i = 1; i <= NF; i++) sum += $i; n += NF } END { print int(sum / n) }'
}

# The page has the elements a line apart.
split() {
	sed -i 's/<data /\n<data /g' "$work/dom"
}

asked() {
	"$TOOL" sql --csv "$work/run.db" "$1" | tail -n +2 | tr -d '\r'
}

expect 0 "$TOOL" import "$SOURCE/samples/dirty.dat" -o "$work/run.db"
sqlite3 "$work/run.db" "UPDATE task SET comm = '</script><script>document.title=1</script>'"
expect 0 "$TOOL" analyze --html "$work/page.html" "$work/run.db"
render "$work/page.html"
split
for column in kswapd_scanned kswapd_reclaimed direct_scanned direct_reclaimed; do
	is "$(drawn "timeline-$column-0")" "$(asked "SELECT sum($column) FROM timeline")" "$column"
done
stalls="FROM stall WHERE depth = 0 AND dur NOT NULL"
is "$(drawn stalls-count-0)" "$(asked "SELECT count(*) $stalls")" stalls
is "$(drawn stalls-max-0)" "$(asked "SELECT max(dur) $stalls")" "longest stall"
is "$(drawn histogram-count-0)" "$(asked "SELECT count(*) $stalls")" histogram
is "$(drawn throttles-WRITEBACK-0)" \
	"$(asked "SELECT sum(count) FROM throttle_by_reason WHERE reason = 'WRITEBACK'")" throttles
grep -q '<title>Memory reclaim</title>' "$work/dom" || fail "a name became a script"
grep -q '<canvas' "$work/dom" || fail "nothing is drawn"

if command -v pdftoppm >/dev/null; then
	[ "$(printed "$work/page.html")" -ge 230 ] || fail "the page is not light on paper"
fi

# Two runs over each other, each with its head.
expect 0 "$TOOL" compare --html "$work/two.html" "$SOURCE/samples/dirty.dat" "$work/run.db"
render "$work/two.html"
is "$(grep -c '<pre class="head">' "$work/dom")" 2 "heads of two runs"
grep -q '<a class="definition" href="#view-stall_by_actor">direct stalls</a>' "$work/dom" ||
	fail "a figure of the comparison has no definition"
split
for run in 0 1; do
	is "$(drawn "timeline-kswapd_scanned-$run")" \
		"$(asked "SELECT sum(kswapd_scanned) FROM timeline")" "run $run of two"
done
finish
