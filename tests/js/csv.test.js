import { csvText, CsvReader } from "/static/js/lib/csv.js";
import { assertEqual, assertSame, test } from "./harness.js";

/** Read a text in pieces of a size; what comes does not depend on it. */
function read(text, size = text.length || 1) {
  const records = [];
  const reader = new CsvReader((record) => records.push(record));
  for (let from = 0; from < text.length; from += size) reader.push(text.slice(from, from + size));
  reader.finish();
  const { separator, hasMark } = reader;
  return { records, separator, hasMark };
}

const rowsOf = (text) => {
  const whole = read(text);
  for (const size of [1, 2, 3, 7]) assertSame(read(text, size), whole, `pieces of ${size}`);
  return whole.records.map(({ number, values, fault }) => {
    return fault ? `${number} ${fault.code} ${fault.column}` : [number, ...values];
  });
};

test("comma, semicolon and tab are told apart by the header", () => {
  for (const separator of [",", ";", "\t"]) {
    const text = [["id", "age"], ["1", "2"]].map((row) => row.join(separator)).join("\n");
    assertSame(rowsOf(text), [[1, "id", "age"], [2, "1", "2"]]);
    assertEqual(read(text).separator, separator);
  }
  assertSame(rowsOf('"a,b,c";d\n1,5;2'), [[1, "a,b,c", "d"], [2, "1,5", "2"]]);
  assertSame(rowsOf("only\n1\n2"), [[1, "only"], [2, "1"], [3, "2"]]);
});

test("byte-order mark, line ends and blank lines do not matter", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = `\uFEFFid,x${end}1,2${end}${end}3,4${end}`;
    assertSame(rowsOf(text), [[1, "id", "x"], [2, "1", "2"], [4, "3", "4"]]);
    assertEqual(read(text).hasMark, true);
  }
  assertSame(rowsOf('\uFEFF"a,b";x\n1;2'), [[1, "a,b", "x"], [2, "1", "2"]]);
  for (const text of ["", "\uFEFF", "\n\n", "  \n"]) assertSame(rowsOf(text), []);
});

test("quotes hold separators, line ends and quotes", () => {
  assertSame(rowsOf('id,x\n"a,""b""","c\r\nd"\n e , f \n"",""\n'), [
    [1, "id", "x"], [2, 'a,"b"', "c\r\nd"], [3, " e ", " f "], [4, "", ""],
  ]);
});

test("a broken quotation mark spoils its own row only", () => {
  assertSame(rowsOf('id,x\n1,"a"b\n2,"c\n3,d\n'), [
    [1, "id", "x"], "2 QUOTE_MISPLACED 1", "3 QUOTE_UNCLOSED 1", [4, "3", "d"],
  ]);
});

test("a saved table reads back and holds no formula", () => {
  const text = csvText([["a", "b;c"], ['say "x"', 'two\nlines'], ["=1+1", -2], ["@x", "+3"]]);
  assertSame(rowsOf(text), [
    [1, "a", "b;c"], [2, 'say "x"', "two\nlines"], [3, "'=1+1", "-2"], [4, "'@x", "'+3"],
  ]);
});

test("a large file is read in time", () => {
  const lines = Array.from({ length: 50000 }, (_, i) => `${i},${i % 7},"quoted ${i}"`);
  const started = performance.now();
  assertEqual(read(`id,x,t\n${lines.join("\n")}`, 65536).records.length, 50001);
  assertEqual(performance.now() - started < 5000, true);
});
