import { toHex, utf8 } from "/static/js/lib/bytes.js";
import { ownerKeyFor, rememberSubmission, rememberedSubmissions } from "/static/js/lib/owner.js";
import { assertEqual, assertSame, test } from "./harness.js";

const ECDSA = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING = { name: "ECDSA", hash: "SHA-256" };

test("a record keeps its key, and another record has another", async () => {
  const first = await ownerKeyFor("aa", "01");
  const again = await ownerKeyFor("aa", "01");
  assertEqual(first.publicKey.length, 65);
  assertEqual(toHex(again.publicKey), toHex(first.publicKey));
  for (const [study, record] of [["aa", "02"], ["bb", "01"]]) {
    const other = await ownerKeyFor(study, record);
    assertEqual(toHex(other.publicKey) === toHex(first.publicKey), false);
  }
});

test("two pages that ask at once get one key", async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => ownerKeyFor("ee", "01")));
  assertEqual(new Set(keys.map(({ publicKey }) => toHex(publicKey))).size, 1);
});

test("what the key signs verifies under its raw public half", async () => {
  const { publicKey, sign } = await ownerKeyFor("cc", "01");
  const key = await crypto.subtle.importKey("raw", publicKey, ECDSA, false, ["verify"]);
  const signature = await sign(utf8("message"));
  assertEqual(signature.length, 64);
  assertEqual(await crypto.subtle.verify(SIGNING, key, signature, utf8("message")), true);
});

test("submissions are remembered beside the key, oldest first", async () => {
  assertSame(await rememberedSubmissions("dd", "01"), []);
  const { publicKey } = await ownerKeyFor("dd", "01");
  const submissions = [0, 1].map((sequence) => ({
    submissionId: `${sequence}`, sequence, commonDigest: "ab",
  }));
  for (const submission of submissions) await rememberSubmission("dd", "01", submission);
  assertSame(await rememberedSubmissions("dd", "01"), submissions);
  assertEqual(toHex((await ownerKeyFor("dd", "01")).publicKey), toHex(publicKey));
});
