import { utf8 } from "/static/js/lib/bytes.js";
import { decodeText, parseCsv } from "/static/js/lib/csv.js";
import { assertEqual, assertRefused, assertSame, test } from "./harness.js";

const cellsOf = ({ rows }) => rows.map(({ cells }) => ({ ...cells }));
const faultsOf = ({ errors }) => errors.map(({ code, row, column }) => `${code} ${row} ${column}`);

test("comma, semicolon and tab are told apart by the header", () => {
  for (const separator of [",", ";", "\t"]) {
    const table = parseCsv(["id", "age", "x"].join(separator) + "\n" + ["1", "2", "3"].join(separator));
    assertSame(table.header, ["id", "age", "x"]);
    assertSame(cellsOf(table), [{ id: "1", age: "2", x: "3" }]);
    assertSame(table.errors, []);
  }
  assertSame(cellsOf(parseCsv('"a,b,c";d\n1,5;2')), [{ "a,b,c": "1,5", d: "2" }]);
  assertSame(cellsOf(parseCsv("only\n1\n2")), [{ only: "1" }, { only: "2" }]);
});

test("byte-order mark, line ends and blank lines do not matter", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const table = parseCsv(`\uFEFFid,x${end}1,2${end}${end}3,4${end}`);
    assertSame(table.header, ["id", "x"]);
    assertSame(table.rows.map(({ number }) => number), [2, 4]);
    assertSame(cellsOf(table), [{ id: "1", x: "2" }, { id: "3", x: "4" }]);
  }
});

test("a byte-order mark before a quoted name does not matter", () => {
  assertSame(cellsOf(parseCsv('\uFEFF"a,b";x\n1;2')), [{ "a,b": "1", x: "2" }]);
});

test("quotes hold separators, line ends and quotes", () => {
  const table = parseCsv('id,x\n"a,""b""","c\nd"\n e , f \n"",""\n');
  assertSame(cellsOf(table), [{ id: 'a,"b"', x: "c\nd" }, { id: "e", x: "f" }, { id: "", x: "" }]);
  assertSame(table.rows.map(({ number }) => number), [2, 3, 4]);
});

test("errors name row and column, and other rows are read", () => {
  const text = 'id,x\n1,2\n3\n4,5,6\n"7"8,9\n10,\n1,11\n12,13\n"14,15\n16,17';
  const table = parseCsv(text, { required: ["x"], id: "id" });
  assertSame(faultsOf(table), [
    "ROW_TOO_SHORT 3 ",
    "ROW_TOO_LONG 4 ",
    "QUOTE_MISPLACED 5 2",
    "CELL_EMPTY 6 x",
    "ID_REPEATED 7 id",
    "QUOTE_UNCLOSED 9 1",
  ]);
  assertEqual(table.errors[4].value, "1");
  assertSame(cellsOf(table), [{ id: "1", x: "2" }, { id: "12", x: "13" }]);
});

test("a header that is not whole is an error of row 1", () => {
  assertSame(faultsOf(parseCsv("a,a,,b\n1,2,3,4", { required: ["b", "c"], id: "id" })), [
    "COLUMN_REPEATED 1 a", "COLUMN_NAMELESS 1 3", "COLUMN_MISSING 1 id", "COLUMN_MISSING 1 c",
  ]);
  for (const text of ["", "\uFEFF", "\n\n", "  \n"]) {
    assertSame(faultsOf(parseCsv(text)), ["FILE_EMPTY 1 "]);
  }
  assertSame(parseCsv("id,x", { id: "id" }), { header: ["id", "x"], rows: [], errors: [] });
});

test("columns may have any name", () => {
  const table = parseCsv("__proto__,constructor\n1,2", { id: "__proto__" });
  assertSame(table.errors, []);
  assertEqual(table.rows[0].cells["__proto__"], "1");
  assertEqual(table.rows[0].cells["constructor"], "2");
  assertEqual(table.rows[0].cells["toString"], undefined);
});

test("a large file is read in time", () => {
  const lines = Array.from({ length: 50000 }, (_, i) => `${i},${i % 7},"quoted ${i}"`);
  const started = performance.now();
  const table = parseCsv(`id,x,t\n${lines.join("\n")}`, { required: ["x"], id: "id" });
  assertEqual(table.rows.length, 50000);
  assertEqual(performance.now() - started < 5000, true);
});

test("bytes that are not UTF-8 are refused", async () => {
  assertEqual(decodeText(utf8("é,x")), "é,x");
  await assertRefused("NOT_UTF8", () => decodeText(Uint8Array.of(0xe9, 0x2c)));
});
