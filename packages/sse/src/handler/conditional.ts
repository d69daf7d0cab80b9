import { unmetCondition } from "@pawl/core/tools";
import { refusal } from "../request/wire-error.ts";

/** The headers that a 304 has if the 200 would have them (RFC 9110, 15.4.5). */
const REPEATED = ["cache-control", "content-location", "etag", "expires", "vary"];

/**
 * Returns the response to a GET or HEAD request, or the 304 that its conditions ask for instead. Only a 200
 * has a representation.
 *
 * @throws HTTPException 412 if `if-match` does not hold.
 */
export function conditional(request: Request, response: Response): Response {
  if (response.status !== 200) return response;
  let isSent = false;
  try {
    const instead = notMet(request, response.headers);
    isSent = instead === undefined;
    return instead ?? response;
  } finally {
    // What was opened for the body is closed.
    if (!isSent) response.body?.cancel().catch(() => undefined);
  }
}

/**
 * Returns the response to a request whose conditions do not hold; `undefined` if they do.
 *
 * @param would the headers of the 200 that the request would get
 * @throws HTTPException 412 if `if-match` does not hold.
 */
export function notMet({ headers }: Request, would: Headers): Response | undefined {
  const status = unmetCondition(headers, would.get("etag") ?? undefined);
  if (status === undefined) return undefined;
  if (status === 412)
    throw refusal(
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
