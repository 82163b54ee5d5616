/**
 * The rows of a CSV text as objects, by the names in its first row (RFC 4180: quotes, doubled quotes, line ends inside
 * quotes, CRLF or LF; a BOM is dropped). Values stay text. Throws for a row that does not fit.
 */
export function readCsv(text: string, delimiter = ","): Record<string, string>[] {
  const [header, ...rows] = readRows(text.replace(/^\uFEFF/, ""), delimiter);
  if (!header) return [];
  const repeated = header.fields.find((name, index) => header.fields.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`the column ${JSON.stringify(repeated)} is there twice`);
  return rows.map(({ fields, line }) => {
    if (fields.length !== header.fields.length) {
      throw new Error(`line ${line} has ${fields.length} values, the first row has ${header.fields.length}`);
    }
    return Object.fromEntries(header.fields.map((name, index) => [name, fields[index] as string]));
  });
}

interface Row {
  readonly fields: readonly string[];
  readonly line: number;
}

function readRows(text: string, delimiter: string): Row[] {
  const rows: Row[] = [];
  let fields: string[] = [];
  let line = 1;
  let rowLine = 1;
  let at = 0;
  const endRow = (): void => {
    // An empty line is no row.
    if (fields.length > 1 || fields[0] !== "") rows.push({ fields, line: rowLine });
    fields = [];
    rowLine = line;
  };
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
    if (!found) throw new Error(`line ${line} has text behind a closing quote`);
    at += found[0].length;
    line++;
    endRow();
    if (at >= text.length) break;
  }
  return rows;
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
