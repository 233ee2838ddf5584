import { toHex } from "/static/js/lib/bytes.js";
import { committedRecord } from "/static/js/lib/data_commitment.js";
import { assertEqual, test } from "./harness.js";

test("records follow from the root as they do in the engine", async () => {
  const root = Uint8Array.from({ length: 32 }, (_, k) => k);
  assertEqual(toHex(await committedRecord(root, 0)), "f7600f757c0079cff3d48ad59fbc9ff6");
  assertEqual(toHex(await committedRecord(root, 258)), "e4b821e3eae36d9f71710628d431c87d");
});
