/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.js - lines over time: reclaim, free pages and marks, throttling, refaults. */
"use strict";

const stepped = uPlot.paths.stepped({ align: 1 });
const straight = uPlot.paths.linear();
const fromZero = { range: (u, min, max) => [0, max > 0 ? max * 1.05 : 1] };
const logarithmic = { distr: 3, log: 10 };

/* A line is { run, label, colour, x, y, path, thin }. */
function drawLines(figure, lines, format, yScale = fromZero) {
	const data = uPlot.join(lines.map((line) => [line.x, line.y]));
	const series = lines.map((line) => ({
		label: runLabel(line.run, line.label),
		stroke: stroke(line.colour),
		width: line.thin ? 1 : 1.5,
		dash: dashes[runs.indexOf(line.run) % dashes.length],
		paths: line.path || stepped,
		points: { show: line.x.length < 3 },
		spanGaps: true,
		value: (u, v) => format(v),
	}));
	const options = timeOptions(axis(formatShort, 56), { y: yScale });

	addTimePlot(figure, { ...options, series: [timeSeries(), ...series] }, data);
}

function addReclaim() {
	const kinds = [["kswapd", "kswapd"], ["direct", "direct reclaim"], ["other", "others"]];
	const figure = addFigure("Pages scanned and freed a second", viewOf("timeline"));
	const lines = [];

	for (const run of runs) {
		const rows = rowsOf(run, "timeline");
		const present = kinds.filter(([kind]) => sum(rows, kind + "_scanned") > 0);

		addSums(figure, run, "timeline", present.flatMap(([kind, label]) =>
			["scanned", "reclaimed"].map((what) => {
				const total = sum(rows, `${kind}_${what}`);

				return [what === "scanned" ? label + " scans" : "frees", `${kind}_${what}`,
					total, formatCount(total)];
			})));
		for (const [kind, label] of present)
			for (const what of ["scanned", "reclaimed"]) {
				const [x, y] = perSecond(run, rows, `${kind}_${what}`);

				lines.push({ run, label: label + (what === "scanned" ? " scans" : " frees"),
					colour: kind + (what === "scanned" ? "" : "-freed"), x, y });
			}
	}
	drawLines(figure, lines, formatPagesPerSecond);
}

function zoneNames() {
	const names = new Set();

	for (const run of runs)
		for (const row of rowsOf(run, "zones"))
			names.add(row.zone);
	return [...names];
}

function addZone(zone) {
	const figure = addFigure(`Free pages and watermarks, ${zone}`, viewOf("zones"));
	const lines = [];

	for (const run of runs) {
		const rows = rowsOf(run, "zones").filter((row) => row.zone === zone);
		const below = rows.filter((row) => row.free <= row.low).length;

		if (!rows.length)
			continue;
		addSums(figure, run, "zone-" + zone.replace(/\W+/g, "-"), [
			["lowest", "lowest", Math.min(...rows.map((row) => row.free)),
				formatPages(Math.min(...rows.map((row) => row.free)))],
			["not above low in", "below", below, `${below} of ${rows.length} samples`],
		]);
		for (const [name, colour] of [["free", "kswapd"], ["high", "fourth"], ["low", "other"],
			["min", "direct"]])
			lines.push({ run, label: name, colour, x: rows.map((row) => row.t),
				y: rows.map((row) => Math.max(1, row[name])), path: straight, thin: name !== "free" });
	}
	drawLines(figure, lines, formatPages, logarithmic);
}

function addThrottles() {
	const figure = addFigure("Throttled waits a second, by reason", viewOf("throttles"));
	const lines = [];

	for (const run of runs) {
		const rows = rowsOf(run, "throttles");
		const reasons = [...new Set(rows.map((row) => row.reason))];

		addSums(figure, run, "throttles", reasons.map((reason) => {
			const total = sum(rows.filter((row) => row.reason === reason), "count");

			return [reason, reason, total, formatCount(total)];
		}));
		reasons.forEach((reason, i) => {
			const [x, y] = perSecond(run, rows.filter((row) => row.reason === reason), "count");

			lines.push({ run, label: reason, colour: palette[i % palette.length], x, y });
		});
	}
	drawLines(figure, lines, (v) => (v == null ? "-" : Number(v.toPrecision(4)) + " /s"));
}

function addRefaults() {
	const figure = addFigure("Pages read back after they were thrown out", viewOf("refaults"));
	const colours = { anon: "direct", file: "kswapd", all: "kswapd" };
	const lines = [];

	for (const run of runs) {
		const rows = rowsOf(run, "refaults");
		const names = [...new Set(rows.map((row) => row.name))];

		addSums(figure, run, "refaults", names.map((name) => {
			const total = sum(rows.filter((row) => row.name === name), "refaults");

			return [name, name, total, formatCount(total)];
		}));
		for (const name of names) {
			const own = rows.filter((row) => row.name === name);

			lines.push({ run, label: name, colour: colours[name], path: straight,
				x: own.map((row) => row.t), y: own.map((row) => row.rate) });
		}
	}
	drawLines(figure, lines, formatPagesPerSecond);
}
