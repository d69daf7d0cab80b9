import type { McpServerOptions } from "../connect/options.ts";

/** The longest name of a tool that the APIs of models accept. */
const MOST_CHARS = 64;

/** The name of a connector, as reports and sub-agents have it. */
export function connectorOf(server: string): string {
  return `mcp::${server}`;
}

/**
 * Returns the name under which the model knows a tool: `mcp__<server>__<tool>`. A name with other characters
 * than `a-z A-Z 0-9 _ -`, or one that is too long, gets a hash of the original, so that it depends on nothing
 * but the tool's own name.
 */
export function toolNameOf(server: string, tool: string): string {
  const clean = tool.replace(/[^a-zA-Z0-9_-]/g, "_");
  const name = `mcp__${server}__${clean}`;
  if (clean === tool && tool !== "" && name.length <= MOST_CHARS) return name;
  const hash = hashOf(tool);
  return `${name.slice(0, MOST_CHARS - hash.length - 1)}_${hash}`;
}

/** FNV-1a, 32 bits, as 8 hexadecimal digits. It only tells names apart. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

/** The options of a server that say where it is. */
export type ServerPlace = Pick<McpServerOptions, "url" | "command" | "args">;

/** Returns the parameters of a server's address, which may be secret; `undefined` without any. */
export function parametersOf({ url }: ServerPlace): string | undefined {
  return (url && new URL(String(url)).search) || undefined;
}

/**
 * Returns where a server is, for people: the address without its parameters, which may be secret, or the
 * program. Its arguments may be secret too, so there is only a hash of them.
 */
export function addressOf({ url, command, args = [] }: ServerPlace): string {
  if (command === undefined) {
    const { origin, pathname } = new URL(String(url));
    return origin + pathname;
  }
  return args.length === 0 ? command : `${command} (arguments ${hashOf(JSON.stringify(args))})`;
}
