import { McpFailure } from "../base/failure.ts";
import type { Client } from "../connect/sdk.ts";
import type { ListedTool } from "./fingerprint.ts";

/** Bounds for the list of a server: pages, tools, and characters of JSON. */
const MOST_PAGES = 64;
const MOST_TOOLS = 2_000;
const MOST_CHARS = 10_000_000;

/**
 * Reads all pages of a server's list of tools. One page after the other, because the SDK would read and keep
 * 64 pages of any length.
 *
 * @throws McpFailure if the list is too long
 */
export async function readList(server: string, client: Client): Promise<ListedTool[]> {
  // The SDK would write to the console.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  let chars = 0;
  for (let pages = 1; ; pages += 1) {
    const page = cursor === undefined ? await firstPage(client) : await client.listTools({ cursor });
    tools.push(...(page.tools as ListedTool[]));
    chars += JSON.stringify(page.tools).length;
    cursor = page.nextCursor;
    if (tools.length > MOST_TOOLS) throw tooLong(server, `it has more than ${MOST_TOOLS} tools`);
    if (chars > MOST_CHARS) throw tooLong(server, `it has more than ${MOST_CHARS} characters`);
    if (cursor === undefined) return tools;
    if (pages === MOST_PAGES) throw tooLong(server, `it has more than ${MOST_PAGES} pages`);
  }
}

/** The part of the SDK's client that it keeps private: it removes tools with invalid headers from a page. */
interface Inside {
  _excludeInvalidXMcpHeaderTools?(page: object): void;
}

/** Returns the first page alone. `listTools()` would read all of them. */
async function firstPage(client: Client) {
  const page = await client.request({ method: "tools/list", params: {} });
  (client as unknown as Inside)._excludeInvalidXMcpHeaderTools?.(page);
  return page;
}

function tooLong(server: string, why: string): McpFailure {
  return new McpFailure("mcp_refused", "failed", `The list of tools of "${server}" is too long: ${why}.`);
}
