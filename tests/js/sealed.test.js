import { fromHex, toHex } from "/static/js/lib/bytes.js";
import { canonicalBytes } from "/static/js/lib/canonical.js";
import { keyId, sha256 } from "/static/js/lib/digests.js";
import { padMessage, sealInfo, sealMessage } from "/static/js/lib/sealed.js";
import { assertEqual, readVectors, test } from "./harness.js";
import { layoutOf, openEnvelope, openSeal } from "./vectors.js";

const hpke = await readVectors("hpke");
const sealed = await readVectors("sealed");

test("every sealed vector opens, and its key has the vector's id", async () => {
  for (const entry of hpke.cases) {
    const opened = await openSeal(entry.private_key, fromHex(entry.info), fromHex(entry.sealed));
    assertEqual(toHex(opened), entry.plaintext);
    assertEqual(toHex(await keyId(fromHex(entry.public_key))), entry.key_id);
  }
});

test("padding equals the vector", async () => {
  for (const entry of sealed.padding) {
    const padded = padMessage(fromHex(entry.data));
    assertEqual(padded.length, entry.padded_bytes);
    assertEqual(toHex(await sha256(padded)), entry.digest);
  }
});

for (const entry of sealed.cases) {
  test(`a ${entry.purpose} is sealed to its party and context`, async () => {
    const { studyId, configDigest } = layoutOf(sealed.study);
    const { purpose, role } = entry;
    const key = sealed.party_keys[role];
    const recordId = fromHex(entry.object_id);
    const context = { purpose, role, studyId, configDigest, keyId: fromHex(key.key_id), recordId };
    assertEqual(toHex(sealInfo(context)), entry.info);
    assertEqual(toHex(padMessage(canonicalBytes(entry.value))), entry.plaintext);
    const stored = await openEnvelope(key.private_key, fromHex(entry.info), fromHex(entry.envelope));
    assertEqual(toHex(stored), entry.plaintext);
    const made = await sealMessage(context, fromHex(key.public_key), entry.value);
    assertEqual(toHex(made.slice(0, 18)), entry.envelope.slice(0, 36));
    const opened = await openEnvelope(key.private_key, fromHex(entry.info), made);
    assertEqual(toHex(opened), entry.plaintext);
  });
}
