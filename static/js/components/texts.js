/**
 * Sentences that scripts show. They stand translated in `<template data-texts>` elements of the
 * page, one child per key; `{name}` marks a value.
 */

import { isolated } from "../lib/isolation.js";

/** @type {Map<string, string>} */
const sentences = new Map();

for (const template of document.querySelectorAll("template[data-texts]")) {
  for (const item of template.content.querySelectorAll("[data-text]")) {
    sentences.set(item.dataset.text, item.textContent.trim().replace(/\s+/g, " "));
  }
}

/** @param {string} key @returns {boolean} whether the page carries this sentence */
export function hasText(key) {
  return sentences.has(key);
}

/**
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function text(key, values = {}) {
  const sentence = sentences.get(key) ?? key;
  return sentence.replace(/\{(\w+)\}/g, (mark, name) => isolated(String(values[name] ?? mark)));
}
