import { drawAll } from "../charts/figure.js";

await drawAll();
