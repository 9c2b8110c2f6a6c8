# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the scripts: $TOOL is the program, $SOURCE and $BUILD are folders, $work is a folder that
# is gone when the script ends.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAILED: $*" >&2
	failures=$((failures + 1))
}

# expect STATUS COMMAND...: run it; stdout and stderr go to $work/out and $work/err.
expect() {
	wanted=$1
	shift
	"$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ $got -eq "$wanted" ] || fail "exit status $got, expected $wanted: $*: $(cat "$work/err")"
}

# says FILE PATTERN: a line of the last command's out or err has the extended pattern.
says() {
	grep -Eq -- "$2" "$work/$1" || fail "std$1 has no line with \"$2\": $(head -5 "$work/$1")"
}

lines() {
	wc -l <"$work/$1" | tr -d ' '
}

# json PATH: the value in the last command's out.
json() {
	sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '$1')"
}

is() {
	[ "$1" = "$2" ] || fail "\"$1\" is not \"$2\"${3:+: $3}"
}

# The long options in the text read, but --help.
options() {
	grep -oE -- '(^|[ ,])--[a-z][a-z0-9-]*' | tr -d ' ,' | grep -v '^--help$' | sort -u
}

# The long options that a help lists: lines that begin with one, and the lines of the others.
options_of_help() {
	sed -n -E -e '/^  (-[a-zA-Z],|   ) --/s/^(.{1,30}).*/\1/p' -e '/^  also, /,$p' | options
}

finish() {
	[ $failures -eq 0 ] || exit 1
	exit 0
}
