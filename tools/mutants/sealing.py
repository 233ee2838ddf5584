"""What a seal rests on: both assumptions, the suite's name, the version of the envelope."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_SEALED_FILE = "mpc_engine/sharing/sealed.py"
_BROWSER_KEM = "static/js/lib/x_wing.js"
_IN_BROWSER = "tests/js/test_library.py::test_file_passes_in_chromium[sealed.test.js]"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "envelope-version-unread",
        "an envelope of another version is refused by name",
        _SEALED_FILE,
        "    if len(version) == 2 and version != u16(ENVELOPE_VERSION):",
        "    if False:",
        "tests/engine/sharing/test_sealed.py"
        "::test_envelopes_that_are_refused_name_the_reason[model]",
        shows="version 1",
    ),
    Mutant(
        "seal-without-version",
        "what was sealed as version 1 does not open as version 2",
        _SEALED_FILE,
        '_SEALED_AS = b"bj2"',
        '_SEALED_AS = b"bj1"',
        "tests/engine/sharing/test_envelope_vectors.py"
        "::test_context_and_credential_equal_the_vector",
    ),
    Mutant(
        "kem-without-lattice",
        "an envelope is sealed by ML-KEM-768 and X25519 together, not by X25519 alone",
        "mpc_engine/crypto/hpke.py",
        "_SUITE = Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)",
        "_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)",
        "tests/engine/crypto/test_hpke.py::test_a_sealed_vector_opens",
        also=(
            ("decrypt(sealed, self._key, info)", "decrypt(sealed, self._curve, info)"),
            ("    return MLKEM768X25519PublicKey(lattice, curve)\n", "    return curve\n"),
        ),
    ),
    Mutant(
        "browser-kem-without-id",
        "a browser's seal names its KEM: one of another KEM does not open",
        _BROWSER_KEM,
        "  id = 0x647a;",
        "  id = 0x0020;",
        _IN_BROWSER,
    ),
    Mutant(
        "browser-kem-without-lattice",
        "a browser's secret comes of ML-KEM's and of X25519's, not of X25519's alone",
        _BROWSER_KEM,
        "function combined(...parts) {",
        "function combined(lattice, ...parts) {",
        _IN_BROWSER,
    ),
    Mutant(
        "browser-kem-without-label",
        "a browser's secret is bound to the name of the KEM",
        _BROWSER_KEM,
        "sha3(concat(...parts, LABEL))",
        "sha3(concat(...parts))",
        _IN_BROWSER,
        shows="the secret that the X-Wing draft states",
    ),
    Mutant(
        "browser-key-readable",
        "no script reads the X25519 half of the key that models are sealed to",
        _BROWSER_KEM,
        'generateKey(X25519, false, ["deriveBits"])',
        'generateKey(X25519, true, ["deriveBits"])',
        _IN_BROWSER,
        shows="can't be read",
    ),
)
