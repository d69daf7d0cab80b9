import { unmetCondition } from "@pawl/core/tools";
import { errorResponse } from "../request/wire-error.ts";

/** The headers that a 304 has if the 200 would have them (RFC 9110, 15.4.5). */
const REPEATED = ["cache-control", "content-location", "etag", "expires", "vary"];

/**
 * Returns the response to a GET or HEAD request, or what its conditions ask for instead: 304 or 412. Only a
 * 200 has a representation.
 */
export function conditional(request: Request, response: Response): Response {
  if (response.status !== 200) return response;
  const instead = notMet(request, response.headers);
  // What was opened for the body is closed.
  if (instead !== undefined) response.body?.cancel().catch(() => undefined);
  return instead ?? response;
}

/**
 * Returns the response to a request whose conditions do not hold; `undefined` if they do.
 *
 * @param would the headers of the 200 that the request would get
 */
export function notMet({ headers }: Request, would: Headers): Response | undefined {
  const status = unmetCondition(headers, would.get("etag") ?? undefined);
  if (status === undefined) return undefined;
  if (status === 412)
    return errorResponse(
      412,
      "invalid_input",
      "The resource does not have the ETag of the request's `if-match`. Load the resource again.",
    );
  const repeated = REPEATED.flatMap((name) => {
    const value = would.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  return new Response(null, { status: 304, headers: repeated });
}
