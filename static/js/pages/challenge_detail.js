import { saveFile } from "../components/files.js";
import { element } from "../components/page.js";
import { keepLive } from "../net/live.js";

const live = element("live");
live.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-save]");
  if (button) saveFile(button.dataset.file, element(button.dataset.save).textContent);
});
keepLive(live);
