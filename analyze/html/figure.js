/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure.js - a plot with its title, its definition and what it adds up to. */
"use strict";

const PLOT_HEIGHT = 220;

function definitionLink(view) {
	const a = element("a", "definition", "what is this?");

	a.href = "#view-" + view;
	return a;
}

/* An empty figure at the end of the plots. */
function addFigure(title, view, note) {
	const figure = element("figure");
	const caption = element("figcaption");
	const heading = element("h3", null, title);

	heading.append(" ", definitionLink(view));
	caption.append(heading);
	if (note)
		caption.append(element("p", "note", note));
	figure.append(caption);
	document.getElementById("plots").append(figure);
	return figure;
}

/* Sums below the title, one a run: parts are [label, name, value, text]. */
function addSums(figure, run, key, parts) {
	const p = element("p", "sums");

	if (!parts.length)
		return;
	if (runs.length > 1)
		p.append(element("b", null, shortName(run) + " "));
	parts.forEach(([label, name, value, text], i) => {
		p.append((i ? ", " : "") + label + " ",
			dataElement(`${key}-${name}-${runs.indexOf(run)}`, value, text));
	});
	figure.querySelector("figcaption").append(p);
}

/* @size: width of the labels at a side, or height of those below. */
function axis(format, size = 32) {
	return {
		stroke: stroke("muted"),
		grid: { stroke: stroke("grid"), width: 1 },
		ticks: { stroke: stroke("grid"), width: 1 },
		font: "11px system-ui, sans-serif",
		values: (u, splits) => splits.map((v) => (v == null ? "" : format(v))),
		size,
	};
}

/* Draw @data into the figure. Options are those of uPlot; the plot keeps the figure's width. */
function addPlot(figure, options, data) {
	const box = element("div", "plot");

	figure.append(box);
	const plot = new uPlot({ width: box.clientWidth, height: PLOT_HEIGHT, ...options }, data, box);

	plots.push(plot);
	new ResizeObserver(() => {
		if (box.clientWidth && box.clientWidth !== plot.width)
			plot.setSize({ width: box.clientWidth, height: PLOT_HEIGHT });
	}).observe(box);
	return plot;
}
