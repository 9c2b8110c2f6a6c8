/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runs.js - the data that the program put into the page, by run, set and column. */
"use strict";

const runs = JSON.parse(document.getElementById("runs").textContent);
const longest = Math.max(1e-6, ...runs.map((run) => run.seconds));

/* Rows of a set as objects. */
function rowsOf(run, key) {
	const set = run.sets[key];

	return set.rows.map((row) =>
		Object.fromEntries(set.columns.map((name, i) => [name, row[i]])));
}

function viewOf(key) {
	return runs[0].sets[key].view;
}

function hasRows(key) {
	return runs.some((run) => run.sets[key].rows.length > 0);
}

function sum(rows, column) {
	return rows.reduce((total, row) => total + (row[column] || 0), 0);
}

/* What tells a run from the others in front of a label; nothing where there is one. */
function runLabel(run, text) {
	return runs.length > 1 ? shortName(run) + ": " + text : text;
}

/* The last parts of a name of a file, as many as tell the runs apart. */
function shortName(run) {
	const tail = (name, n) => name.split("/").slice(-n).join("/");

	for (let n = 1; n < 8; n++)
		if (new Set(runs.map((r) => tail(r.name, n))).size === runs.length)
			return tail(run.name, n);
	return "run " + (runs.indexOf(run) + 1);
}

/* Values a second on the grid of the run; a second without a row is 0. The last value stands twice,
 * so that a stepped line has its full length. */
function perSecond(run, rows, column) {
	const count = Math.ceil(run.seconds / run.step);
	const values = new Array(count + 1).fill(0);

	for (const row of rows)
		values[Math.min(count, Math.floor(row.second / run.step))] += row[column] / run.step;
	values[count] = count ? values[count] || values[count - 1] : 0;
	return [values.map((v, i) => Math.min(i * run.step, run.seconds)), values];
}
