/**
 * The contents of a page: lists the sections that have something in them now, and marks the one
 * being read. Markup: `<ul id="contents">` of `<li><a href="#section">`.
 */

const READING_LINE = 0.25; // of the window's height: what is being read reaches this far up

/**
 * @param {HTMLElement} contents
 * @returns {() => void} brings the list up to date after sections came, went or moved
 */
export function followContents(contents) {
  const links = [...contents.querySelectorAll("a")];
  let waits = false;

  function update() {
    waits = false;
    for (const link of links) link.parentElement.hidden = !sectionOf(link)?.childElementCount;
    const current = beingRead(links.filter(({ parentElement }) => !parentElement.hidden));
    for (const link of links) {
      if (link === current) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  }

  function soon() {
    if (!waits) requestAnimationFrame(update);
    waits = true;
  }

  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  update();
  return soon;
}

/**
 * The last section that begins above the reading line; at the very end of the page, the last.
 * @param {HTMLAnchorElement[]} links in the order of their sections
 */
function beingRead(links) {
  const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
  if (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1) return links.at(-1);
  const line = READING_LINE * clientHeight;
  return links.findLast((link) => sectionOf(link).getBoundingClientRect().top <= line) ?? links[0];
}

/** @param {HTMLAnchorElement} link */
function sectionOf(link) {
  return document.getElementById(link.hash.slice(1));
}
