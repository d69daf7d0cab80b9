import { canonicalJson, type JsonObject, type Runtime } from "@pawl/core";
import type { Reader } from "./caller.ts";

/**
 * Returns whether a reader gives its credentials to the session's last run, if that asks for them: `follow()`
 * takes them only from the run's own caller.
 */
export async function givesCredentials(
  { store }: Runtime,
  sessionId: string,
  { caller, credentials }: Reader,
): Promise<boolean> {
  if (credentials === undefined || caller === undefined) return credentials !== undefined;
  let own: JsonObject = {};
  for await (const { type, data } of store.read(sessionId, { types: ["run_started", "tool_answered"] })) {
    if (type === "run_started") own = data.caller ?? {};
    else if (type === "tool_answered") own = data.caller ?? own;
  }
  return canonicalJson(caller) === canonicalJson(own);
}
