import type { AgentClientOptions } from "./agent-client.ts";

/** The parts of a browser's window that {@link sessionInUrl} uses. */
interface Page {
  location?: { readonly href: string };
  history?: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void };
}

/**
 * Returns the options that keep the session's id in the page's address, e.g. `?session=…`, so that a reload
 * or a bookmark opens the same session. `name` is the name of the parameter in the address.
 *
 * It replaces the address and adds no entry to the browser's history, so Back leaves the page.
 *
 * Call it in each rendering of `useAgent`, or once for `createAgentClient`. Without an address, e.g. on a
 * server, it keeps nothing. The id gives nobody access: the server checks whose session it is.
 *
 * @example
 * ```ts
 * import { createAgentClient, sessionInUrl } from "@pawl/client";
 *
 * const coach = createAgentClient({ url: "/api/coach", ...sessionInUrl() });
 * coach.close();
 * ```
 */
export function sessionInUrl(name = "session"): Pick<AgentClientOptions, "sessionId" | "onSession"> {
  const { location, history } = globalThis as Page;
  const sessionId = location && new URL(location.href).searchParams.get(name);
  return {
    ...(sessionId && { sessionId }),
    onSession: (id) => {
      if (!location || !history) return;
      const url = new URL(location.href);
      if (id === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, id);
      history.replaceState(history.state, "", url.href);
    },
  };
}
