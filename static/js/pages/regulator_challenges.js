import { drawAll } from "../charts/figure.js";
import { element } from "../components/page.js";
import { keepLive } from "../components/live.js";

keepLive(element("live"), drawAll);
await drawAll();
