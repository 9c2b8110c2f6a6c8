/* SPDX-License-Identifier: GPL-2.0-or-later */
/* theme.js - colours come from the style sheet, so plots follow light, dark and paper. */
"use strict";

const plots = [];

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/* The colour of a line, which is looked up each time that it is drawn. */
function stroke(name) {
	return () => colour(name);
}

const palette = ["kswapd", "direct", "other", "fourth", "fifth", "sixth"];
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3]];

function redrawPlots() {
	for (const plot of plots)
		plot.redraw(false, true);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawPlots);
addEventListener("beforeprint", () => {
	document.documentElement.classList.add("paper");
	redrawPlots();
});
addEventListener("afterprint", () => {
	document.documentElement.classList.remove("paper");
	redrawPlots();
});
