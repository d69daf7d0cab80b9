import { PawlError } from "@pawl/core";
import type { RestateEngineOptions } from "./options.ts";

/** How long a request to Restate may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Requests to one of Restate's APIs. */
export interface Requests {
  /**
   * Sends a JSON body to a path that begins with `/`.
   *
   * @throws PawlError `store_unavailable` if Restate cannot be reached or fails, `forbidden` if it refuses
   * the token, `config` if it refuses the request
   */
  post(path: string, body: unknown): Promise<void>;
}

/** Makes requests to the API at `url`. */
export function requestsTo(
  url: string,
  { authToken, fetch = globalThis.fetch }: Pick<RestateEngineOptions, "authToken" | "fetch">,
): Requests {
  const base = url.replace(/\/+$/, "");
  const { origin } = new URL(url);
  return {
    post: async (path, body) => {
      const headers = {
        "content-type": "application/json",
        ...(authToken !== undefined && { authorization: `Bearer ${authToken}` }),
      };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      let response: Response;
      let text: string;
      try {
        response = await fetch(`${base}${path}`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
        text = await response.text();
      } catch (cause) {
        throw new PawlError("store_unavailable", `Restate could not be reached at ${origin}.`, { cause });
      }
      if (!response.ok) throw failed(origin, response.status, text);
    },
  };
}

function failed(origin: string, status: number, text: string): PawlError {
  const details = { status };
  const said = messageIn(text);
  const which = `Restate at ${origin}`;
  if (status === 401 || status === 403) {
    return new PawlError("forbidden", `${which} refused \`authToken\` (${status}).`, { details });
  }
  if (status === 408 || status === 429 || status >= 500) {
    return new PawlError("store_unavailable", `${which} failed with status ${status}${said}`, { details });
  }
  const hint = status === 404 ? " A worker must be registered before the first wake." : "";
  return new PawlError("config", `${which} refused the request with status ${status}${said}${hint}`, {
    details,
  });
}

/** Returns what Restate says about a failure, shortened, after a colon. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text);
    if (typeof message === "string") return `: ${message.slice(0, 500).replace(/\.?$/, ".")}`;
  } catch {
    // A proxy in between may answer with a page.
  }
  return ".";
}
