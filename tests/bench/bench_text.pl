#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The yardstick of bench_text: the same work in the style of the scripts that are kept with kernels. One
# regular expression takes the line apart (that of the layout "ftrace" in text_layouts.def), one an event
# takes its keys, names of flags become bits, and totals are kept by process. Prints its CPU time.
use strict;
use warnings;

my $line_re = qr/^[ ]*+(.{0,15}?)-(\d+)[ ]+(?:\([ ]*(?:\d+|-+)\)[ ]+)?\[(\d{1,5})\][ ]+(?:[0-9A-Za-z.#]{3,8}[ ]+)?(\d{1,20}(?:\.\d{1,9})?):[ ]+(?:\(\+?-?\d+\)[ ]*)?(?:([A-Za-z_][\w-]*):)?([A-Za-z_][\w.-]*):(?:[ \t]+(.*)|)$/;
my $slab_start = qr/(.+?)[ ]+(\S+): (?:nid: (-?\d+) )?objects to shrink (-?\d+) gfp_flags (\S+) (?:pgs_scanned (-?\d+) lru_pgs (-?\d+) )?cache items (-?\d+) delta (-?\d+) total_scan (-?\d+)(?: priority (-?\d+))?/;
my $slab_end = qr/(.+?)[ ]+(\S+): (?:nid: (-?\d+) )?unused scan count (-?\d+) new scan count (-?\d+) total_scan (-?\d+) last shrinker return val (-?\d+)/;
my (%process, %bit);

# A set of names as a number.
sub bits {
	my ($names) = @_;
	my $mask = 0;
	for my $name (split /\|/, $names) {
		$bit{$name} = 1 << (keys(%bit) % 60) unless exists $bit{$name};
		$mask |= $bit{$name};
	}
	return $mask;
}

my $events = 0;
while (my $line = <STDIN>) {
	chomp $line;
	next unless $line =~ $line_re;
	my ($comm, $pid, $cpu, $time, $system, $event, $args) = ($1, $2, $3, $4, $5, $6, $7);
	my ($seconds, $fraction) = split /\./, $time;
	my $ts = $seconds * 1000000000 + substr(($fraction // 0) . "000000000", 0, 9);
	my %value;

	$events++;
	if ($event eq "mm_shrink_slab_start") {
		@value{qw(shrinker shr nid objects gfp pgs lru items delta total priority)} = $args =~ $slab_start;
		$value{gfp} = bits($value{gfp} // "");
	} elsif ($event eq "mm_shrink_slab_end") {
		@value{qw(shrinker shr nid unused new total retval)} = $args =~ $slab_end;
	} else {
		while ($args =~ /([\w-]+)=(\S+)/g) {
			my ($key, $text) = ($1, $2);
			$value{$key} = $text =~ /^[A-Z_|]+$/ ? bits($text) : $text;
		}
	}
	$process{"$comm-$pid"}{$event}{count}++;
	$process{"$comm-$pid"}{$event}{last} = $ts;
	for my $key (keys %value) {
		my $number = $value{$key};
		$process{"$comm-$pid"}{$event}{$key} += $number if defined $number && $number =~ /^-?\d+$/;
	}
}
my ($user, $sys) = times;
printf "%d records, %.3f s of CPU\n", $events, $user + $sys;
