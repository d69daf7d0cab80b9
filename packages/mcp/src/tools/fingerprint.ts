import { canonicalJson, type Json, toJson } from "@pawl/core";

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
  const facts = { name, description, inputSchema, outputSchema, annotations };
  const text = canonicalJson(toJson(facts) as Json);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
