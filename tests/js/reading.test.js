import { UsageError } from "/static/js/lib/errors.js";
import { readChosen } from "/static/js/lib/reading.js";
import { assertEqual, test } from "./harness.js";

for (const name of ["NotFoundError", "NotReadableError"]) {
  test(`a file that is gone (${name}) has a code of its own, not the browser's number`, async () => {
    const error = await readChosen(Promise.reject(new DOMException("gone", name))).catch((it) => it);
    assertEqual(error instanceof UsageError, true);
    assertEqual(error.code, "FILE_CHANGED");
  });
}

test("what is there is read, and other errors stay what they are", async () => {
  assertEqual(await readChosen(new Blob(["text"]).text()), "text");
  const other = new UsageError("ELSE");
  assertEqual(await readChosen(Promise.reject(other)).catch((it) => it), other);
});
