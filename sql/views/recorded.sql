-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view recorded Which kinds of facts can this run hold at all?
-- A run of counters holds none. A replay emits everything. Otherwise one of the events must have been
-- recorded, or have been there to be recorded; an input that lists no events is taken as complete.
-- @column run - run
-- @column fact - scan, freed, stall, cycle, wake, throttle, writeout, compaction, migrate, slab
CREATE VIEW recorded AS
WITH need(fact, event) AS (
	VALUES ('scan', 'mm_vmscan_lru_isolate'), ('scan', 'mm_vmscan_lru_shrink_inactive'),
		('freed', 'mm_vmscan_lru_shrink_inactive'),
		('stall', 'mm_vmscan_direct_reclaim_begin'), ('cycle', 'mm_vmscan_kswapd_wake'),
		('wake', 'mm_vmscan_wakeup_kswapd'), ('throttle', 'mm_vmscan_throttled'),
		('throttle', 'writeback_congestion_wait'), ('throttle', 'writeback_wait_iff_congested'),
		('writeout', 'mm_vmscan_write_folio'), ('compaction', 'mm_compaction_begin'),
		('migrate', 'mm_migrate_pages'), ('slab', 'mm_shrink_slab_start')
)
SELECT DISTINCT r.run, n.fact
FROM run AS r
CROSS JOIN need AS n
WHERE r.kind <> 'counters' AND (
	NOT EXISTS (SELECT 1 FROM coverage AS c WHERE c.run = r.run)
	OR EXISTS (
		SELECT 1 FROM coverage AS c
		WHERE c.run = r.run AND c.event = n.event AND c.state IN ('present', 'renamed')
	)
);
