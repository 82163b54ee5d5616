// Put in place of what the MCP SDK chooses for Node: its validator of JSON Schema, which nothing here calls, is a third of its
// code and a tenth of the time to start.
export { default as process } from "node:process";

export const CORS_IS_POSSIBLE = false;

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("The validator of JSON Schema is not in this build: see scripts/build/sdk-shims.mjs");
  }
}
