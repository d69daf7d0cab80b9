import { PawlError, type Tool, tool } from "@pawl/core";
import * as z from "zod";
import { sources } from "../base/sources.ts";
import { MOST_TEXT, type OpenDocument } from "../search/index.ts";
import { type Context, callerOf, costOf, type SearchDeps, TIMEOUT_MS, withIndex } from "./support.ts";

/** The result of `open_document`. */
export interface OpenResult extends OpenDocument {
  status: "ok";
  cost_usd: number;
}

/** Opens a document that a search found. */
export const openDocumentTool: Tool<SearchDeps> = tool({
  name: "open_document",
  description:
    "Opens a mail, message, meeting or file by its id from a search: the whole text, who is involved, the other messages of its thread " +
    "and what it refers to. Use it before you quote more than a search showed.",
  input: z.object({
    id: z.string().trim().min(1).max(100).describe("The id from a search result."),
    start: z
      .int()
      .min(0)
      .optional()
      .describe(`Where in a long text to begin, in characters. ${MOST_TEXT} are returned. Default: 0.`),
  }),
  category: "search",
  status: { start: "Opening the document...", done: "Document read" },
  idempotent: true,
  repeatable: false,
  // It needs an id that a search returns, so it waits for the searches of its turn.
  dependsOn: sources.map((source) => `search_${source}`),
  timeoutMs: TIMEOUT_MS,
  maxResultChars: 2 * MOST_TEXT,
  execute: async ({ id, start = 0 }, context: Context): Promise<OpenResult> => {
    const found = await withIndex(() => context.deps.search.open(callerOf(context), { id, start }));
    const costUsd = costOf(found === undefined ? 0 : 1);
    context.report({ costUsd, summary: found === undefined ? "Not found" : found.title });
    if (found === undefined)
      throw new PawlError(
        "not_found",
        "The user has no document with this id. Take ids from search results.",
      );
    context.report({ connector: found.source, fragments: [found.id] });
    return { status: "ok", ...found, cost_usd: costUsd };
  },
});
