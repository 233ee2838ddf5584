/**
 * Days as every page of the site writes them: one form, with the zone.
 */

/** @param {string} time ISO @returns {string} such as "29 November 2026 (UTC)" */
export function dayText(time) {
  const { lang } = document.documentElement;
  const form = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, {
    dateStyle: "long",
    timeZone: "UTC",
  });
  return `${form.format(new Date(time))} (UTC)`;
}
