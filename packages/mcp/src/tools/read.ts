import type { Json, JsonObject } from "@pawl/core";
import { textOf, toJson } from "@pawl/core";
import { isObject } from "../base/json.ts";
import type { Connection } from "../connect/pool.ts";
import { resourceBlock } from "./result.ts";

/** A resource or a prompt, as its server lists it. */
export interface McpSource {
  /** The URI of a resource, or the name of a prompt. */
  name: string;
  /** A name for people. */
  title: string;
  /** What it is, for people and models. */
  description: string;
}

/** Reads a resource as text. What is not text is replaced by a note. */
export async function readResource(
  connection: Connection,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { contents } = await connection.use((client) =>
    client.readResource({ uri }, { cacheMode: "refresh", ...(signal && { signal }) }),
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
  const { messages } = await connection.use((client) =>
    client.getPrompt({ name, arguments: { ...args } }, signal && { signal }),
  );
  return messages.map(({ content }) => plain(toJson(content))).join("\n\n");
}

/** Lists the resources of a server. */
export async function listResources(connection: Connection): Promise<McpSource[]> {
  const resources = await connection.use(async (client) =>
    client.getServerCapabilities()?.resources === undefined ? [] : (await client.listResources()).resources,
  );
  return resources.map(({ uri, name, title, description }) => ({
    name: uri,
    title: title ?? name,
    description: description ?? "",
  }));
}

/** Lists the prompts of a server. */
export async function listPrompts(connection: Connection): Promise<McpSource[]> {
  const prompts = await connection.use(async (client) =>
    client.getServerCapabilities()?.prompts === undefined ? [] : (await client.listPrompts()).prompts,
  );
  return prompts.map(({ name, title, description }) => ({
    name,
    title: title ?? name,
    description: description ?? "",
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
