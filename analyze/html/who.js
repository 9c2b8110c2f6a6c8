/* SPDX-License-Identifier: GPL-2.0-or-later */
/* who.js - bars: which tasks wait, and which ask kswapd to work. */
"use strict";

/* A bar is { label, value, text }; @most is as long as it can be. */
function drawBars(figure, run, bars, most) {
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

/* Runs share a scale. */
function addBars(title, key, toBar) {
	const figure = addFigure(title, viewOf(key));
	const bars = runs.map((run) => rowsOf(run, key).map(toBar));
	const most = Math.max(1, ...bars.flat().map((bar) => bar.value));

	runs.forEach((run, i) => drawBars(figure, run, bars[i], most));
}

function addTasks() {
	addBars("Who waits", "tasks", (row) => ({
		label: `${row.comm} (${row.tid})`,
		value: row.total || 0,
		text: `${formatNs(row.total || 0)} in ${formatCount(row.count)}`,
	}));
}

function addWakers() {
	addBars("Who asks kswapd to work", "wakers", (row) => ({
		label: row.comm,
		value: row.requests,
		text: `${formatCount(row.requests)}, woke it ${formatCount(row.cycles)} times`,
	}));
}
