import { McpFailure } from "../base/failure.ts";
import type { Client } from "../connect/sdk.ts";
import type { ListedTool } from "./fingerprint.ts";

/** Bounds for each list of a server: pages, items, and characters of JSON. */
const MOST_PAGES = 64;
const MOST_ITEMS = 2_000;
const MOST_CHARS = 10_000_000;

/** A kind of list that a server has. */
export type ListKind = "tools" | "resources" | "prompts";

interface Page {
  nextCursor?: string | undefined;
}

/**
 * Reads all pages of a server's list of tools.
 *
 * @throws McpFailure if the list is too long
 */
export async function readList(server: string, client: Client): Promise<ListedTool[]> {
  return await readPages(server, client, "tools", async (params) => {
    if (params.cursor !== undefined) return pageOf(await client.listTools(params), "tools");
    const page = await client.request({ method: "tools/list", params });
    (client as unknown as Inside)._excludeInvalidXMcpHeaderTools?.(page);
    return pageOf(page, "tools");
  });
}

/** The part of the SDK's client that it keeps private: it removes tools with invalid headers from a page. */
interface Inside {
  _excludeInvalidXMcpHeaderTools?(page: object): void;
}

/** Reads all pages of a server's list of resources or prompts. @throws McpFailure if the list is too long */
export async function readSources<T>(
  server: string,
  client: Client,
  kind: "resources" | "prompts",
): Promise<T[]> {
  return await readPages(server, client, kind, async (params) =>
    pageOf((await client.request({ method: `${kind}/list`, params } as never)) as Page, kind),
  );
}

/** Reads one page after the other. Asked without a cursor, the SDK would keep 64 pages of any length. */
async function readPages<T>(
  server: string,
  client: Client,
  kind: ListKind,
  read: (params: { cursor?: string }) => Promise<Page & { items: T[] }>,
): Promise<T[]> {
  // The SDK would write to the console.
  if (client.getServerCapabilities()?.[kind] === undefined) return [];
  const all: T[] = [];
  let cursor: string | undefined;
  let chars = 0;
  for (let pages = 1; ; pages += 1) {
    const { items, nextCursor } = await read(cursor === undefined ? {} : { cursor });
    // Before the items are spread: a call can have only so many arguments.
    if (all.length + items.length > MOST_ITEMS) throw tooLong(server, kind, `${MOST_ITEMS} ${kind}`);
    all.push(...items);
    chars += JSON.stringify(items).length;
    cursor = nextCursor;
    if (chars > MOST_CHARS) throw tooLong(server, kind, `${MOST_CHARS} characters`);
    if (cursor === undefined) return all;
    if (pages === MOST_PAGES) throw tooLong(server, kind, `${MOST_PAGES} pages`);
  }
}

function pageOf<T>(page: Page, kind: ListKind): Page & { items: T[] } {
  const items = (page as Page & { [kind in ListKind]?: unknown[] })[kind] as T[];
  return { items, nextCursor: page.nextCursor };
}

function tooLong(server: string, kind: ListKind, most: string): McpFailure {
  const message = `The list of ${kind} of "${server}" is too long: it has more than ${most}.`;
  return new McpFailure("mcp_refused", "failed", message);
}
