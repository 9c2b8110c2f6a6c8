# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# What the scripts of the lab share: words on stderr, the cache, packages, qemu's inputs.

lab_name=${0##*/}
lab_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab_cache=${RECLAIMLAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reclaimlab}

note() {
	printf '%s: %s\n' "$lab_name" "$*" >&2
}

die() {
	note "$*"
	exit 2
}

# need_number OPTION VALUE: a whole number above 0, or the call is wrong.
need_number() {
	[[ $2 =~ ^[1-9][0-9]{0,17}$ ]] || die "$1: expected a number above 0, found '$2'"
}

# need_count OPTION VALUE: the same, and 0 too.
need_count() {
	[ "$2" = 0 ] || need_number "$@"
}

# skip WHY: the machine lacks something; ctest takes status 77 for a skipped test.
skip() {
	note "skipped: $*"
	exit 77
}

# need_programs PROGRAM=PACKAGE...: install what is missing when root, or say what to install.
need_programs() {
	local pair missing=()

	for pair in "$@"; do
		command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
	done
	[ ${#missing[@]} -eq 0 ] && return
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		skip "needs the packages ${missing[*]}"
	fi
	note "installing ${missing[*]}"
	apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
		skip "cannot install ${missing[*]}"
}

# cached DIR FUNCTION ARG...: run FUNCTION in a new DIR below the cache unless it is there complete.
cached() {
	local dir=$lab_cache/$1 new
	shift

	mkdir -p "$(dirname "$dir")"
	(
		flock 9
		[ -e "$dir/.complete" ] && exit 0
		new=$dir.new.$$
		rm -rf "$new" "$dir"
		mkdir -p "$new"
		"$@" "$new" >&2 || {
			rm -rf "$new"
			exit 1
		}
		touch "$new/.complete"
		mv "$new" "$dir"
	) 9>"$dir.lock" || die "cannot make ${dir#"$lab_cache"/}"
	printf '%s\n' "$dir"
}

# hash_of [FILE...]: a short name for the contents of files, or of what comes in.
hash_of() {
	cat -- "$@" | sha256sum | cut -c1-16
}

# trace-cmd makes the file from the guest's own event formats and the pages of each CPU.
# assemble_trace DIR KEEP-RAW: DIR holds cpuN.raw, tracing/ and kallsyms.
assemble_trace() {
	local dir=$1 keep_raw=$2 raw=()

	mapfile -t raw < <(find "$dir" -name 'cpu*.raw' | sort -V)
	[ ${#raw[@]} -gt 0 ] && [ -d "$dir/tracing" ] || return 0
	trace-cmd restore -c -t "$dir/tracing" -k "$dir/kallsyms" -o "$dir/head.dat" >/dev/null 2>&1
	trace-cmd restore -i "$dir/head.dat" -o "$dir/trace.dat" "${raw[@]}" >/dev/null 2>&1
	rm -rf "$dir/head.dat" "$dir/tracing" "$dir/kallsyms"
	[ "$keep_raw" = yes ] || rm -f "${raw[@]}"
}
