import { fromHex, toHex } from "/static/js/lib/bytes.js";
import {
  credential,
  invitationList,
  invitationPath,
  makeInvitations,
  parseInvitation,
} from "/static/js/lib/invitation.js";
import { ROLES } from "/static/js/lib/layout.js";
import { assertEqual, assertRefused, readVectors, test } from "./harness.js";
import { listed } from "./vectors.js";

const vectors = await readVectors("invitations");
const invitations = makeInvitations(vectors.cases.length, listed(vectors.randomness));

test("codes, credentials and links equal the vectors", async () => {
  for (const [index, entry] of vectors.cases.entries()) {
    const invitation = invitations[index];
    assertEqual(toHex(invitation.recordId), entry.record_id);
    assertEqual(toHex(invitation.code), entry.code);
    assertEqual(invitationPath(vectors.study_id, invitation), entry.path);
    for (const role of ROLES) {
      assertEqual(toHex(await credential(fromHex(entry.code), role)), entry.credentials[role]);
    }
    for (const fragment of [entry.path.split("#")[1], `#${entry.path.split("#")[1]}`]) {
      const parsed = parseInvitation(fragment);
      assertEqual(toHex(parsed.recordId), entry.record_id);
      assertEqual(toHex(parsed.code), entry.code);
    }
  }
});

test("the lists of credentials equal the vectors, in whatever order people were invited", async () => {
  for (const order of [invitations, [...invitations].reverse()]) {
    for (const role of ROLES) {
      const text = await invitationList(role, vectors.study_id, vectors.configuration, order);
      assertEqual(text, vectors.lists[role]);
    }
  }
});

test("a link that is not whole is refused", async () => {
  for (const fragment of vectors.refused_fragments) {
    await assertRefused("INVITATION_INCOMPLETE", () => parseInvitation(fragment), fragment);
  }
});

test("no two invitations are alike", () => {
  const drawn = makeInvitations(500);
  const texts = drawn.flatMap(({ recordId, code }) => [toHex(recordId), toHex(code)]);
  assertEqual(new Set(texts).size, 1000);
});
