import { fromHex, toHex } from "/static/js/lib/bytes.js";
import { canonicalBytes } from "/static/js/lib/canonical.js";
import { keyId, sha256 } from "/static/js/lib/digests.js";
import { hpkeOpen, hpkeSeal } from "/static/js/lib/hpke.js";
import { openMessage, padMessage, sealInfo, sealMessage } from "/static/js/lib/sealed.js";
import { generateKeys, XWing } from "/static/js/lib/x_wing.js";
import { assertEqual, assertRefused, readVectors, test } from "./harness.js";
import { keysOf, layoutOf, openEnvelope, openSeal } from "./vectors.js";

const hpke = await readVectors("hpke");
const sealed = await readVectors("sealed");

test("every sealed vector opens, and its key has the vector's id", async () => {
  for (const entry of hpke.cases) {
    const opened = await openSeal(entry, fromHex(entry.info), fromHex(entry.sealed));
    assertEqual(toHex(opened), entry.plaintext);
    assertEqual(toHex(await keyId(fromHex(entry.public_key))), entry.key_id);
  }
});

test("a recipient's key makes the secret that the X-Wing draft states", async () => {
  for (const entry of hpke.x_wing) {
    const recipientKey = await keysOf(entry);
    const secret = await new XWing().decap({ recipientKey, enc: fromHex(entry.enc) });
    assertEqual(toHex(new Uint8Array(secret)), entry.shared_secret);
  }
});

test("a key that is drawn opens what is sealed to it, and its X25519 half can't be read", async () => {
  const { publicKey, keys } = await generateKeys();
  const [info, plaintext] = [fromHex("69"), fromHex("6d657373616765")];
  const made = await Promise.all([1, 2].map(() => hpkeSeal(publicKey, info, plaintext)));
  for (const one of made) {
    assertEqual(one.length, plaintext.length + 1136);
    assertEqual(toHex(await hpkeOpen(keys, info, one)), toHex(plaintext));
  }
  const [first, second] = made.map((one) => [one.slice(0, 1088), one.slice(1088, 1120)].map(toHex));
  assertEqual(first.some((half, index) => half === second[index]), false);
  assertEqual(keys.curve.privateKey.extractable, false);
  const { keys: other } = await generateKeys();
  await assertRefused("SEAL_NOT_OPENED", () => hpkeOpen(other, info, made[0]));
});

for (const entry of hpke.refused_seals) {
  test(`a seal is refused: ${entry.name}`, async () => {
    const [info, bytes] = [fromHex(entry.info), fromHex(entry.sealed)];
    await assertRefused("SEAL_NOT_OPENED", () => openSeal(entry, info, bytes));
  });
}

for (const entry of hpke.refused_public_keys) {
  test(`a key is refused: ${entry.name}`, async () => {
    const nothing = new Uint8Array(0);
    const publicKey = fromHex(entry.public_key);
    await assertRefused("PUBLIC_KEY_UNUSABLE", () => hpkeSeal(publicKey, nothing, nothing));
  });
}

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
    const stored = await openEnvelope(key, fromHex(entry.info), fromHex(entry.envelope));
    assertEqual(toHex(stored), entry.plaintext);
    const made = await sealMessage(context, fromHex(key.public_key), entry.value);
    assertEqual(toHex(made.slice(0, 18)), entry.envelope.slice(0, 36));
    const opened = await openEnvelope(key, fromHex(entry.info), made);
    assertEqual(toHex(opened), entry.plaintext);
    const keys = await keysOf(key);
    const body = await openMessage(context, keys, fromHex(entry.envelope));
    assertEqual(toHex(body), toHex(canonicalBytes(entry.value)));
    for (const { name, envelope } of entry.refused_envelopes) {
      await assertRefused("SEAL_NOT_OPENED", () => openMessage(context, keys, fromHex(envelope)), name);
    }
  });
}
