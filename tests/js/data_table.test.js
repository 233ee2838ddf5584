import { CsvReader } from "/static/js/lib/csv.js";
import { columnsOf, TableChecker } from "/static/js/lib/data_table.js";
import { FaultList } from "/static/js/lib/faults.js";
import { assertEqual, assertSame, readVectors, test } from "./harness.js";

const ID = (n) => n.toString(16).padStart(32, "0");
const STUDY = {
  x_frac_bits: 8,
  features: [
    { name: "age", unit: "10", minimum: "17", maximum: "90" },
    { name: "work_private", unit: "1", minimum: "0", maximum: "1", category: { column: "work", value: "Private" } },
    { name: "owns_home", unit: "1", minimum: "0", maximum: "1" },
    { name: "work_state", unit: "1", minimum: "0", maximum: "1", category: { column: "work", value: "État" } },
  ],
  label: { name: "income", favourable: "high", unfavourable: "low" },
};

function check(text, options, study = STUDY) {
  const checker = new TableChecker(study, options);
  const reader = new CsvReader((record) => checker.take(record));
  reader.push(text);
  reader.finish();
  checker.finish(reader);
  return checker;
}

const said = ({ kept }) => kept.map(({ code, row, column, value }) => `${code} ${row} ${column} ${value}`);

test("a table in any order of columns is encoded", () => {
  const { rows, faults, notes, nRows } = check(
    `Income,Owns home,extra,AGE,work,record_id
high,yes,x,39,Private,${ID(1)}
,0,x, 17 ,E\u0301tat,${ID(2)}
low,TRUE,x,42.5,Private,${ID(3)}
1,1,x,90,Private,${ID(4)}`,
  );
  assertSame(said(faults), []);
  assertEqual(nRows, 4);
  assertSame(rows, [
    [ID(1), [998, 256, 256, 0], 1],
    [ID(2), [435, 0, 0, 256], 2],
    [ID(3), [1088, 256, 256, 0], 0],
    [ID(4), [2304, 256, 256, 0], 1],
  ]);
  assertSame(said(notes), ["COLUMNS_LEFT_OUT 1  extra"]);
});

test("labels in numbers mean what the study says and nothing else", () => {
  const study = { ...STUDY, features: [STUDY.features[0]], label: { name: "y", favourable: "0", unfavourable: "2" } };
  const checker = new TableChecker(study);
  const reader = new CsvReader((record) => checker.take(record));
  reader.push(`record_id,age,y\n${ID(1)},20,0\n${ID(2)},20,2\n${ID(3)},20,1\n`);
  reader.finish();
  checker.finish(reader);
  assertSame(said(checker.faults), ["LABEL_UNKNOWN 4 y 1"]);
  assertSame(checker.rows.slice(0, 2).map((row) => row[2]), [1, 0]);
});

test("a broken table gets every fault named by row and column at once", () => {
  const { rows, faults, notes } = check(
    `\uFEFFrecord_id;age;work;owns_home;income\r
${ID(1)};39,5;Private;1;high\r
${ID(2)};40;Martian;;low\r
${ID(1)};16;Private;maybe;medium\r
nobody;;private;2;\r
${ID(5)};41;Private;0\r
${ID(6)};41;Private;0;high;1\r
"${ID(7)}"x;41;Private;0;high\r
${ID(8)};4\uFFFD;Private;0;high\r
${ID(9)};41;Private;0;high\r
`,
  );
  assertSame(said(notes), ["BYTE_ORDER_MARK 1  ", "SEPARATOR 1  ;"]);
  assertSame(said(faults), [
    "DECIMAL_COMMA 2 age 39,5",
    "CATEGORY_UNKNOWN 3 work Martian",
    "CELL_EMPTY 3 owns_home ",
    `ID_REPEATED 4 record_id ${ID(1)}`,
    "VALUE_OUT_OF_RANGE 4 age 16",
    "NOT_A_NUMBER 4 owns_home maybe",
    "LABEL_UNKNOWN 4 income medium",
    "RECORD_ID_INVALID 5 record_id nobody",
    "CELL_EMPTY 5 age ",
    "CATEGORY_UNKNOWN 5 work private",
    "VALUE_OUT_OF_RANGE 5 owns_home 2",
    "ROW_TOO_SHORT 6  ",
    "ROW_TOO_LONG 7  ",
    "QUOTE_MISPLACED 8 record_id ",
    "TEXT_BROKEN 9 age 4\uFFFD",
  ]);
  const byCode = Object.fromEntries(faults.kept.map((fault) => [fault.code, fault.params]));
  assertSame(byCode.ID_REPEATED, { first: 2 });
  assertSame(byCode.CATEGORY_UNKNOWN, { allowed: "Private, État" });
  assertSame(byCode.VALUE_OUT_OF_RANGE, { minimum: "0", maximum: "1" });
  assertEqual(rows.length, 1);
});

test("a table may write its decimals with a comma, and then not with a point", () => {
  const text = `record_id;age;work;owns_home;income\n${ID(1)};39,5;Private;1;\n${ID(2)};39.5;Private;1;\n`;
  const { rows, faults } = check(text, { decimalComma: true });
  assertSame(rows, [[ID(1), [1011, 256, 256, 0], 2]]);
  assertSame(said(faults), ["DECIMAL_POINT 3 age 39.5"]);
});

test("a header that is not whole is named, and the rows under it are checked all the same", () => {
  const { rows, faults } = check(`record_id,age,age,,income\nx,16,1,,dear`);
  assertSame(said(faults), [
    "COLUMN_REPEATED 1 age ",
    "COLUMN_NAMELESS 1 4 ",
    "COLUMN_MISSING 1 work ",
    "COLUMN_MISSING 1 owns_home ",
    "RECORD_ID_INVALID 2 record_id x",
    "VALUE_OUT_OF_RANGE 2 age 16",
    "LABEL_UNKNOWN 2 income dear",
  ]);
  assertEqual(rows.length, 0);
  for (const text of ["", "\n", columnsOf(STUDY).join(",")]) {
    assertSame(said(check(text).faults).includes("FILE_EMPTY 1  "), true, text);
  }
});

test("columns may have any name", () => {
  const { faults, notes } = check("__proto__,constructor\n1,2");
  assertEqual(faults.total, 5);
  assertSame(said(notes), ["COLUMNS_LEFT_OUT 1  __proto__, constructor"]);
});

test("a table's numbers are encoded as the engine encodes them", async () => {
  const { encode_feature: cases } = await readVectors("encoding");
  for (const { feature, text, frac_bits: fracBits, expected } of cases) {
    const checker = new TableChecker({ ...STUDY, x_frac_bits: fracBits, features: [feature] });
    checker.take({ number: 1, values: ["record_id", feature.name, "income"], fault: null });
    checker.take({ number: 2, values: [ID(1), text, ""], fault: null });
    if (expected === null) assertEqual(checker.faults.kept[0].code, "VALUE_OUT_OF_RANGE", text);
    else assertSame(checker.rows, [[ID(1), [expected], 2]], text);
  }
});

test("tables are read as the engine reads them", async () => {
  const { read, refused, ...study } = await readVectors("tables");
  for (const { text, decimal_comma: decimalComma, rows } of read) {
    const checked = check(text, { decimalComma }, study);
    assertSame(said(checked.faults), [], text);
    assertSame(checked.rows, rows, text);
  }
  for (const { text, decimal_comma: decimalComma, code, row } of refused) {
    const { faults } = check(text, { decimalComma }, study);
    assertSame([faults.kept[0].code, faults.kept[0].row], [code, row], text);
  }
});

test("a template has each column once", () => {
  assertSame(columnsOf(STUDY), ["record_id", "age", "work", "owns_home", "income"]);
});

test("every fault is counted, and a bounded number kept", () => {
  const faults = new FaultList();
  for (let row = 1; row <= 20_000; row += 1) faults.add("CELL_EMPTY", row, "age", "x".repeat(100));
  assertEqual(faults.total, 20_000);
  assertEqual(faults.kept.length, 10_000);
  assertEqual(faults.kept[0].value.length, 60);
});
