-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tables that are not facts of events, in the form that sql/catalog.c reads: lines of comment before a
-- table tell what a row is, the comment behind a column has its unit in brackets.

-- one recording or replay
CREATE TABLE run (
	run INTEGER PRIMARY KEY,	-- number, from 1
	kind TEXT NOT NULL,		-- recorded, replayed, counters
	source TEXT NOT NULL,		-- path, or policy text of a replay
	form TEXT NOT NULL,		-- what the input was: trace.dat v7 zstd, ftrace text, ...
	kernel TEXT NOT NULL,		-- release; empty: unknown
	machine TEXT NOT NULL,		-- architecture; empty: unknown
	clock TEXT NOT NULL,		-- trace clock; empty: unknown
	time_known INTEGER NOT NULL,	-- 0: ts counts something that is not a time
	page_size INTEGER,		-- [bytes] of the recorded kernel
	cpus INTEGER,			-- CPUs of the recorded machine
	start INTEGER,			-- [ns] first event
	end INTEGER,			-- [ns] last event
	policy TEXT,			-- policy of a replay
	parameters TEXT,		-- parameters of a replay
	parent INTEGER REFERENCES run,	-- the recording that a replay replays
	seed INTEGER,			-- seed of a replay
	grade TEXT			-- JSON, of a replay of the recorded policy
);

-- one thread life; a thread id that is used again is another task
CREATE TABLE task (
	task INTEGER PRIMARY KEY,	-- number, unique over all runs
	run INTEGER NOT NULL REFERENCES run,	-- the run it lived in
	tid INTEGER NOT NULL,		-- thread id; -1: not known
	comm TEXT,			-- name; NULL: never seen
	kind TEXT NOT NULL,		-- kswapd, kcompactd, khugepaged, kworker, recorder, user, unknown
	first INTEGER,			-- [ns] first event
	last INTEGER			-- [ns] last event
);
CREATE INDEX task_run ON task (run, tid);

-- a text that columns name by its number (kernel symbols, names)
CREATE TABLE symbol (
	symbol INTEGER PRIMARY KEY,	-- number
	text TEXT NOT NULL UNIQUE	-- the text; bytes that are no UTF-8 as \xNN
);

-- one line that a person or a script wrote into the trace
CREATE TABLE marker (
	run INTEGER NOT NULL REFERENCES run,	-- the run
	ts INTEGER NOT NULL,		-- [ns] when it was written
	cpu INTEGER,			-- CPU; NULL: unknown
	task INTEGER REFERENCES task,	-- who wrote it; NULL: unknown
	text TEXT NOT NULL		-- the line, without the final newline
);

-- one gap in a recording
CREATE TABLE loss (
	run INTEGER NOT NULL REFERENCES run,	-- the run
	ts INTEGER,			-- [ns] of the event behind the gap; NULL: unknown
	cpu INTEGER,			-- CPU; NULL: unknown
	count INTEGER,			-- [events] lost; NULL: unknown; unread: lines, disorder: times
	kind TEXT NOT NULL,		-- overrun, missed, dropped, unparsed, damaged; no gaps: unread (lines of a text), disorder (of its time), overwritten (by a flight recorder before ts)
	what TEXT			-- in words; NULL: nothing to add
);

-- one event of the vocabulary or of the recording
CREATE TABLE coverage (
	run INTEGER NOT NULL REFERENCES run,	-- the run
	system TEXT NOT NULL,		-- trace system
	event TEXT NOT NULL,		-- name in the vocabulary, or as recorded where it has none
	recorded_as TEXT NOT NULL,	-- name in the recording
	state TEXT NOT NULL,		-- present, renamed, off (there, not recorded), absent, unseen (a text does not say whether it was recorded), unknown (not in the vocabulary)
	records INTEGER NOT NULL,	-- [events] recorded
	missing TEXT NOT NULL,		-- fields of the vocabulary that the recorded format lacks
	stored_in TEXT			-- table; NULL: only counted
);

-- one counter that samples have values of
CREATE TABLE counter (
	counter INTEGER PRIMARY KEY,	-- number
	source TEXT NOT NULL,		-- vmstat, zoneinfo, meminfo, buddyinfo, pagetypeinfo, diskstats, psi, memcg, sysctl, uptime
	scope TEXT NOT NULL,		-- empty, or node 0, node 0 zone Normal, cgroup path, device
	name TEXT NOT NULL,		-- key as the kernel spells it
	unit TEXT NOT NULL,		-- unit of its values: pages, bytes, us, ...
	cumulative INTEGER NOT NULL,	-- 1: differences mean something; 0: a gauge
	UNIQUE (source, scope, name)
);

-- one value of a counter
CREATE TABLE sample (
	run INTEGER NOT NULL REFERENCES run,	-- the run
	snapshot INTEGER NOT NULL REFERENCES snapshot,	-- when
	counter INTEGER NOT NULL REFERENCES counter,	-- of what
	value INTEGER NOT NULL,		-- in the unit of the counter
	PRIMARY KEY (run, snapshot, counter)
) WITHOUT ROWID;

-- one moment at which counters were read
CREATE TABLE snapshot (
	snapshot INTEGER PRIMARY KEY,	-- number
	run INTEGER NOT NULL REFERENCES run,	-- the run
	ts INTEGER,			-- [ns] on the run's clock; NULL: not known
	label TEXT NOT NULL,		-- before, after; empty in a series
	file TEXT NOT NULL		-- where it was read from
);
CREATE INDEX snapshot_run ON snapshot (run, ts);

-- one name of a number or of a bit
CREATE TABLE enum_name (
	domain TEXT NOT NULL,		-- actor, lru, zone, compact, gfp, ...
	value INTEGER NOT NULL,		-- the number, or the bit's value
	name TEXT NOT NULL,		-- the name
	PRIMARY KEY (domain, value)
) WITHOUT ROWID;

-- the window that every view looks through: one row a run, the whole run unless it is narrowed;
-- a window on several tasks has a row for each
CREATE TABLE focus (
	run INTEGER NOT NULL REFERENCES run,	-- the run
	start INTEGER NOT NULL,		-- [ns] inclusive
	end INTEGER NOT NULL,		-- [ns] exclusive
	task INTEGER,			-- only this task; NULL: all
	node INTEGER			-- only this node; NULL: all
);

-- some thousand rows of a page-rate table, packed; read them through the table that tab names
CREATE TABLE column_block (
	block INTEGER PRIMARY KEY,	-- number; grows with time within a table and a run
	tab TEXT NOT NULL,		-- name of the table
	run INTEGER NOT NULL,		-- run of all rows in the block
	rows INTEGER NOT NULL,		-- rows in the block
	ordered INTEGER NOT NULL,	-- 1: ts never goes back, nor from the block before
	head BLOB NOT NULL,		-- offset, size, NULLs, min and max of each column
	data BLOB NOT NULL		-- the packed columns
);
CREATE INDEX column_block_tab ON column_block (tab, run, block, rows, ordered);
