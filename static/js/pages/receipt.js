import { connectKeeping } from "../components/keep.js";

connectKeeping(document);
