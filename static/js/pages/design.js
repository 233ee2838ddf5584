import { element } from "../components/page.js";

for (const button of document.querySelectorAll("[data-dialog]")) {
  button.hidden = false;
  button.addEventListener("click", () => element(button.dataset.dialog).showModal());
}
