/** What a JSON text may consist of: a small text can stand for very many values. */
export interface JsonBounds {
  readonly depth: number;
  readonly values: number;
}

/** Counts what a JSON text that comes in pieces consists of; linear, without parsing it. */
export interface JsonGauge {
  /** The bound that the text has passed. */
  readonly passed: keyof JsonBounds | undefined;
  push(json: Uint8Array, start?: number, end?: number): void;
  /** A line ends here, which no string of JSON outlasts. */
  endLine(): void;
}

export function createJsonGauge(bounds: JsonBounds): JsonGauge {
  const inside = { depth: 0, values: 0 };
  let passed: keyof JsonBounds | undefined;
  let inString = false;
  let isEscaped = false;

  return {
    get passed() {
      return passed;
    },
    push(json, start = 0, end = json.length) {
      if (passed !== undefined || start >= end) return;
      // Its own variables: the loop is twice as fast with them.
      let { depth, values } = inside;
      let isText = inString;
      let index = isEscaped ? start + 1 : start;
      for (; index < end; index++) {
        const byte = json[index];
        if (isText) {
          if (byte === 0x5c) index++;
          else if (byte === 0x22) isText = false;
        } else if (byte === 0x22) isText = true;
        else if (byte === 0x5b || byte === 0x7b) {
          if (++depth > bounds.depth || ++values > bounds.values) break;
        } else if (byte === 0x5d || byte === 0x7d) depth--;
        else if (byte === 0x2c && ++values > bounds.values) break;
      }
      if (depth > bounds.depth) passed = "depth";
      else if (values > bounds.values) passed = "values";
      inside.depth = depth;
      inside.values = values;
      inString = isText;
      isEscaped = index > end;
    },
    endLine() {
      inString = false;
      isEscaped = false;
    },
  };
}

/** Whether a text is JSON; it is parsed for that. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether JSON text nests deeper or holds more values than that. */
export function exceeds(json: Uint8Array, bounds: JsonBounds): boolean {
  if (json.length <= bounds.depth) return false;
  const gauge = createJsonGauge(bounds);
  gauge.push(json);
  return gauge.passed !== undefined;
}
