import { CsvReader } from "/static/js/lib/csv.js";
import { draftOf, SchemaGuesser } from "/static/js/lib/schema_guess.js";
import { assertEqual, assertSame, test } from "./harness.js";

function guess(text) {
  const guesser = new SchemaGuesser();
  const reader = new CsvReader((record) => guesser.take(record));
  reader.push(text);
  reader.finish();
  return guesser.finish();
}

const TABLE = `\uFEFFrecord_id;Age;Hours per week;Work class;Sex;Owns home;Note;Income;Gain
${"a".repeat(32)};39;40,5;Private;Male;yes;x1;>50K;0
${"b".repeat(32)};17;20;State;Female;no;x2;<=50K;99999
${"c".repeat(32)};90;1,25;Private;Male;no;;<=50K;7298
`;

test("columns are guessed by what is in them", () => {
  const { columns, nRows, decimalComma } = guess(TABLE);
  assertEqual(nRows, 3);
  assertEqual(decimalComma, true);
  assertSame(
    columns.map(({ title, kind }) => `${title} ${kind}`),
    [
      "record_id record", "Age number", "Hours per week number", "Work class category", "Sex ask",
      "Owns home yes_no", "Note category", "Income label", "Gain number",
    ],
  );
  const [, age, hours, work, , , note, , gain] = columns;
  assertSame([age.minimum, age.maximum, age.unit], ["10", "90", "20"]);
  assertSame([hours.minimum, hours.maximum, hours.unit], ["0", "50", "10"]);
  assertSame([gain.minimum, gain.maximum], ["0", "100000"]);
  assertSame(work.values, ["Private", "State"]);
  assertEqual(note.nBlank, 1);
});

test("a missing value that a program wrote is an empty cell, not an answer", () => {
  const [sex] = guess("sex,x\nf,1\nnan,2\nNaN,3\nm,4\n<NA>,5").columns;
  assertSame([sex.values, sex.nBlank, sex.kind], [["f", "m"], 3, "ask"]);
});

test("1,200 alone does not say that a table writes decimals with a comma", () => {
  assertEqual(guess('x,y\n"1,200",1\n"3,400",2').decimalComma, false);
  assertEqual(guess('x,y\n"1,200",1\n"3,4",2').decimalComma, true);
});

test("small and negative ranges are round and exact", () => {
  const { columns } = guess("x,y,z\n-0.0123,1e-7,5\n0.045,3e-7,5\n0.001,2e-7,5");
  assertSame([columns[0].minimum, columns[0].maximum, columns[0].unit], ["-0.02", "0.05", "0.02"]);
  assertSame([columns[1].minimum, columns[1].maximum], ["0.0000001", "0.0000003"]);
  assertEqual(columns[2].kind, "leave");
});

test("a unit keeps the largest value within its bits", () => {
  const rows = Array.from({ length: 500 }, (_, i) => (i === 0 ? 1_000_000 : 999_999.5 + (i % 2) / 10));
  const [column] = guess(`x\n${rows.join("\n")}`).columns;
  assertEqual(1_000_000 / Number(column.unit) < 2 ** 15, true, column.unit);
});

test("many values are no categories, and broken rows say nothing", () => {
  const rows = Array.from({ length: 100 }, (_, i) => `t${i},v${i % 64}`);
  const { columns, nRows } = guess(`text,code\n${rows.join("\n")}\n1\n"x"y,1\n`);
  assertEqual(nRows, 102);
  assertSame(columns.map(({ kind, values }) => [kind, values.length]), [["leave", 0], ["category", 64]]);
  assertSame(columns[1].kinds, ["category", "leave"]);
});

test("confirmed columns become the parts of a draft", () => {
  const { features, attributes, label } = draftOf(guess(TABLE).columns, ">50K");
  assertSame(features.slice(2, 5), [
    { name: "work_class_private", title: "Work class: Private", unit: "1", minimum: "0", maximum: "1", category: { column: "work_class", value: "Private" } },
    { name: "work_class_state", title: "Work class: State", unit: "1", minimum: "0", maximum: "1", category: { column: "work_class", value: "State" } },
    { name: "owns_home", title: "Owns home", unit: "1", minimum: "0", maximum: "1" },
  ]);
  assertSame(attributes, [
    { name: "sex", title: "Sex", question: "Sex", categories: [{ name: "male", title: "Male" }, { name: "female", title: "Female" }] },
  ]);
  assertSame(label, { name: "income", title: "Income", favourable: ">50K", unfavourable: "<=50K" });
});

test("names that collide are told apart", () => {
  const { columns } = guess("work,work_a\na,1\nA,2\n?,3\na,4");
  const { features, label } = draftOf(columns, "");
  assertSame(features.map(({ name }) => name), ["work_a_2", "work_a_3", "work_2", "work_a"]);
  assertEqual(label, null);
});
