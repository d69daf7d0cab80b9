import { type Json, type JsonObject, type Tool, toJson } from "@pawl/core";
import { clipText, type ToolSource, withoutHidden } from "@pawl/core/tools";
import { hide } from "../base/hide.ts";
import { objectIn } from "../base/json.ts";
import type { McpServerOptions, McpToolInfo } from "../connect/options.ts";
import type { Connection, Pool } from "../connect/pool.ts";
import type { LeftOut } from "./checked-entries.ts";
import { fingerprintOf, type ListedTool } from "./fingerprint.ts";
import { addressOf, connectorOf, parametersOf, toolNameOf } from "./names.ts";
import { isShortened, mayBeChosen, offeredTool, shownName, type ToolMaking, whyNot } from "./offered-tool.ts";
import { readTools } from "./read-list.ts";

const LIST_TTL_MS = 60_000;

/** The number of connections whose lists are kept. */
const MOST_LISTS = 1_000;

/** The tools of a server for one connection. */
export interface ToolList<Deps> {
  /** All tools of the server, offered or not. */
  infos: readonly McpToolInfo[];
  /** The tools that are offered, as agents take them. In the order of their names. */
  tools: readonly Tool<Deps>[];
  /** The tools that cannot be offered, with the reason. */
  left: readonly LeftOut[];
  /** The names of the offered tools whose description is cut. */
  shortened: readonly string[];
  /** The fingerprints of all tools as one text: equal lists have equal ones. */
  print: string;
}

/** What has changed in a server's list since it was last read. Names are those on the server. */
export interface McpToolChange {
  /** The server's name. */
  server: string;
  /** Tools that are new. */
  added: string[];
  /** Tools whose fingerprint is another one. */
  changed: string[];
  /** Tools that are gone. */
  removed: string[];
  /** Tools that are chosen but cannot be offered, and why. */
  leftOut: readonly { name: string; why: string }[];
  /** Tools whose description is longer than 8,000 characters. The model reads its beginning and its end. */
  shortened: readonly string[];
}

/** The lists of a server's connections. */
export interface ToolLists<Deps> {
  /** Returns the list of the connection; reads it again if it is older than `listTtlMs`. */
  of(connection: Connection): Promise<ToolList<Deps>>;
  /** Returns the list that was read last, however old it is. */
  last(connection: Connection): ToolList<Deps> | undefined;
  clear(): void;
}

/** Reads a server's tools, and keeps the list of each connection for a while. */
export function toolLists<Deps>(
  options: McpServerOptions<Deps>,
  pool: Pool<Deps>,
  onChange: (change: McpToolChange) => void,
): ToolLists<Deps> {
  const { listTtlMs = LIST_TTL_MS, now = Date.now } = options;
  const kept = new Map<string, { at: number; list: ToolList<Deps> }>();
  const reading = new Map<string, Promise<ToolList<Deps>>>();
  const source = sourceOf(options, onChange);

  async function read(connection: Connection): Promise<ToolList<Deps>> {
    // Several runs may wait for it, so no run's signal ends it.
    const given = await connection.use((client) => readTools(options.name, client), {
      isForAll: true,
      isRead: true,
    });
    const { entries, leftOut } = hide(toJson(given) as Json, connection.secrets()) as unknown as typeof given;
    const list = await listOf({ options, pool, source }, entries, leftOut);
    const before = kept.get(connection.key)?.list;
    // Most users have the same tools: then they share them.
    const twin = [...kept.values()].find((one) => one.list.print === list.print)?.list;
    const current = twin ?? list;
    kept.delete(connection.key);
    kept.set(connection.key, { at: now(), list: current });
    const [oldest] = kept.keys();
    if (kept.size > MOST_LISTS && oldest !== undefined) kept.delete(oldest);
    const isToldOf = list.left.length + list.shortened.length > 0;
    const isNews = before === undefined ? twin === undefined && isToldOf : current !== before;
    if (isNews) onChange(changeOf(options.name, before ?? list, list));
    return current;
  }

  return {
    of: async (connection: Connection): Promise<ToolList<Deps>> => {
      const { key } = connection;
      const known = kept.get(key);
      if (known !== undefined && now() - known.at < listTtlMs) return known.list;
      const running = reading.get(key) ?? read(connection).finally(() => reading.delete(key));
      reading.set(key, running);
      return await running;
    },
    last: ({ key }: Connection): ToolList<Deps> | undefined => kept.get(key)?.list,
    clear: () => kept.clear(),
  };
}

async function listOf<Deps>(
  making: ToolMaking<Deps>,
  listed: readonly ListedTool[],
  malformed: readonly LeftOut[],
): Promise<ToolList<Deps>> {
  const { options } = making;
  const sorted = [...listed].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const infos: McpToolInfo[] = [];
  const tools: Tool<Deps>[] = [];
  const left = malformed.filter(({ name }) => mayBeChosen(options, name)).map(shownName);
  const shortened: string[] = [];
  const names = new Set<string>();
  // Names with other characters get a hash, and a server may choose two with the same one.
  const toolNames = new Set<string>(options.oauth && [toolNameOf(options.name, "sign_in")]);
  for (const one of sorted) {
    if (names.has(one.name)) continue;
    names.add(one.name);
    const info = await infoOf(options.name, one);
    infos.push(info);
    const why = whyNot(options, info) ?? (toolNames.has(info.toolName) ? "its name is taken" : undefined);
    if (why === undefined) toolNames.add(info.toolName);
    const offered = why === undefined ? offeredTool(making, one, info) : { why };
    if ("made" in offered) tools.push(offered.made);
    else if (offered.why !== "") left.push(shownName({ name: one.name, why: offered.why }));
    if ("made" in offered && isShortened(info)) shortened.push(shownName(one).name);
  }
  const print = [...infos.map(({ fingerprint }) => fingerprint), JSON.stringify(malformed)].join(" ");
  return { infos, tools, left, shortened, print };
}

async function infoOf(server: string, listed: ListedTool): Promise<McpToolInfo> {
  const { name, description = "", annotations } = listed;
  return {
    name,
    toolName: toolNameOf(server, name),
    // Its reviewer must see what the model reads.
    description: withoutHidden(description),
    fingerprint: await fingerprintOf(listed),
    annotations: claimsIn(objectIn(annotations as Json | undefined)),
  };
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** The longest title of a tool, in characters. */
const MOST_TITLE_CHARS = 200;

/** Returns the annotations of a tool that users are shown. */
function claimsIn(annotations: JsonObject): McpToolInfo["annotations"] {
  const { title } = annotations;
  const hints = HINTS.filter((hint) => typeof annotations[hint] === "boolean");
  return {
    ...(typeof title === "string" && { title: clipText(withoutHidden(title), MOST_TITLE_CHARS) }),
    ...Object.fromEntries(hints.map((hint) => [hint, annotations[hint]])),
  };
}

function changeOf<Deps>(server: string, before: ToolList<Deps>, after: ToolList<Deps>): McpToolChange {
  const old = new Map(before.infos.map(({ name, fingerprint }) => [name, fingerprint]));
  const now = new Map(after.infos.map(({ name, fingerprint }) => [name, fingerprint]));
  return {
    server,
    added: [...now.keys()].filter((name) => !old.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    leftOut: after.left,
    shortened: after.shortened,
  };
}

/** The longest list of tools, in characters of JSON. */
const MAX_TOOL_CHARS = 200_000;

/** Describes the server to agents that have its tools. Reports those that do not fit into a prompt. */
function sourceOf<Deps>(
  options: McpServerOptions<Deps>,
  onChange: (change: McpToolChange) => void,
): ToolSource {
  const { name: server, maxToolChars = MAX_TOOL_CHARS } = options;
  const parameters = parametersOf(options);
  return {
    name: connectorOf(server),
    address: addressOf(options),
    ...(parameters !== undefined && { parameters }),
    maxChars: maxToolChars,
    omitted: (tools, why) => {
      // Tools have their names on the server here, with a hash if they are not valid for a model.
      const leftOut = tools.map((tool) => ({ name: tool.slice(`mcp__${server}__`.length), why }));
      onChange({ server, added: [], changed: [], removed: [], leftOut, shortened: [] });
    },
  };
}
