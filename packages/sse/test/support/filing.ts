import { memoryFiles } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { onTestFinished } from "vitest";

type Body = NonNullable<RequestInit["body"]>;

import { type Served, serve } from "./served.ts";

/** A PNG of one pixel. */
export const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export const dot = new Uint8Array(Buffer.from(DOT, "base64"));

export const pdf = new TextEncoder().encode("%PDF-1.7\n1 0 obj << /Type /Page >>\n");

/** A server whose agent sees files. All requests to the model must have been valid. */
export async function serveFiles(options: Parameters<typeof serve>[1] = {}) {
  const model = strictModel({ rules: () => ({ text: "I see." }) });
  const { files = memoryFiles() } = options;
  const served = await serve(model, { ...options, files });
  onTestFinished(({ task }) => {
    if (model.rejected.length > 0)
      throw new Error(`${task.name}: ${JSON.stringify(model.rejected[0]?.error)}`);
  });
  const upload = async (content: Body, { as = "ada", type = "application/octet-stream" } = {}) =>
    await served.ask("/files", { method: "POST", body: content, as, headers: { "content-type": type } });
  return {
    ...served,
    model,
    files,
    upload,
    /** The paths of all stored files, without those of their facts. */
    stored: async () =>
      (await files.list()).map(({ path }) => path).filter((path) => !path.endsWith(".facts")),
    /** Uploads a file, and resolves to its id. */
    id: async (content: Body, as = "ada") =>
      ((await (await upload(content, { as })).json()) as { id: string }).id,
    /** The blocks of the last message that the model got. */
    seen: () => {
      const last = (model.requests.at(-1)?.messages ?? []).at(-1) as {
        content: { [field: string]: unknown }[];
      };
      return last.content.map(({ cache_control: _, ...block }) => block);
    },
  } satisfies Served & { [more: string]: unknown };
}

export const image = { type: "image", source: { type: "base64", media_type: "image/png", data: DOT } };
