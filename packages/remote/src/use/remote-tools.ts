import { canonicalJson, PawlError, type Session, type Tool } from "@pawl/core";
import { reporter } from "@pawl/core/tools";
import { shownUrl } from "./endpoint.ts";
import { readList } from "./read-list.ts";
import { callRemote } from "./remote-call.ts";
import type { CallDefined } from "./remote-definitions.ts";
import { RemoteFailure } from "./remote-failure.ts";
import { checkRemoteTools, type RemoteCaller, type RemoteToolsOptions } from "./remote-options.ts";
import { type ReadAgain, toolLists } from "./tool-list.ts";

/** The most names of tools in one warning. */
const MOST_NAMES = 20;

/** What `agent()` passes to a function `tools`. */
export interface ToolsSource<Deps = unknown>
  extends Pick<RemoteCaller<Deps>, "caller" | "credentials" | "deps"> {
  session: Pick<Session, "id" | "userId">;
  signal: AbortSignal;
}

/**
 * Returns a function for the `tools` of an agent, with the tools of a server in another process: one that
 * `toolHandler()` of `@pawl/remote/server` serves, or any with these two routes, in any language.
 *
 * - `GET <url>/tools/schema` answers `{ tools: [{ name, description, input_schema }] }`. The list is kept for
 *   `cacheMs`, then asked for again with its `ETag`. If the server is down, the last list is used.
 * - `POST <url>/tools/execute` with `{ tool_name, tool_input }` answers `{ result }`, or `{ error }` if the
 *   tool failed. The header `Idempotency-Key` is the same in each attempt of a call, also after a crash.
 *
 * Requests have the run's credentials as their bearer token, which is sent to this server only and is in no
 * error. A call that fails is an error that the model reads. Only an `idempotent` tool is called again if a
 * request fails. A run that is stopped aborts its requests.
 *
 * If the server changes its tools, that counts from the next run on, as for every function `tools`.
 *
 * @throws PawlError `config` for unknown, missing and invalid options. The function rejects, which refuses
 * the run with `tools_failed`, if there is no token, no list, or a list with a tool that cannot be used.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { remoteTools } from "@pawl/remote";
 * import { scriptedModel } from "@pawl/testing";
 *
 * // In an app, a server: without `fetch`, requests go to `url`.
 * const server = async (url: string | URL | Request, init?: RequestInit) =>
 *   String(url).endsWith("/tools/schema")
 *     ? Response.json({ tools: [{ name: "get_rank", description: "…", input_schema: { type: "object" } }] })
 *     : Response.json({ result: `Champion II, for ${new Headers(init?.headers).get("authorization")}` });
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ tools: [{ name: "get_rank", input: {} }] }, { text: "You are Champion II." }]),
 *   instructions: "You coach players.",
 *   tools: remoteTools({ url: "https://api.example.com/coach", fetch: server }),
 * });
 * const pawl = runtime({ agents: [coach], store: memoryStore() });
 * const run = pawl.run("coach", { userId: "ada", input: "My rank?", credentials: { token: "of-ada" } });
 * console.log((await run.result).actions[0]?.result); // Champion II, for Bearer of-ada
 * ```
 */
export function remoteTools<Deps = unknown>(
  options: RemoteToolsOptions<Deps>,
): (source: ToolsSource<Deps>) => Promise<Tool<Deps>[]> {
  checkRemoteTools(options);
  const { url, perUser = true, cacheMs = 60_000, maxToolChars = 200_000 } = options;
  const printed = (message: string) => console.warn(`pawl: ${PawlError.describe(message)}`);
  const onWarning = reporter("onWarning", options.onWarning ?? printed);
  const whose = `remoteTools() for ${shownUrl(url)}`;
  const isDown = (error: unknown) => {
    if (!(error instanceof RemoteFailure) || !error.isPassing) return false;
    onWarning(`${whose}: the last list of tools is used, because ${error.message}`);
    return true;
  };
  const missing = (names: readonly string[]) =>
    onWarning(`${whose}: the server does not have the tools ${names.join(", ")}.`);
  const lists = toolLists(cacheMs, isDown);
  const { search } = new URL(url);
  const source = {
    name: shownUrl(url),
    ...(search !== "" && { parameters: search }),
    maxChars: maxToolChars,
    omitted: (names: readonly string[], why: string) => {
      const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
      const first = names.slice(0, MOST_NAMES).join(", ");
      onWarning(`${whose}: tools are left out, because ${why}: ${first}${more}.`);
    },
  };
  return async ({ session, caller, credentials, deps, signal }) => {
    const of = { userId: session.userId, sessionId: session.id, caller, credentials, deps };
    const asker = canonicalJson([of.userId, caller]);
    const key = perUser ? asker : "";
    const expire = () => lists.expire(key);
    // The tools are kept for other runs: nothing of this caller may be in them.
    const call: CallDefined = (definition, input, context) =>
      callRemote<never>(options, definition, input, context, expire);
    const read: ReadAgain = (etag) => readList(options, of, etag, { call, missing, source });
    try {
      return (await lists.get(key, asker, signal, read)) as Tool<Deps>[];
    } catch (cause) {
      throw cause instanceof RemoteFailure ? new Error(`${whose}: ${cause.message}`) : cause;
    }
  };
}
