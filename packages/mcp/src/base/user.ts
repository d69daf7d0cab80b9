import type { JsonObject, Session, ToolContext } from "@pawl/core";

/** The user for whom a server is asked. */
export interface McpUser<Deps = unknown> {
  /** The id of the session's owner. */
  userId: string;
  /** What the application says about the user, see `RunOptions.caller`. Default: `{}`. */
  caller?: JsonObject;
  /** The caller's credentials, see `RunOptions.credentials`. */
  credentials?: unknown;
  /** The value that the runtime's `deps` option returned for the session. */
  deps?: Deps;
  /** Aborts the request. */
  signal?: AbortSignal;
}

/** The argument of an agent's function `tools`, as far as servers need it. */
export interface McpToolsSource<Deps = unknown> {
  session: Pick<Session, "userId">;
  caller: JsonObject;
  credentials: unknown;
  deps: Deps;
  signal: AbortSignal;
}

/** Returns the user of a run that is about to begin or to be resumed. */
export function userOf<Deps>({ session, ...rest }: McpToolsSource<Deps>): McpUser<Deps> {
  const { caller, credentials, deps, signal } = rest;
  return { userId: session.userId, caller, credentials, deps, signal };
}

/** Returns the user for whom a tool is called. */
export function callerOf<Deps>(context: ToolContext<Deps>): McpUser<Deps> {
  const { userId, caller, credentials, deps, signal } = context;
  return { userId, caller, credentials, deps, signal };
}
