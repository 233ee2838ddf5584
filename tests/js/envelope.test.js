import { fromHex, toHex } from "/static/js/lib/bytes.js";
import { sha256 } from "/static/js/lib/digests.js";
import { composePlaintexts } from "/static/js/lib/envelope.js";
import { ROLES } from "/static/js/lib/layout.js";
import { systemRandomness } from "/static/js/lib/random.js";
import { seal, sealInfo } from "/static/js/lib/sealed.js";
import { prepareSubmission, submissionMessage } from "/static/js/lib/sharing.js";
import { assertEqual, assertRefused, readVectors, test } from "./harness.js";
import { layoutOf, listed, openEnvelope, ownerOf } from "./vectors.js";

const vectors = await readVectors("envelopes");

const partyKeys = Object.fromEntries(
  ROLES.map((role) => {
    const { key_id: keyId, public_key: publicKey } = vectors.party_keys[role];
    return [role, { keyId: fromHex(keyId), publicKey: fromHex(publicKey) }];
  }),
);

/** The seal's context of one share of a case. */
function contextOf(entry, role) {
  const { studyId, configDigest } = layoutOf(entry.study);
  return {
    purpose: "submission",
    role,
    studyId,
    configDigest,
    keyId: partyKeys[role].keyId,
    recordId: fromHex(entry.record_id),
    submissionId: fromHex(entry.submission_id),
    sequence: entry.sequence,
  };
}

function submissionOf(entry) {
  return {
    answers: entry.answers,
    features: entry.features,
    label: entry.label,
    recordId: fromHex(entry.record_id),
    invitationCode: fromHex(entry.invitation_code),
    sequence: entry.sequence,
  };
}

for (const entry of vectors.cases) {
  test(`both shares equal the vector: ${entry.name}`, async () => {
    const random = listed(entry.randomness);
    const submissionId = random(16);
    const ownerPublicKey = fromHex(entry.owner_public_key);
    const { common, plaintexts } = await composePlaintexts(
      layoutOf(entry.study),
      { ...submissionOf(entry), submissionId, ownerPublicKey },
      random,
    );
    assertEqual(random.left(), 0);
    assertEqual(toHex(common), entry.common);
    assertEqual(toHex(await sha256(common)), entry.common_digest);
    for (const role of ROLES) assertEqual(toHex(plaintexts[role]), entry.shares[role], role);
  });

  test(`context and signed message equal the vector: ${entry.name}`, async () => {
    for (const role of ROLES) {
      assertEqual(toHex(sealInfo(contextOf(entry, role))), entry.infos[role], role);
    }
    const digests = await Promise.all(
      ROLES.map((role) => sha256(fromHex(entry.envelopes[role]))),
    );
    const message = submissionMessage(fromHex(entry.common_digest), ...digests);
    assertEqual(toHex(message), entry.signed_message);
  });

  test(`the vector's envelopes open here: ${entry.name}`, async () => {
    for (const role of ROLES) {
      const opened = await openEnvelope(
        vectors.party_keys[role],
        fromHex(entry.infos[role]),
        fromHex(entry.envelopes[role]),
      );
      assertEqual(toHex(opened), entry.shares[role], role);
    }
  });

  test(`a prepared submission seals the same shares and is signed: ${entry.name}`, async () => {
    const { ownerKey, verify } = await ownerOf(entry.owner_secret, entry.owner_public_key);
    const prepared = await prepareSubmission(
      layoutOf(entry.study),
      { ...submissionOf(entry), ownerKey, partyKeys },
      listed(entry.randomness),
    );
    assertEqual(toHex(prepared.submissionId), entry.submission_id);
    assertEqual(toHex(prepared.commonDigest), entry.common_digest);
    const digests = [];
    for (const role of ROLES) {
      const opened = await openEnvelope(
        vectors.party_keys[role],
        fromHex(entry.infos[role]),
        prepared.envelopes[role],
      );
      assertEqual(toHex(opened), entry.shares[role], role);
      digests.push(await sha256(prepared.envelopes[role]));
    }
    const message = submissionMessage(prepared.commonDigest, ...digests);
    assertEqual(await verify(prepared.signature, message), true);
  });
}

const layout = {
  studyId: new Uint8Array(16),
  configDigest: new Uint8Array(32),
  categoryCounts: [3, 3],
  dataHolder: "regulator",
  dataByFile: false,
  featureRanges: [[-5, 5], [0, 9]],
};
const honest = {
  answers: [0, 1],
  features: [5, 0],
  label: 1,
  recordId: new Uint8Array(16),
  submissionId: new Uint8Array(16),
  invitationCode: new Uint8Array(16),
  sequence: 0,
  ownerPublicKey: new Uint8Array(65),
};
const compose = (other, of = layout) =>
  composePlaintexts(of, { ...honest, ...other }, systemRandomness);

test("what intake would refuse is not sent", async () => {
  for (const [code, other] of [
    ["ANSWER_MISSING", { answers: [0] }],
    ["ANSWER_MISSING", { answers: [0, 1, 0] }],
    ["ANSWER_UNKNOWN", { answers: [0, 3] }],
    ["ANSWER_UNKNOWN", { answers: [-1, 0] }],
    ["ANSWER_UNKNOWN", { answers: [0, undefined] }],
    ["VALUE_MISSING", { features: null }],
    ["VALUE_MISSING", { features: [5] }],
    ["VALUE_OUT_OF_RANGE", { features: [6, 0] }],
    ["VALUE_OUT_OF_RANGE", { features: [0, -1] }],
    ["VALUE_OUT_OF_RANGE", { features: [0, 0.5] }],
    ["LABEL_UNKNOWN", { label: 2 }],
    ["WRONG_LENGTH", { recordId: new Uint8Array(15) }],
    ["WRONG_LENGTH", { invitationCode: new Uint8Array(17) }],
    ["NUMBER_OUT_OF_RANGE", { sequence: -1 }],
    ["NUMBER_OUT_OF_RANGE", { sequence: 2 ** 32 }],
  ]) {
    await assertRefused(code, () => compose(other), JSON.stringify(other));
  }
  await assertRefused("DATA_COME_BY_FILE", () => compose({}, { ...layout, dataByFile: true }));
});

test("lengths say nothing about the answer", async () => {
  const sizes = new Set();
  for (const answers of [[0, 0], [1, 2], [2, 2]]) {
    for (const label of [0, 1, null]) {
      const { plaintexts } = await compose({ answers, label });
      sizes.add(`${plaintexts.modeler.length} ${plaintexts.regulator.length}`);
    }
  }
  assertEqual(sizes.size, 1);
});

test("a seal is refused to a key that is none", async () => {
  const context = contextOf(vectors.cases[0], "modeler");
  const text = new Uint8Array(3);
  await assertRefused("PUBLIC_KEY_UNUSABLE", () => seal(context, new Uint8Array(1216), text));
  const { publicKey } = partyKeys.modeler;
  await assertRefused("WRONG_LENGTH", () => seal({ ...context, keyId: text }, publicKey, text));
});
