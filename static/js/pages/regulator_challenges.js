import { element } from "../components/page.js";
import { keepLive } from "../net/live.js";

keepLive(element("live"));
