/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.js - numbers as people read them, and elements of the page. Names from a trace only ever
 * become the text of an element. */
"use strict";

function formatCount(value) {
	return value == null ? "-" : Math.round(value).toLocaleString("en-US");
}

function formatScaled(value, units, base) {
	let i = 0;

	while (i + 1 < units.length && Math.abs(value) >= base) {
		value /= base;
		i++;
	}
	return Number(value.toPrecision(3)) + units[i];
}

function formatShort(value) {
	return value == null ? "-" : formatScaled(value, ["", " k", " M", " G"], 1000);
}

function formatNs(value) {
	return value == null ? "-" : formatScaled(value, [" ns", " µs", " ms", " s"], 1000);
}

function formatPages(value) {
	return value == null ? "-" : formatCount(value) + " pages";
}

function formatPagesPerSecond(value) {
	return value == null ? "-" : formatCount(value) + " pages/s";
}

function element(tag, className, text) {
	const e = document.createElement(tag);

	if (className)
		e.className = className;
	if (text != null)
		e.textContent = text;
	return e;
}

/* A value that programs can read as it is: <data value="1234">1,234</data>. */
function dataElement(name, value, text) {
	const e = element("data", null, text);

	e.id = name;
	e.value = value;
	return e;
}
