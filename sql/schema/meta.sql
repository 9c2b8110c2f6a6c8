-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tables that are not facts of events. Times are ns on the run's clock unless a column says otherwise.

CREATE TABLE run (
	run INTEGER PRIMARY KEY,
	kind TEXT NOT NULL,		-- recorded, replayed, counters
	source TEXT NOT NULL,		-- path, or policy text of a replay
	form TEXT NOT NULL,		-- what the input was: trace.dat v7 zstd, ftrace text, ...
	kernel TEXT NOT NULL,		-- release, '' unknown
	machine TEXT NOT NULL,		-- architecture, '' unknown
	clock TEXT NOT NULL,		-- trace clock, '' unknown
	time_known INTEGER NOT NULL,	-- 0: ts counts something that is not a time
	page_size INTEGER,		-- bytes
	cpus INTEGER,
	start INTEGER,			-- ns, first event
	end INTEGER,			-- ns, last event
	policy TEXT,			-- of a replay
	parameters TEXT,		-- of a replay
	parent INTEGER REFERENCES run,	-- the recording that a replay replays
	seed INTEGER,
	grade TEXT			-- JSON, of a replay of the recorded policy
);

CREATE TABLE task (
	task INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	tid INTEGER NOT NULL,		-- -1: not known
	comm TEXT,			-- NULL: never seen
	kind TEXT NOT NULL,		-- kswapd, kcompactd, khugepaged, kworker, recorder, user, unknown
	first INTEGER,			-- ns
	last INTEGER			-- ns
);
CREATE INDEX task_run ON task (run, tid);

CREATE TABLE symbol (
	symbol INTEGER PRIMARY KEY,
	text TEXT NOT NULL UNIQUE
);

CREATE TABLE marker (
	run INTEGER NOT NULL REFERENCES run,
	ts INTEGER NOT NULL,
	cpu INTEGER,
	task INTEGER REFERENCES task,
	text TEXT NOT NULL		-- without the final newline
);

CREATE TABLE loss (
	run INTEGER NOT NULL REFERENCES run,
	ts INTEGER,			-- of the event behind the gap, NULL unknown
	cpu INTEGER,			-- NULL unknown
	count INTEGER,			-- events, NULL unknown
	kind TEXT NOT NULL,		-- overrun, missed, dropped, unparsed, damaged
	what TEXT			-- the place in words, for damaged ones
);

CREATE TABLE coverage (
	run INTEGER NOT NULL REFERENCES run,
	system TEXT NOT NULL,
	event TEXT NOT NULL,		-- name in the vocabulary, or as recorded where it has none
	recorded_as TEXT NOT NULL,	-- name in the recording
	state TEXT NOT NULL,		-- present, renamed, absent, unknown (not in the vocabulary)
	records INTEGER NOT NULL,
	missing TEXT NOT NULL,		-- fields of the vocabulary that the recorded format lacks
	stored_in TEXT			-- table, NULL: only counted
);

CREATE TABLE counter (
	counter INTEGER PRIMARY KEY,
	source TEXT NOT NULL,		-- vmstat, zoneinfo, meminfo, buddyinfo, pagetypeinfo, diskstats, psi, memcg, sysctl, uptime
	scope TEXT NOT NULL,		-- '' or node 0, node 0 zone Normal, cgroup path, device
	name TEXT NOT NULL,		-- key as the kernel spells it
	unit TEXT NOT NULL,		-- pages, bytes, us, ...
	cumulative INTEGER NOT NULL,	-- 1: differences mean something; 0: a gauge
	UNIQUE (source, scope, name)
);

CREATE TABLE sample (
	run INTEGER NOT NULL REFERENCES run,
	snapshot INTEGER NOT NULL REFERENCES snapshot,
	counter INTEGER NOT NULL REFERENCES counter,
	value INTEGER NOT NULL,
	PRIMARY KEY (run, snapshot, counter)
) WITHOUT ROWID;

CREATE TABLE snapshot (
	snapshot INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run,
	ts INTEGER,			-- on the run's clock, NULL: not known
	label TEXT NOT NULL,		-- before, after, or '' for a series
	file TEXT NOT NULL		-- where it was read from
);
CREATE INDEX snapshot_run ON snapshot (run, ts);

CREATE TABLE enum_name (
	domain TEXT NOT NULL,		-- actor, lru, zone, compact, ...
	value INTEGER NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (domain, value)
) WITHOUT ROWID;

-- The window that every view looks through: one row a run, the whole run unless it is narrowed. A
-- window on several tasks has a row for each.
CREATE TABLE focus (
	run INTEGER NOT NULL REFERENCES run,
	start INTEGER NOT NULL,		-- ns, inclusive
	end INTEGER NOT NULL,		-- ns, exclusive
	task INTEGER,			-- NULL: all
	node INTEGER			-- NULL: all
);
