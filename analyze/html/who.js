/* SPDX-License-Identifier: GPL-2.0-or-later */
/* who.js - bars: which tasks wait, and which ask kswapd to work. */
"use strict";

/* A bar is { label, value, text }. */
function drawBars(figure, run, bars) {
	const most = Math.max(...bars.map((bar) => bar.value), 1);
	const list = element("ol", "bars");

	if (runs.length > 1)
		figure.append(element("h4", null, shortName(run)));
	for (const bar of bars) {
		const item = element("li");
		const track = element("span", "track");
		const fill = element("span", "fill");

		fill.style.width = `${100 * bar.value / most}%`;
		track.append(fill);
		item.append(element("span", "label", bar.label), track, element("span", "value", bar.text));
		list.append(item);
	}
	figure.append(list);
}

function addTasks() {
	const figure = addFigure("Who waits", viewOf("tasks"));

	for (const run of runs)
		drawBars(figure, run, rowsOf(run, "tasks").map((row) => ({
			label: `${row.comm} (${row.tid})`,
			value: row.total || 0,
			text: `${formatNs(row.total || 0)} in ${formatCount(row.count)}`,
		})));
}

function addWakers() {
	const figure = addFigure("Who asks kswapd to work", viewOf("wakers"));

	for (const run of runs)
		drawBars(figure, run, rowsOf(run, "wakers").map((row) => ({
			label: row.comm,
			value: row.requests,
			text: `${formatCount(row.requests)}, woke it ${formatCount(row.cycles)} times`,
		})));
}
