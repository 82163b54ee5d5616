import * as z from "zod";
import { perRun, type Run } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import { heavyWork } from "../runtime/heavy-work.ts";
import { fromBase64 } from "../runtime/results/base64.ts";
import { JsonPieces } from "../sandbox/json-pieces.ts";
import { addressOf } from "./artifact-address.ts";
import { fittingText, largestJson } from "./fitting-text.ts";
import { anyData, bytes } from "./inputs.ts";
import { type AnyOperation, defineOperation, jsonAnswer, turnOf } from "./operation.ts";
import type { Services } from "./services.ts";

/** Files that runs save, and that later ones open. */
export function artifactOperations(services: Services): readonly AnyOperation[] {
  const made = [saveArtifact, readArtifact, readArtifactBytes, readLines, readJson, listArtifacts];
  return made.map((make) => make(services));
}

const uri = z.string().describe("artifact://<run>/<name>, or the name of one of this run or session");
const offset = z.int().min(0).default(0);
const limit = z.int().min(1);

/** Guests may give figures and tables too, which are made into bytes on their side: see sandbox/guest/conveniences. */
function saveArtifact({ artifacts }: Services) {
  const uploads = createUploads();
  return defineOperation({
    name: "save_artifact",
    description:
      "Keep text, bytes or JSON data as a file, by a name such as charts/sales.svg; any later run opens it by the uri in the answer",
    guest: "artifacts.save",
    positional: ["name", "data"],
    example: { name: "report.md", data: "# Sales" },
    stores: true,
    input: () =>
      z.strictObject({
        name: z.string(),
        data: anyData,
        part: z.strictObject({ upload: z.string().max(40), last: z.boolean() }).optional(),
      }),
    output: () => z.object({ uri: z.string(), bytes: z.int(), mediaType: z.string() }),
    async run({ name, data, part }, { run, willStore }) {
      if (!run) throw new CoordinatorError("input_invalid", "Only a run can save an artifact");
      const content = contentOf(data);
      willStore?.(Buffer.byteLength(content));
      const whole = part ? uploads.add(run, part.upload, Buffer.from(content as string)) : content;
      if (part && !part.last) return { uri: "", bytes: 0, mediaType: "" };
      if (part) uploads.end(run, part.upload);
      const { uri: address, bytes, mediaType } = await artifacts.save(run.id, name, whole);
      return { uri: address, bytes, mediaType };
    },
  });
}

/** Files that are larger than one message of a guest may be, as far as they have come; forgotten with their run. */
function createUploads() {
  const ofRun = perRun(() => new Map<string, Buffer>());
  return {
    add(run: Run, upload: string, more: Buffer): Buffer {
      const uploads = ofRun(run);
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
    end(run: Run, upload: string): void {
      ofRun(run).delete(upload);
    },
  };
}

const mostUploadBytes = 32_000_000;

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

/** Guests read the whole of one by its bytes, which never become longer on the way: see sandbox/guest/conveniences. */
function readArtifact({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact",
    description: "The text of an artifact, or a page of it",
    guest: "artifacts.read",
    positional: ["uri"],
    example: { uri: "report.md" },
    readOnly: true,
    heavy: true,
    input: () =>
      z.strictObject({
        uri,
        offset: offset.describe("characters to skip"),
        limit: limit.optional().describe("characters to read"),
      }),
    output: () => z.string(),
    async run({ uri: given, offset: from, limit: most }, context) {
      const address = await addressOf(given, context, artifacts);
      const text = textIn(address, await artifacts.readBytes(address));
      const part = text.slice(from, most === undefined ? undefined : from + most);
      return fittingText(address, part, "Ask for less at a time, or for the whole of it, without offset and limit.");
    },
  });
}

function textIn(address: string, data: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    throw new CoordinatorError("input_invalid", `${address} is not text`, {
      hint: "Read it with artifacts.read_bytes(uri).",
    });
  }
}

function readArtifactBytes({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact_bytes",
    description: "The bytes of an artifact, or a part of them",
    guest: "artifacts.read_bytes",
    positional: ["uri"],
    example: { uri: "chart.png" },
    readOnly: true,
    heavy: true,
    input: () => z.strictObject({ uri, offset, limit: limit.optional() }),
    output: () => z.object({ base64: z.string() }),
    async run({ uri: given, offset: from, limit: most }, context): Promise<unknown> {
      const { run } = context;
      const address = await addressOf(given, context, artifacts);
      const { length, chunks } = await artifacts.readChunks(address, { offset: from, limit: most });
      if (run === undefined) return { base64: Buffer.concat([...chunks]).toString("base64") };
      const [head, tail] = [Buffer.from('{"base64":"'), Buffer.from('"}')];
      const pieces = function* () {
        yield head;
        for (const chunk of chunks) yield Buffer.from(chunk.toString("base64"), "latin1");
        yield tail;
      };
      return new JsonPieces(head.length + Math.ceil(length / 3) * 4 + tail.length, pieces());
    },
  });
}

function readLines({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact_lines",
    description: "Lines of an artifact, or those that contain a text; next is where to go on, null at the end",
    guest: "artifacts.lines",
    positional: ["uri"],
    example: { uri: "output.txt", matching: "ERROR" },
    readOnly: true,
    heavy: true,
    input: () =>
      z.strictObject({
        uri,
        from: z.int().min(1).default(1).describe("the first line to look at, from 1"),
        limit: limit.max(100_000).default(1000),
        matching: z
          .string()
          .optional()
          .describe("only lines that contain this text, or match this /regular expression/"),
      }),
    output: () =>
      z.object({
        lines: z.array(z.object({ number: z.int(), text: z.string() })),
        next: z.int().nullable(),
      }),
    async run({ uri: given, matching = "", ...which }, context): Promise<unknown> {
      const address = await addressOf(given, context, artifacts);
      const input = async () => ({ bytes: await artifacts.readBytes(address), matching, most: largestJson, ...which });
      return jsonAnswer(await heavyWork("lines", input, turnOf(context)), context);
    },
  });
}

function readJson({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact_json",
    description: "The data in a JSON artifact, or the part at a path; offset and limit page through a list",
    guest: "artifacts.json",
    positional: ["uri"],
    example: { uri: "orders.json", path: "rows", limit: 10 },
    readOnly: true,
    heavy: true,
    input: () =>
      z.strictObject({
        uri,
        path: z
          .union([z.string(), z.array(z.union([z.string(), z.int().min(0)]))])
          .default([])
          .describe('keys with dots between them, or a list of keys, items from 0: "data.rows", ["data", 0]'),
        offset: z.int().min(0).optional().describe("items to skip"),
        limit: limit.optional().describe("items to read"),
      }),
    async run({ uri: given, path, ...page }, context): Promise<unknown> {
      const address = await addressOf(given, context, artifacts);
      const question = { name: address, path: typeof path === "string" ? path.split(".") : path, ...page };
      const input = async () => ({ bytes: await artifacts.readBytes(address), question, most: largestJson });
      return jsonAnswer(await heavyWork("json", input, turnOf(context)), context);
    },
  });
}

function listArtifacts({ artifacts }: Services) {
  return defineOperation({
    name: "list_artifacts",
    description: "The artifacts of one run, or of all, the newest run first",
    guest: "artifacts.list",
    readOnly: true,
    input: () => z.strictObject({ run: z.string().optional(), limit: limit.max(10_000).default(1000) }),
    output: () =>
      z.array(
        z.object({
          uri: z.string(),
          run: z.string(),
          name: z.string(),
          bytes: z.int(),
          mediaType: z.string(),
          saved: z.string(),
        }),
      ),
    run: async (of) => artifacts.list(of),
  });
}
