import { refusal } from "./wire-error.ts";

/**
 * Refuses a URL whose path or query contains a NUL (`%00`). Databases cannot store it in a name, and some
 * fail on it.
 *
 * @throws HTTPException of Hono 400.
 *
 * @example
 * ```ts
 * import { refuseNul } from "@pawl/sse";
 *
 * refuseNul("http://localhost/sessions/s1");
 * ```
 */
export function refuseNul(url: string): void {
  if (url.includes("%00"))
    throw refusal(400, "invalid_input", "The path and query must not contain a NUL (%00).");
}
