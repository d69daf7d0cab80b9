import type { Json } from "@pawl/core";
import { McpFailure } from "../base/failure.ts";
import { rawPageIn } from "../connect/raw-list.ts";
import type { Client } from "../connect/sdk.ts";
import { checkedEntries, type EntryKind, type LeftOut } from "./checked-entries.ts";
import type { ListedTool } from "./fingerprint.ts";

/** Bounds for each list of a server: pages, entries, and characters of JSON. */
const MOST_PAGES = 64;
const MOST_ITEMS = 2_000;
const MOST_CHARS = 10_000_000;

/** A kind of list that a server has. */
export type ListKind = "tools" | "resources" | "prompts";

const ENTRIES: Readonly<Record<ListKind, EntryKind>> = {
  tools: "Tool",
  resources: "Resource",
  prompts: "Prompt",
};

/** The entries of a list, of all its pages. */
export interface ReadList<T> {
  entries: T[];
  /** Those that are malformed. */
  leftOut: LeftOut[];
}

/** Accepts anything: each entry is checked on its own. */
const ANY = {
  "~standard": { version: 1, vendor: "pawl-mcp", validate: (value: unknown) => ({ value }) },
} as const;

/**
 * Reads all pages of a server's list of tools.
 *
 * @throws McpFailure if the list is too long, or is no list
 */
export async function readTools(server: string, client: Client): Promise<ReadList<ListedTool>> {
  const { entries, leftOut } = await readEntries<ListedTool>(server, client, "tools");
  const page = { tools: entries };
  (client as unknown as Inside)._excludeInvalidXMcpHeaderTools?.(page);
  return { entries: page.tools, leftOut };
}

/** The part of the SDK's client that it keeps private: it removes tools with invalid headers from a list. */
interface Inside {
  _excludeInvalidXMcpHeaderTools?(page: object): void;
}

/**
 * Reads all pages of a list, one after the other: asked without a cursor, the SDK would keep 64 pages of any
 * length.
 *
 * @throws McpFailure if the list is too long, or is no list
 */
export async function readEntries<T>(server: string, client: Client, kind: ListKind): Promise<ReadList<T>> {
  // The SDK would write to the console.
  if (client.getServerCapabilities()?.[kind] === undefined) return { entries: [], leftOut: [] };
  const isLegacy = client.getProtocolEra() === "legacy";
  const all: ReadList<T> = { entries: [], leftOut: [] };
  let cursor: string | undefined;
  let count = 0;
  let chars = 0;
  for (let pages = 1; ; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: `${kind}/list`, params } as never, ANY as never);
    const { listed, next } = pageOf(server, kind, page as Json);
    count += listed.length;
    // Before they are checked: each costs time.
    if (count > MOST_ITEMS) throw tooLong(server, kind, `${MOST_ITEMS} ${kind}`);
    const checked = await checkedEntries<T>(ENTRIES[kind], listed, isLegacy);
    all.entries.push(...checked.good);
    all.leftOut.push(...checked.leftOut);
    chars += checked.chars;
    cursor = next;
    if (chars > MOST_CHARS) throw tooLong(server, kind, `${MOST_CHARS} characters`);
    if (cursor === undefined) return all;
    if (pages === MOST_PAGES) throw tooLong(server, kind, `${MOST_PAGES} pages`);
  }
}

/** Returns the entries of a page, and the cursor of the next one. Some servers write `null` for none. */
function pageOf(
  server: string,
  kind: ListKind,
  result: Json,
): { listed: readonly Json[]; next: string | undefined } {
  const { listed, nextCursor: next } = rawPageIn(result);
  if (!Array.isArray(listed)) throw noList(server, kind, `it has no list \`${kind}\``);
  if (next !== null && typeof next !== "string") throw noList(server, kind, "its `nextCursor` is not a text");
  return { listed, next: next ?? undefined };
}

function noList(server: string, kind: ListKind, why: string): McpFailure {
  const message = `The list of ${kind} of "${server}" cannot be read: ${why}.`;
  return new McpFailure("mcp_unusable_result", "failed", message);
}

function tooLong(server: string, kind: ListKind, most: string): McpFailure {
  const message = `The list of ${kind} of "${server}" is too long: it has more than ${most}.`;
  return new McpFailure("mcp_refused", "failed", message);
}
