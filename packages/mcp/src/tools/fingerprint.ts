import { canonicalJson, type Json, toJson } from "@pawl/core";
import { addressOf, parametersOf, type ServerPlace } from "./names.ts";

/** A tool in the form in which servers list it. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
  /** What an older server says about tasks: `required`, `optional` or `forbidden`. */
  execution?: { taskSupport?: unknown } | undefined;
}

/**
 * Returns the SHA-256 of what decides how a tool behaves for the model: its name, description, schemas and
 * annotations. The order of keys does not matter: the SDK changes it.
 */
export async function fingerprintOf(tool: ListedTool): Promise<string> {
  const { name, description, inputSchema, outputSchema, annotations } = tool;
  return await sha256Of({ name, description, inputSchema, outputSchema, annotations });
}

/** Returns a hash of a tool and of where its server is. A call that was not sent yet compares it. */
export async function definitionOf(options: ServerPlace, tool: ListedTool): Promise<string> {
  return await sha256Of([await fingerprintOf(tool), addressOf(options), parametersOf(options) ?? null]);
}

async function sha256Of(facts: unknown): Promise<string> {
  const text = canonicalJson(toJson(facts) as Json);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
