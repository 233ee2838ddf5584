export { Keccak, sha3_256, sha3_512, shake128, shake256 } from "./sha3/sha3.js";
