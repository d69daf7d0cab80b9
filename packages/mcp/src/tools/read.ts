import type { Json, JsonObject } from "@pawl/core";
import { textOf, toJson } from "@pawl/core";
import { clipText, withoutHidden } from "@pawl/core/tools";
import { isObject } from "../base/json.ts";
import type { Connection } from "../connect/pool.ts";
import { readEntries } from "./read-list.ts";
import { resourceBlock } from "./result.ts";

/** The longest texts of a resource or a prompt, in characters. */
const MOST_NAME_CHARS = 2_000;
const MOST_TITLE_CHARS = 200;
const MOST_DESCRIPTION_CHARS = 1_000;

/** A resource or a prompt, as its server lists it. */
export interface McpSource {
  /**
   * The URI of a resource, or the name of a prompt: at most 2,000 characters, all of them visible. Others are
   * left out.
   */
  name: string;
  /** A name for people, cut at 200 characters. */
  title: string;
  /** What it is, for people and models, cut at 1,000 characters. */
  description: string;
}

/** Reads a resource as text. What is not text is replaced by a note. */
export async function readResource(
  connection: Connection,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { contents } = await connection.use(
    (client) => client.readResource({ uri }, { cacheMode: "refresh", ...(signal && { signal }) }),
    { signal, isRead: true },
  );
  return contents.map((part) => plain(toJson(part))).join("\n\n");
}

/** Reads a prompt as text: its messages, one after the other. */
export async function getPrompt(
  connection: Connection,
  name: string,
  args: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { messages } = await connection.use(
    (client) => client.getPrompt({ name, arguments: { ...args } }, signal && { signal }),
    { signal, isRead: true },
  );
  return messages.map(({ content }) => plain(toJson(content))).join("\n\n");
}

/** A resource or a prompt on the wire. */
interface Listed {
  uri?: string;
  name: string;
  title?: string;
  description?: string;
}

/** Lists the resources of a server. @throws McpFailure if there are too many */
export async function listResources(connection: Connection, server: string): Promise<McpSource[]> {
  return await listed(connection, server, "resources");
}

/** Lists the prompts of a server. @throws McpFailure if there are too many */
export async function listPrompts(connection: Connection, server: string): Promise<McpSource[]> {
  return await listed(connection, server, "prompts");
}

async function listed(
  connection: Connection,
  server: string,
  kind: "resources" | "prompts",
): Promise<McpSource[]> {
  const { entries } = await connection.use((client) => readEntries<Listed>(server, client, kind), {
    isRead: true,
  });
  // A name that is cut or cleaned would name something else.
  const isUsable = (name: string) => name.length <= MOST_NAME_CHARS && withoutHidden(name) === name;
  const usable = entries.filter(({ uri, name }) => isUsable(uri ?? name));
  return usable.map(({ uri, name, title = name, description = "" }) => ({
    name: uri ?? name,
    title: clipText(withoutHidden(title), MOST_TITLE_CHARS),
    description: clipText(withoutHidden(description), MOST_DESCRIPTION_CHARS),
  }));
}

function plain(part: Json): string {
  if (!isObject(part)) return "";
  const { type, text, resource } = part;
  if (typeof text === "string") return text;
  if (type === "resource" && isObject(resource)) return plain(resource);
  const block = resourceBlock({ uri: "", ...part } as JsonObject);
  return block.type === "text" ? textOf([block]) : `[${part.mimeType ?? part.type ?? "content"}]`;
}
