import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** What a value costs a model: its text, or its JSON as sent. */
export function tokensOf(value) {
  return countTokens(typeof value === "string" ? value : JSON.stringify(value));
}
