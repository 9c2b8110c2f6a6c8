#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# From a clone to a first answer: installs missing packages when it may, builds, imports a recording
# of a real machine that has too many writers for its disk, prints the summary and one SQL answer.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh

# shellcheck disable=SC2086 # a list
need_packages $packages
build release reclaimlab
tool=build/release/cli/reclaimlab
db=build/demo.db

$tool import samples/dirty.dat -o $db
echo "\$ reclaimlab analyze $db"
$tool analyze $db
echo
echo "\$ reclaimlab sql $db < samples/sql/throttle_delays.sql"
$tool sql $db <samples/sql/throttle_delays.sql
