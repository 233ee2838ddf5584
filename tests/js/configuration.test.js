import { toHex } from "/static/js/lib/bytes.js";
import { configurationDigest, readStudy } from "/static/js/lib/configuration.js";
import { ROLES } from "/static/js/lib/layout.js";
import { assertEqual, assertRefused, assertSame, readVectors, test } from "./harness.js";

const vectors = await readVectors("study");

test("a configuration gives the vector's layout and keys", async () => {
  for (const entry of vectors.cases) {
    const { layout, partyKeys, configuration } = await readStudy(entry.text);
    assertEqual(toHex(await configurationDigest(entry.text)), entry.digest);
    assertEqual(toHex(layout.configDigest), entry.digest);
    assertEqual(toHex(layout.studyId), configuration.study_id);
    assertSame(layout.categoryCounts, entry.category_counts);
    assertEqual(layout.dataHolder, entry.data_holder);
    assertEqual(layout.dataByFile, entry.data_by_file);
    assertSame(layout.featureRanges, entry.feature_ranges);
    for (const role of ROLES) {
      assertEqual(toHex(partyKeys[role].keyId), entry.party_keys[role].key_id);
      assertEqual(toHex(partyKeys[role].publicKey), entry.party_keys[role].public_key);
    }
  }
});

test("a text that is no configuration is refused", async () => {
  await assertRefused("NOT_A_CONFIGURATION", () => readStudy("{}"));
  await assertRefused("NOT_CANONICAL", () => readStudy(` ${vectors.cases[0].text}`));
});
