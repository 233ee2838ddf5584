import { connectKeeping } from "../components/keep.js";
import { element } from "../components/page.js";
import { keepLive } from "../components/live.js";

const live = element("live");
connectKeeping(live);
keepLive(live);
