/**
 * What the pinned suite needs of the vendored package `@hpke/common`: the whole of it brings curves
 * and hashes of other suites along, which no browser has to fetch. Bare imports of the package lead
 * here (`portals/modules.py`); a name that is missing here fails when a module is linked.
 */

export { NativeAlgorithm } from "../../vendor/hpke/1.9.0/common/src/algorithm.js";
export { EMPTY, INFO_LENGTH_LIMIT, INPUT_LENGTH_LIMIT, MINIMUM_PSK_LENGTH } from "../../vendor/hpke/1.9.0/common/src/consts.js";
export * from "../../vendor/hpke/1.9.0/common/src/errors.js";
export { AeadId, Mode } from "../../vendor/hpke/1.9.0/common/src/identifiers.js";
export { AEAD_USAGES } from "../../vendor/hpke/1.9.0/common/src/interfaces/aeadEncryptionContext.js";
export { HkdfSha256Native, toArrayBuffer, toUint8Array } from "../../vendor/hpke/1.9.0/common/src/kdfs/hkdf.js";
export { i2Osp, xor } from "../../vendor/hpke/1.9.0/common/src/utils/misc.js";
