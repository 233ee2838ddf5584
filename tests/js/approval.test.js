import { fromBase64, fromHex, toHex } from "/static/js/lib/bytes.js";
import {
  approvalMessage,
  forgetApprover,
  importApprover,
  keptApprover,
  signApproval,
} from "/static/js/lib/approval.js";
import { assertEqual, assertRefused, readVectors, test } from "./harness.js";

const { approvals } = await readVectors("signatures");
const ECDSA = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING = { name: "ECDSA", hash: "SHA-256" };

async function verifies(entry, signature) {
  const publicKey = await crypto.subtle.importKey(
    "raw", fromHex(entry.public_key), ECDSA, false, ["verify"],
  );
  return crypto.subtle.verify(SIGNING, publicKey, signature, fromHex(entry.message));
}

test("the signed bytes equal the vector, and the vector's signature verifies", async () => {
  for (const entry of approvals) {
    assertEqual(toHex(await approvalMessage(entry.kind, entry.text)), entry.message);
    assertEqual(await verifies(entry, fromHex(entry.signature)), true);
  }
});

test("an approver signs with the imported key", async () => {
  for (const entry of approvals) {
    const approver = await importApprover(JSON.stringify(entry.approver), entry.approver.role);
    const approval = await signApproval(approver, entry.kind, entry.text);
    assertEqual(approval.role, entry.approver.role);
    assertEqual(approval.key_id, entry.approver.key_id);
    assertEqual(await verifies(entry, fromBase64(approval.signature)), true);
  }
});

test("a kept key signs and cannot be read out, until it is forgotten", async () => {
  const entry = approvals[0];
  const { role } = entry.approver;
  await importApprover(JSON.stringify(entry.approver), role);
  const kept = await keptApprover(role);
  assertEqual(kept.keyId, entry.approver.key_id);
  assertEqual(kept.privateKey.extractable, false);
  for (const format of ["jwk", "pkcs8"]) {
    const exported = await crypto.subtle.exportKey(format, kept.privateKey).catch((e) => e.name);
    assertEqual(exported, "InvalidAccessError");
  }
  const approval = await signApproval(kept, entry.kind, entry.text);
  assertEqual(await verifies(entry, fromBase64(approval.signature)), true);
  await forgetApprover(role);
  assertEqual(await keptApprover(role), null);
});

test("a file that is no approver's of this party is refused", async () => {
  const { approver } = approvals[0];
  const other = approvals[1].approver;
  const { x, y, d } = approver.private_key;
  for (const broken of [
    "", "x", "null", "[]", "{}",
    { ...approver, format: "bj1 party" },
    { ...approver, role: "person" },
    { ...approver, key_id: other.key_id },
    { ...approver, private_key: undefined },
    { ...approver, private_key: { kty: "EC", crv: "P-256", x, y } },
    { ...approver, private_key: { ...approver.private_key, crv: "P-384" } },
    { ...approver, private_key: { ...other.private_key, d } },
  ]) {
    const text = typeof broken === "string" ? broken : JSON.stringify(broken);
    await assertRefused("APPROVER_FILE_BROKEN", () => importApprover(text, approver.role), text);
  }
  await assertRefused("APPROVER_OF_OTHER_PARTY", () =>
    importApprover(JSON.stringify(approver), other.role),
  );
});
