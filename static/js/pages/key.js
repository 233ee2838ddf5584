import { runKeyPage } from "../components/key_page.js";

await runKeyPage();
