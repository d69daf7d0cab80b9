import type { Hook } from "@pawl/core";

/** A shorter one is no key, and its letters stand in ordinary words. */
const SHORTEST_KEY = 8;

/**
 * Prints every error that a run logs in one line, e.g. `model_error 401: invalid x-api-key`. The page shows
 * people less than its developer needs.
 *
 * @param secret never printed, whoever echoes it
 */
export function errorLines(print: (line: string) => void, secret = ""): Hook {
  return {
    name: "error-lines",
    onError: ({ code, message, context }) => {
      const line = `${[code, ...statusIn(context)].join(" ")}: ${message}`.replace(/[\s\p{Cc}]+/gu, " ");
      print(secret.length < SHORTEST_KEY ? line : line.replaceAll(secret, "…"));
    },
  };
}

function statusIn(context: unknown): number[] {
  const hasStatus = typeof context === "object" && context !== null && "status" in context;
  return hasStatus && typeof context.status === "number" ? [context.status] : [];
}
