import type { JsonObject } from "../base/json.ts";
import type { Session } from "../log/session-row.ts";
import type { TextBlock } from "../model/content.ts";
import { wrapInTag } from "./sanitize.ts";

/**
 * The argument of `read` in an agent's `userData`.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ script: [{ text: "Good morning, Ada." }] });
 * const coach = agent({
 *   name: "coach",
 *   model,
 *   instructions: "You are a coach.",
 *   userData: { read: ({ session }) => `<name>${session.userId}</name>` },
 * });
 * const pawl = runtime({ agents: [coach], store: memoryStore() });
 * await pawl.run("coach", { userId: "Ada", input: "Good morning" }).result;
 * console.log(model.requests[0]?.system); // two blocks; the second is <user_data> …
 * ```
 */
export interface UserDataSource<Deps = unknown> {
  /** The session's row. */
  session: Session;
  /** What the application says about the user, see `RunOptions.caller`. Default: `{}`. */
  caller: JsonObject;
  /** The caller's credentials; `undefined` if this process has none. */
  credentials: unknown;
  /** The value that the runtime's `deps` returned for this session and caller. */
  deps: Deps;
  /** Aborted when `read` takes too long. */
  signal: AbortSignal;
}

/** Returns user data as a system block, in the tag `<user_data>`. */
export function userDataBlock(text: string): TextBlock {
  return { type: "text", text: wrapInTag("user_data", text) };
}
