import { toHex } from "/static/js/lib/bytes.js";
import { caseId } from "/static/js/lib/case_id.js";
import { assertEqual, test } from "./harness.js";

test("a record makes the case that the Python client makes of it", async () => {
  assertEqual(toHex(await caseId("ab".repeat(64))), "4cf0b97e6f93ff8ae1533e467c4f6015");
});

test("another record makes another case", async () => {
  assertEqual(toHex(await caseId("ab".repeat(64))) === toHex(await caseId("ac".repeat(64))), false);
});
