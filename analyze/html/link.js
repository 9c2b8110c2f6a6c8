/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link.js - plots over time share one window and one cursor. */
"use strict";

const linked = [];
let shown = [0, longest];
let zooming = false;

function zoomTo(min, max) {
	const width = Math.min(longest, Math.max(max - min, longest / 1e6));

	min = Math.max(0, Math.min(min, longest - width));
	shown = [min, min + width];
	zooming = true;
	for (const plot of linked)
		plot.setScale("x", { min: shown[0], max: shown[1] });
	zooming = false;
}

/* Move by a part of the window, or make it so many times as wide. */
function zoomBy(move, scale) {
	const width = shown[1] - shown[0];
	const middle = shown[0] + width / 2 + move * width;

	zoomTo(middle - (width * scale) / 2, middle + (width * scale) / 2);
}

/* Seconds in which events were lost are shaded, in every plot. */
function shadeLosses(u) {
	const { left, top, width, height } = u.bbox;

	u.ctx.save();
	u.ctx.beginPath();
	u.ctx.rect(left, top, width, height);
	u.ctx.clip();
	u.ctx.fillStyle = colour("loss");
	for (const run of runs)
		for (const loss of rowsOf(run, "losses")) {
			const from = u.valToPos(loss.second, "x", true);
			const to = u.valToPos(loss.second + run.step, "x", true);

			u.ctx.fillRect(from, top, Math.max(1, to - from), height);
		}
	u.ctx.restore();
}

function timeOptions(yAxis, scales) {
	return {
		scales: { x: { time: false }, ...scales },
		cursor: {
			sync: { key: "time", scales: ["x", null] },
			drag: { x: true, y: false },
			points: { size: 6 },
			bind: { dblclick: () => () => zoomTo(0, longest) },
		},
		axes: [axis((v) => Number(v.toPrecision(6)) + " s"), yAxis],
		hooks: {
			drawClear: [shadeLosses],
			setScale: [(u, key) => {
				if (key === "x" && !zooming && linked.includes(u))
					zoomTo(u.scales.x.min, u.scales.x.max);
			}],
		},
	};
}

function timeSeries() {
	return { label: "time", value: (u, v) => (v == null ? "-" : v.toFixed(3) + " s") };
}

/* Two fingers on a plot: their distance is the width of the window. */
function pinch(box) {
	let last = null;

	const spread = (e) => Math.abs(e.touches[0].clientX - e.touches[1].clientX);
	box.addEventListener("touchstart", (e) => {
		last = e.touches.length === 2 ? spread(e) : null;
	}, { passive: true });
	box.addEventListener("touchmove", (e) => {
		if (e.touches.length !== 2 || !last)
			return;
		e.preventDefault();
		zoomBy(0, last / Math.max(10, spread(e)));
		last = Math.max(10, spread(e));
	}, { passive: false });
}

function addTimePlot(figure, options, data) {
	const plot = addPlot(figure, options, data);

	linked.push(plot);
	pinch(plot.root);
	return plot;
}

function addZoomBar() {
	const bar = element("nav", "zoom");
	const button = (text, title, action) => {
		const b = element("button", null, text);

		b.title = title;
		b.type = "button";
		b.addEventListener("click", action);
		bar.append(b);
	};

	button("−", "a wider window", () => zoomBy(0, 2));
	button("+", "a narrower window", () => zoomBy(0, 0.5));
	button("←", "earlier", () => zoomBy(-0.5, 1));
	button("→", "later", () => zoomBy(0.5, 1));
	button("all", "the whole run", () => zoomTo(0, longest));
	bar.append(element("span", "hint", "drag over a plot to zoom into all of them"));
	if (hasRows("losses")) {
		const legend = element("span", "lost", "shaded: events were lost ");

		legend.append(definitionLink(viewOf("losses")));
		bar.append(legend);
	}
	document.getElementById("plots").append(bar);
}
