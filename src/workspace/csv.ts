/** As many as a spreadsheet has. */
const mostColumns = 16_384;

/**
 * The rows of a CSV text as objects, by the names in its first row (RFC 4180: quotes, doubled quotes, line ends inside
 * quotes, CRLF or LF; a BOM is dropped). Values stay text. Throws for a row that does not fit.
 */
export function* readCsv(text: string, delimiter = ","): Generator<Record<string, string>> {
  let names: readonly string[] | undefined;
  for (const { fields, line } of readRows(text.replace(/^\uFEFF/, ""), delimiter)) {
    if (!names) {
      checkNames(fields);
      names = fields;
      continue;
    }
    if (fields.length !== names.length) {
      throw new Error(`line ${line} has ${fields.length} values, the first row has ${names.length}`);
    }
    yield Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ""]));
  }
}

function checkNames(names: readonly string[]): void {
  if (names.length > mostColumns) throw new Error(`there are ${names.length} columns, more than ${mostColumns}`);
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Error(`the column ${JSON.stringify(name)} is there twice`);
    seen.add(name);
  }
}

interface Row {
  readonly fields: readonly string[];
  readonly line: number;
}

function* readRows(text: string, delimiter: string): Generator<Row> {
  let fields: string[] = [];
  let line = 1;
  let rowLine = 1;
  let at = 0;
  while (at < text.length || fields.length > 0) {
    const field = text[at] === '"' ? readQuoted(text, at, line) : readPlain(text, at, delimiter);
    fields.push(field.value);
    line += countOf(field.value, "\n");
    at = field.end;
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
      continue;
    }
    const lineEnd = /\r\n|\n|\r|$/y;
    lineEnd.lastIndex = at;
    const found = lineEnd.exec(text);
    if (!found) throw new Error(`line ${line} has text after a closing quote`);
    at += found[0].length;
    line++;
    // An empty line is not a row.
    if (fields.length > 1 || fields[0] !== "") yield { fields, line: rowLine };
    fields = [];
    rowLine = line;
    if (at >= text.length) break;
  }
}

function readPlain(text: string, start: number, delimiter: string): { value: string; end: number } {
  let end = start;
  while (end < text.length && !text.startsWith(delimiter, end) && text[end] !== "\n" && text[end] !== "\r") end++;
  return { value: text.slice(start, end), end };
}

function readQuoted(text: string, start: number, line: number): { value: string; end: number } {
  let value = "";
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Error(`the quote that opens on line ${line} is never closed`);
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    at = quote + 2;
  }
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}
