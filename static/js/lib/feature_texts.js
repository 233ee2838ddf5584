/**
 * What a form says of every feature, as text: of a one-hot column one choice is made, and its
 * features are 1 for the chosen value and 0 for the others, as a table's cell becomes them.
 */

/**
 * @param {readonly { name: string, category?: { column: string, value: string } }[]} features
 * @param {(name: string) => string} typed what is typed for a feature
 * @param {(column: string) => string | null} chosen the value chosen for a column, null if none is
 * @returns {string[]} empty where nothing is chosen
 */
export function featureTexts(features, typed, chosen) {
  return features.map(({ name, category }) => {
    if (category === undefined) return typed(name);
    const value = chosen(category.column);
    return value === null ? "" : String(Number(value === category.value));
  });
}
