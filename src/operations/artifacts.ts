import * as z from "zod";
import { CoordinatorError } from "../errors.ts";
import { fromBase64 } from "../runtime/base64.ts";
import type { Artifacts } from "../store/artifacts.ts";
import { type AnyOperation, defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** Files that runs save, and that later ones open. */
export function artifactOperations(services: Services): readonly AnyOperation[] {
  return [
    saveArtifact(services),
    readArtifact(services),
    readArtifactBytes(services),
    readLines(services),
    readJson(services),
    listArtifacts(services),
  ];
}

const uri = z.string().describe("artifact://<run>/<name>");
const offset = z.int().min(0).default(0);
const limit = z.int().min(1);

/** Guests may give figures and tables too, which are made into bytes on their side: see sandbox/guest/conveniences. */
function saveArtifact({ artifacts }: Services) {
  const uploads = createUploads();
  return defineOperation({
    name: "save_artifact",
    description: "Save text, bytes or JSON data as a file of this run, by a name such as charts/sales.svg",
    guest: "artifacts.save",
    positional: ["name", "data"],
    readOnly: false,
    input: z.strictObject({
      name: z.string(),
      data: z.unknown(),
      part: z.strictObject({ upload: z.string().max(40), last: z.boolean() }).optional(),
    }),
    output: z.object({ uri: z.string(), bytes: z.number(), mediaType: z.string() }),
    async run({ name, data, part }, { run, signal }) {
      if (run === undefined || !signal) throw new CoordinatorError("input_invalid", "Only a run can save an artifact");
      const content = contentOf(data);
      const whole = part ? uploads.add(signal, part.upload, Buffer.from(content as string)) : content;
      if (part && !part.last) return { uri: "", bytes: 0, mediaType: "" };
      if (part) uploads.end(signal, part.upload);
      const { uri: address, bytes, mediaType } = artifacts.save(run, name, whole);
      return { uri: address, bytes, mediaType };
    },
    show: ({ uri: address, bytes }) => `Saved ${address}, ${bytes} bytes`,
  });
}

/** Files that are larger than one message of a guest may be, as far as they have come; forgotten with their run. */
function createUploads() {
  const ofRuns = new WeakMap<AbortSignal, Map<string, Buffer>>();
  return {
    add(run: AbortSignal, upload: string, more: Buffer): Buffer {
      const uploads = ofRuns.get(run) ?? new Map<string, Buffer>();
      ofRuns.set(run, uploads);
      const whole = Buffer.concat([uploads.get(upload) ?? Buffer.alloc(0), more]);
      uploads.set(upload, whole);
      const held = [...uploads.values()].reduce((sum, { length }) => sum + length, 0);
      if (held <= mostUploadBytes) return whole;
      uploads.clear();
      throw new CoordinatorError(
        "storage_full",
        `The artifact was not saved: it has more than ${mostUploadBytes} bytes`,
      );
    },
    end(run: AbortSignal, upload: string): void {
      ofRuns.get(run)?.delete(upload);
    },
  };
}

const mostUploadBytes = 32_000_000;

const bytes = z.strictObject({ base64: z.string() });
/** What tools answer with: an image or a sound, or the content of a resource. */
const media = z.object({ type: z.enum(["image", "audio"]), data: z.string() });
const resource = z.object({ type: z.literal("resource"), resource: z.object({ blob: z.string() }) });
const textResource = z.object({ type: z.literal("resource"), resource: z.object({ text: z.string() }) });
/** What reading a resource gives; with any other field it is data like any other. */
const contents = z.strictObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
  _meta: z.unknown().optional(),
});
const binary = z.union([
  bytes.transform(({ base64 }) => base64),
  media.transform(({ data }) => data),
  resource.transform(({ resource: { blob } }) => blob),
]);

/** Text is kept as it is, bytes and what tools send as such are decoded, all else is JSON. */
function contentOf(data: unknown): string | Uint8Array {
  if (typeof data === "string") return data;
  if (data === undefined) throw new CoordinatorError("input_invalid", "There is no data to save");
  const read = contents.safeParse(data);
  if (read.success && (read.data.text ?? read.data.blob) !== undefined) {
    return contentOf({ type: "resource", resource: read.data });
  }
  const encoded = binary.safeParse(data);
  const decoded = encoded.success ? fromBase64(encoded.data) : undefined;
  if (decoded) return decoded;
  const described = textResource.safeParse(data);
  return described.success ? described.data.resource.text : JSON.stringify(data);
}

function readArtifact({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact",
    description: "The text of an artifact, or a page of it",
    guest: "artifacts.read",
    positional: ["uri"],
    readOnly: true,
    input: z.strictObject({
      uri,
      offset: offset.describe("characters to skip"),
      limit: limit.optional().describe("characters to read"),
    }),
    output: z.string(),
    async run({ uri: address, offset: from, limit: most }) {
      return artifacts.read(address).slice(from, most === undefined ? undefined : from + most);
    },
    show: (text) => text,
  });
}

function readArtifactBytes({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact_bytes",
    description: "The bytes of an artifact, or a part of them",
    guest: "artifacts.read_bytes",
    positional: ["uri"],
    readOnly: true,
    input: z.strictObject({ uri, offset, limit: limit.optional() }),
    output: z.object({ base64: z.string() }),
    async run({ uri: address, offset: from, limit: most }) {
      return { base64: artifacts.readBytes(address, { offset: from, limit: most }).toString("base64") };
    },
    show: ({ base64 }) => base64,
  });
}

function readLines({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact_lines",
    description: "Lines of an artifact, or those that contain a text; next is where to go on, null at the end",
    guest: "artifacts.lines",
    positional: ["uri"],
    readOnly: true,
    input: z.strictObject({
      uri,
      from: z.int().min(1).default(1).describe("the first line to look at, from 1"),
      limit: limit.max(100_000).default(1000),
      matching: z.string().optional().describe("only lines that contain this text"),
    }),
    output: z.object({
      lines: z.array(z.object({ number: z.number(), text: z.string() })),
      next: z.number().nullable(),
    }),
    async run({ uri: address, from, limit: most, matching = "" }) {
      const text = artifacts.read(address);
      const all = text.split(/\r?\n/);
      if (all.at(-1) === "") all.pop();
      const lines: { number: number; text: string }[] = [];
      for (let index = from - 1; index < all.length; index++) {
        const line = all[index] as string;
        if (!line.includes(matching)) continue;
        if (lines.length === most) return { lines, next: index + 1 };
        lines.push({ number: index + 1, text: line });
      }
      return { lines, next: null };
    },
    show: ({ lines }) => lines.map(({ text }) => text).join("\n"),
  });
}

function readJson({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact_json",
    description: "The data in a JSON artifact, or the part at a path; offset and limit page through a list",
    guest: "artifacts.json",
    positional: ["uri"],
    readOnly: true,
    input: z.strictObject({
      uri,
      path: z
        .union([z.string(), z.array(z.union([z.string(), z.int().min(0)]))])
        .default([])
        .describe('keys with dots between them, or a list of keys: "data.rows", ["data", 0]'),
      offset: z.int().min(0).optional().describe("items to skip"),
      limit: limit.optional().describe("items to read"),
    }),
    async run({ uri: address, path, offset: from, limit: most }): Promise<unknown> {
      const part = partAt(parsed(artifacts, address), typeof path === "string" ? path.split(".") : path);
      if (from === undefined && most === undefined) return part;
      if (Array.isArray(part)) return part.slice(from, most === undefined ? undefined : (from ?? 0) + most);
      throw new CoordinatorError("input_invalid", `There is no list at that path of ${address}, but ${kindOf(part)}`, {
        hint: "offset and limit are for lists: leave them out, or give the path of a list.",
      });
    },
    show: (part) => JSON.stringify(part),
  });
}

function parsed(artifacts: Artifacts, address: string): unknown {
  try {
    return JSON.parse(artifacts.read(address));
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) throw thrown;
    throw new CoordinatorError("input_invalid", `${address} is no JSON: ${(thrown as Error).message}`, {
      hint: "Read it as text, with artifacts.read or artifacts.lines.",
    });
  }
}

function partAt(data: unknown, path: readonly (string | number)[]): unknown {
  let part = data;
  for (const [index, key] of path.entries()) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) {
      const keys = typeof part === "object" && part !== null && !Array.isArray(part) ? Object.keys(part) : [];
      const known = keys.length > 0 ? `; its keys: ${keys.slice(0, 20).join(", ")}` : "";
      const place = path.slice(0, index).join(".") || "the top";
      throw new CoordinatorError("input_invalid", `There is no "${key}" at ${place}: ${kindOf(part)} is there${known}`);
    }
    part = (part as Record<string | number, unknown>)[key];
  }
  return part;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function listArtifacts({ artifacts }: Services) {
  return defineOperation({
    name: "list_artifacts",
    description: "The artifacts of one run, or of all, the newest run first",
    guest: "artifacts.list",
    readOnly: true,
    input: z.strictObject({ run: z.string().optional(), limit: limit.max(10_000).default(1000) }),
    output: z.array(
      z.object({
        uri: z.string(),
        run: z.string(),
        name: z.string(),
        bytes: z.number(),
        mediaType: z.string(),
        saved: z.string(),
      }),
    ),
    run: async (of) => artifacts.list(of),
    show: (list) => list.map((each) => `${each.uri}  ${each.bytes} bytes`).join("\n") || "There are no artifacts.",
  });
}
