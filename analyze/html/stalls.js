/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stalls.js - stalls one by one, on a map of time and length, and counted by length. */
"use strict";

function stallLegend(stalls) {
	return (u, v, seriesIndex, i) => {
		const stall = i == null || v == null ? null : stalls[i];

		return stall ? `${formatNs(stall.dur)} ${stall.comm} (${stall.tid}), order ${stall.order}`
			: "-";
	};
}

function addStalls() {
	const stalls = runs.flatMap((run) =>
		rowsOf(run, "stalls").map((row) => ({ ...row, run }))).sort((a, b) => a.t - b.t);
	const groups = runs.flatMap((run) => [...new Set(rowsOf(run, "stalls").map((r) => r.actor))]
		.map((actor) => ({ run, actor })));
	const figure = addFigure("Stalls, each at its begin with its length", viewOf("stalls"));
	const options = timeOptions(axis(formatNs, 64), { y: logarithmic });

	for (const run of runs)
		addStallSums(figure, run);
	options.series = [timeSeries(), ...groups.map((group, i) => ({
		label: runLabel(group.run, group.actor),
		stroke: stroke(group.actor === "direct" && runs.length === 1 ? "direct"
			: palette[i % palette.length]),
		paths: () => null,
		points: { show: true, size: 4, width: 1, fill: stroke("panel") },
		value: stallLegend(stalls),
	}))];
	addTimePlot(figure, options, [stalls.map((s) => s.t), ...groups.map((group) =>
		stalls.map((s) => s.run === group.run && s.actor === group.actor
			? Math.max(1, s.dur) : null))]);
}

function addStallSums(figure, run) {
	const drawn = rowsOf(run, "stalls");
	const all = sum(rowsOf(run, "map"), "count");

	addSums(figure, run, "stalls", [
		["stalls", "count", all, formatCount(all)],
		["longest", "max", drawn.length ? drawn[0].dur : 0,
			drawn.length ? formatNs(drawn[0].dur) : "-"],
		["drawn", "drawn", drawn.length, drawn.length < all
			? `${formatCount(drawn.length)}, the longest` : "all"],
	]);
}

const SLICES = 120;

/* Cells are coloured by the logarithm of their count. */
function drawMap(u, run, rows, most) {
	const width = run.seconds / SLICES;

	u.ctx.save();
	u.ctx.beginPath();
	u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
	u.ctx.clip();
	u.ctx.fillStyle = colour("heat");
	for (const row of rows) {
		const left = u.valToPos(row.t, "x", true);
		const right = u.valToPos(row.t + width, "x", true);
		const top = u.valToPos(row.class + 1, "y", true);
		const bottom = u.valToPos(row.class, "y", true);

		u.ctx.globalAlpha = 0.15 + 0.85 * Math.log1p(row.count) / Math.log1p(most);
		u.ctx.fillRect(left, top, Math.max(1, right - left - 1), bottom - top - 1);
	}
	u.ctx.restore();
}

function mapReadout(run, rows, readout) {
	const cells = new Map(rows.map((row) =>
		[Math.round(row.t / run.seconds * SLICES) + " " + row.class, row.count]));

	return (u) => {
		const { left, top } = u.cursor;

		if (left < 0 || top < 0 || !run.seconds)
			return;
		const slice = Math.floor(u.posToVal(left, "x") / run.seconds * SLICES);
		const level = Math.floor(u.posToVal(top, "y"));

		readout.textContent = `${(slice * run.seconds / SLICES).toFixed(3)} s: ` +
			`${formatCount(cells.get(slice + " " + level) || 0)} stalls of ` +
			`${formatNs(2 ** level)} to ${formatNs(2 ** (level + 1))}`;
	};
}

function addMap(run) {
	const rows = rowsOf(run, "map");
	const figure = addFigure(runLabel(run, "How many stalls of which length, over time"), viewOf("map"));
	const readout = element("p", "readout", "the stronger the colour, the more stalls");
	const classes = rows.map((row) => row.class);
	const low = Math.min(...classes);
	const high = Math.max(...classes) + 1;
	const options = timeOptions(axis((v) => formatNs(2 ** v), 64), { y: { range: () => [low, high] } });

	options.axes[1].splits = () => everyOther(low, high);
	options.legend = { show: false };
	options.hooks.draw = [(u) => drawMap(u, run, rows, Math.max(...rows.map((r) => r.count)))];
	options.hooks.setCursor = [mapReadout(run, rows, readout)];
	options.series = [{}, { paths: () => null, points: { show: false } }];
	addTimePlot(figure, options, [[0, longest], [low, high]]);
	figure.append(readout);
}

function everyOther(low, high) {
	const step = Math.max(1, Math.ceil((high - low) / 6));
	const marks = [];

	for (let v = low; v <= high; v += step)
		marks.push(v);
	return marks;
}

function addHistogram() {
	const figure = addFigure("How many stalls are how long", viewOf("histogram"));
	const groups = runs.flatMap((run) => {
		const rows = rowsOf(run, "histogram");

		return [...new Set(rows.map((row) => row.actor))].map((actor) =>
			({ run, actor, rows: rows.filter((row) => row.actor === actor) }));
	});
	const classes = groups.flatMap((group) => group.rows.map((row) => row.class));
	const low = Math.min(...classes);
	const high = Math.max(...classes) + 1;
	const x = Array.from({ length: high - low + 1 }, (unused, i) => low + i);

	for (const run of runs) {
		const total = sum(rowsOf(run, "histogram"), "count");

		addSums(figure, run, "histogram", [["in all", "count", total, formatCount(total)]]);
	}
	addPlot(figure, {
		scales: { x: { time: false }, y: { range: (u, min, max) => [0, max * 1.05] } },
		cursor: { drag: { x: false, y: false }, points: { size: 6 } },
		axes: [{ ...axis((v) => formatNs(2 ** v)), splits: () => everyOther(low, high) },
			axis(formatShort, 56)],
		series: [{ label: "length", value: (u, v) => v == null ? "-"
			: `${formatNs(2 ** v)} to ${formatNs(2 ** (v + 1))}` },
		...groups.map((group, i) => ({
			label: runLabel(group.run, group.actor),
			stroke: stroke(palette[(i + (runs.length === 1 ? 1 : 0)) % palette.length]),
			fill: stroke("fill"),
			dash: dashes[runs.indexOf(group.run) % dashes.length],
			paths: stepped,
			points: { show: false },
			value: (u, v) => formatCount(v),
		}))],
	}, [x, ...groups.map((group) => x.map((level) =>
		sum(group.rows.filter((row) => row.class === level), "count")))]);
}
