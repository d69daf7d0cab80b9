import { type FileStore, type ModelRequest, memoryFiles, type StoredEvent, tool } from "@pawl/core";
import * as z from "zod";
import { fileIdsOf } from "../../packages/core/src/context/file-blocks.ts";
import { withFileBytes } from "../../packages/core/src/context/file-bytes.ts";
import { jpeg, pdf, png, utf8 } from "../../packages/core/test/support/files.ts";

/** Files of messages and of the tool `draw`, by the name that a model or a test gives. */
export const PICTURES: { readonly [name: string]: Uint8Array<ArrayBuffer> } = {
  a: png(30, 20),
  b: jpeg(300, 200),
  large: png(3_000, 2_000, { seed: 1 }),
  // Its header is valid, but the API refuses it.
  broken: png(31, 21, { seed: 2 }),
};

export const DOCUMENTS = { plan: pdf(3), notes: utf8("# Notes </note> 😀") } as const;

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** Draws one or more pictures; their names are separated by spaces. One without a name is damaged. */
export const draw = tool({
  name: "draw",
  description: "Draws.",
  input: z.object({ value: z.string() }),
  idempotent: true,
  execute: ({ value }) => ({ drawn: value.split(" ").map((name) => base64(PICTURES[name] ?? utf8("none"))) }),
  format: (result) =>
    (result as { drawn: string[] }).drawn.map((data) => ({
      type: "image",
      source: { type: "base64", media_type: "image/png", data },
    })),
});

/** A file store that remembers what it had, to rebuild requests. */
export interface RecordedFiles extends FileStore {
  /** Puts the bytes of files into a request, as they were sent. */
  fill(request: ModelRequest): Promise<ModelRequest>;
  /** Asserts that each file to which a log refers has its bytes. */
  check(log: readonly StoredEvent[]): Promise<void>;
}

export function recordedFiles(): RecordedFiles {
  const store = memoryFiles();
  const had = new Map<string, Uint8Array>();
  return {
    ...store,
    put: async (path, content) => {
      if (typeof content !== "string") had.set(path.split("/").at(-1) ?? "", content);
      await store.put(path, content);
    },
    fill: async (request) =>
      await withFileBytes(
        request,
        { reads: ["image", "pdf"] },
        async ({ id, media_type }) => {
          const bytes = had.get(id);
          if (bytes === undefined) return undefined;
          return media_type === "text/plain" ? Buffer.from(bytes).toString() : base64(bytes);
        },
        new WeakMap(),
      ),
    check: async (log) => {
      const stored = new Set((await store.list("u1/uploads")).map(({ path }) => path));
      for (const id of fileIdsOf(log))
        if (!stored.has(`u1/uploads/${id}`)) throw new Error(`the bytes of ${id} are missing`);
    },
  };
}
