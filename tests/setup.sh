# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by samples/demo.sh and tests/run.sh: the packages that the build needs, and the build.

packages="build-essential cmake pkg-config libtraceevent-dev libtracefs-dev
	libsqlite3-dev sqlite3 libpcre2-dev zlib1g-dev libzstd-dev liblzma-dev libcmocka-dev
	trace-cmd libtracecmd-dev libbpf-dev"

say() {
	echo "== $*" >&2
}

# missing_packages PACKAGE...: those that dpkg does not have.
missing_packages() {
	for package in "$@"; do
		dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null |
			grep -q '^install ok installed' || echo "$package"
	done
}

# need_packages PACKAGE...: install what is missing, as root or with sudo. Where that is not
# possible it says what to do; on a system without dpkg cmake will say what it does not find.
need_packages() {
	command -v dpkg-query >/dev/null || return 0
	# shellcheck disable=SC2086 # a list
	set -- $(missing_packages "$@")
	[ $# -eq 0 ] && return 0
	if [ "$(id -u)" -eq 0 ]; then
		as_root=
	elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
		as_root=sudo
	else
		say "missing packages; as root: apt-get install $*"
		return 1
	fi
	say "installing $*"
	$as_root apt-get update -q >&2 &&
		DEBIAN_FRONTEND=noninteractive $as_root apt-get install -q -y \
			--no-install-recommends "$@" >&2
}

# build PRESET [TARGET]: configure and build.
build() {
	say "building ($1)"
	cmake --preset "$1" >/dev/null &&
		cmake --build --preset "$1" -j "$(nproc)" ${2:+--target "$2"} >&2
}
