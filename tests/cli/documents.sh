# SPDX-License-Identifier: GPL-2.0-or-later
# What README.md, the tutorial and the policy guide tell to do is done: each block marked sh runs, each
# block marked c is compiled to a plugin, and the lines of a block marked text are in the output of
# the sh block before it. A block behind "<!-- not run: why -->" is left out.
. "$(dirname "$0")/lib.sh"

mkdir "$work/bin"
ln -s "$TOOL" "$work/bin/reclaimlab"
PATH=$work/bin:$PATH
export PATH

# split FILE: blocks to $work/blocks/NNN.KIND.
split() {
	rm -rf "$work/blocks"
	mkdir "$work/blocks"
	awk -v dir="$work/blocks" '
		/^<!-- not run: / { why = $0; next }
		/^```[a-z]+$/ && !file {
			file = sprintf("%s/%03d.%s", dir, ++n, why ? "skipped" : substr($0, 4))
			if (why)
				print why >file
			why = ""
			next
		}
		/^```$/ { close(file); file = ""; next }
		file { print >file }' "$1"
}

# compile BLOCK: its first line names the file.
compile() {
	source=$(sed -n '1s,^/\* \([a-z-]*\.c\) \*/$,\1,p' "$1")
	[ -n "$source" ] || { fail "$1: the first line names no file" && return; }
	cp "$1" "$source"
	expect 0 "${CC:-cc}" -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror -shared -fPIC \
		-I "$SOURCE/replay/engine/include" -o "${source%.c}.so" "$source"
}

# has_lines BLOCK: each line is part of what ran last.
has_lines() {
	while IFS= read -r line; do
		grep -qF -- "$line" "$work/ran" || fail "not in the output: $line"
	done <"$1"
}

for page in README.md docs/tutorial.md docs/policy-guide.md; do
	folder=$work/$(basename "$page" .md)
	mkdir "$folder"
	cd "$folder" || exit 1
	ln -s "$SOURCE/samples" samples
	for name in trace.dat old.dat new.dat; do
		ln -s "$SOURCE/samples/dirty.dat" $name
	done
	ln -s "$SOURCE/samples/hugepages/vmstat.before" "$SOURCE/samples/hugepages/vmstat.after" .
	split "$SOURCE/$page"
	ls "$work"/blocks/*.sh >/dev/null || fail "$page: no block to run"
	for block in "$work"/blocks/*; do
		case $block in
		*.sh)
			expect 0 sh -e "$block"
			cp "$work/out" "$work/ran"
			;;
		*.c) compile "$block" ;;
		*.text) has_lines "$block" ;;
		*.skipped) echo "$page: $(head -2 "$block" | tr '\n' ' ')" ;;
		*) fail "$page: a block of kind ${block##*.}" ;;
		esac
	done
done
finish
