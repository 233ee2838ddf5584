import { isolated } from "/static/js/lib/isolation.js";
import { doublet, likeness, textFault } from "/static/js/lib/names.js";
import { assertEqual, readVectors, test } from "./harness.js";

const vectors = await readVectors("names");

test("what hides or turns text is refused", () => {
  for (const { text, fault } of vectors.texts) assertEqual(textFault(text), fault, text);
});

test("names that look the same are one", () => {
  for (const family of vectors.alike) {
    for (const name of family) assertEqual(likeness(name), likeness(family[0]), name);
    assertEqual(doublet(["another", ...family]), family[1]);
  }
});

test("other names stay apart", () => {
  assertEqual(doublet(vectors.different), undefined);
});

test("a name that turns text is isolated", () => {
  for (const { text, isolated: expected } of vectors.isolated) assertEqual(isolated(text), expected);
});
