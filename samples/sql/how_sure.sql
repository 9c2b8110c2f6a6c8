-- SPDX-License-Identifier: GPL-2.0-or-later
-- How far can the figures be trusted?
SELECT 'gaps in the recording' AS what, gaps AS count FROM loss_total
UNION ALL
SELECT 'events lost, at least', count FROM loss_total
UNION ALL
SELECT 'pairs without begin or end', coalesce(sum(unpaired), 0) FROM unpaired
UNION ALL
SELECT 'events of the vocabulary that are missing', count(*) FROM not_recorded;
