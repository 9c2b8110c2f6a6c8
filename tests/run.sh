#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All default tests: those of one part under the sanitizers, then everything in a release build.
# Further tests by their label: tests/run.sh --lab, --fuzz, --bench, --lint, --long, --browser,
# --package.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh

usage() {
	echo "usage: tests/run.sh [--lint | --fuzz | --bench | --lab | --long | --browser | --package]" >&2
	exit 2
}

label=
case "${1:-}" in
"") ;;
--lint | --fuzz | --bench | --lab | --long | --browser | --package) label=${1#--} ;;
*) usage ;;
esac
[ $# -le 1 ] || usage

# shellcheck disable=SC2086 # a list
need_packages $packages
[ "$label" != lint ] || need_packages clang-format clang-tidy cppcheck

if [ "$label" = package ]; then
	need_packages lintian
	build package
	exec ctest --preset package -L '^package$'
fi
build release
if [ -n "$label" ]; then
	exec ctest --preset release --output-on-failure -L "^$label\$"
fi

build asan
say "tests of single parts under the sanitizers"
ctest --preset asan -j "$(nproc)" -LE '^(lab|fuzz|bench|lint|long|browser|package|slow)$' -R '^(unit|golden)\.'
say "all tests"
exec ctest --preset release -j "$(nproc)" -LE '^(lab|fuzz|bench|lint|long|browser|package)$'
