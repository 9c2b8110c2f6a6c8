/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.js - puts the plots into the page, and definitions before the reader. */
"use strict";

function addPlots() {
	if (hasRows("timeline") || hasRows("zones"))
		addZoomBar();
	zoneNames().forEach(addZone);
	if (hasRows("timeline"))
		addReclaim();
	if (hasRows("stalls"))
		addStalls();
	runs.filter((run) => run.sets.map.rows.length).forEach(addMap);
	if (hasRows("throttles"))
		addThrottles();
	if (hasRows("refaults"))
		addRefaults();
	if (hasRows("histogram"))
		addHistogram();
	if (hasRows("tasks"))
		addTasks();
	if (hasRows("wakers"))
		addWakers();
	zoomTo(0, longest);
}

/* The definition that a link names, over the page. */
function showDefinition(id) {
	const section = document.getElementById(id);
	const dialog = element("dialog");
	const close = element("button", "close", "close");

	if (!section)
		return;
	close.type = "button";
	close.addEventListener("click", () => dialog.close());
	dialog.append(close, ...[...section.childNodes].map((node) => node.cloneNode(true)));
	dialog.addEventListener("close", () => dialog.remove());
	dialog.addEventListener("click", (e) => {
		if (e.target === dialog)
			dialog.close();
	});
	document.body.append(dialog);
	dialog.showModal();
}

document.addEventListener("click", (e) => {
	const link = e.target.closest("a.definition");

	if (!link)
		return;
	e.preventDefault();
	showDefinition(link.getAttribute("href").slice(1));
});

addPlots();
