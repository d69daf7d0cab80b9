import { type Json, type JsonObject, PawlError, type ToolContext } from "@pawl/core";
import * as z from "zod";
import type { Caller, CompanySearch } from "../search/index.ts";
import { MOST_CHARS } from "../search/index.ts";

/** The part of `deps` that the tools use. */
export interface SearchDeps {
  search: CompanySearch;
}

/** The part of a context that says on whose behalf a tool, a hook or a function runs. */
export interface CallerSource {
  caller: JsonObject;
  deps: SearchDeps;
}

/**
 * Reads the caller of a search from the run's `caller`, which the application sets. It is in no input of a
 * tool, so no text of a model, a user or a document can change it.
 */
export function callerOf({ caller }: { caller: JsonObject }): Caller {
  const { workspaceId, email } = caller;
  if (typeof workspaceId !== "string" || typeof email !== "string")
    throw new PawlError("forbidden", "The run has no caller with a workspace and an e-mail address.");
  return { workspaceId, email };
}

/**
 * The prices of calls, in US dollars. They are made up: `call` is about the price of a search in a hosted
 * index, and `result` the price of the tokens that a result adds to the prompt.
 */
export const PRICES = { call: 0.0004, result: 0.00005 } as const;

/** The cost of a call with this number of results. */
export const costOf = (results: number): number => Number((PRICES.call + results * PRICES.result).toFixed(6));

/** The time limit of a call, in milliseconds. The first one may wait until the index is built. */
export const TIMEOUT_MS = 120_000;

/**
 * Runs `work`. Replaces its errors by a message that the model may read, because a database's error text may
 * have parts of statements or documents. A PawlError passes unchanged.
 */
export async function withIndex<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new Error(
      "The index cannot be searched now. Try once more, and if it fails again, tell the user.",
      { cause },
    );
  }
}

export type Context = ToolContext<SearchDeps>;

/** Casts a stored result to its type: only the tool itself wrote it. */
export function resultOf<T>(result: Json): T {
  return result as T;
}

export const query: z.ZodString = z.string().trim().min(1).max(MOST_CHARS);
export const person: z.ZodString = z.string().trim().min(1).max(200);
export const place: z.ZodString = z.string().trim().min(1).max(200);
export const ids: z.ZodArray<z.ZodString> = z.array(z.string().min(1).max(100)).max(100);
export const limit: z.ZodInt = z.int().min(1).max(20);
const day = z.iso.date().optional();

export const timeRange: z.ZodObject<{ from: typeof day; to: typeof day }> = z.object({
  from: day.describe("The first day, e.g. 2026-10-01."),
  to: day.describe("The last day, e.g. 2026-12-31."),
});

const DAY_MS = 86_400_000;

/** Converts a range of days to milliseconds. The last day is included. */
export function rangeOf(
  range: z.infer<typeof timeRange> | undefined,
): { from?: number; to?: number } | undefined {
  if (range === undefined) return undefined;
  return {
    ...(range.from !== undefined && { from: Date.parse(range.from) }),
    ...(range.to !== undefined && { to: Date.parse(range.to) + DAY_MS }),
  };
}
