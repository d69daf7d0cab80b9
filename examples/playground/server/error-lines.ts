import type { Hook } from "@pawl/core";

/** The shortest text that counts as a key. A shorter one could occur in ordinary words. */
const SHORTEST_KEY = 8;

/**
 * Creates a hook that prints each error of a run in one line, e.g. `model_error 401: invalid x-api-key`. The
 * page shows fewer details than the developer needs.
 *
 * @param secret a key that is never printed, even if an error message contains it
 */
export function errorLines(print: (line: string) => void, secret = ""): Hook {
  return {
    name: "error-lines",
    onError: ({ code, message, context }) => {
      const line = `${[code, ...statusIn(context)].join(" ")}: ${message}`.replace(
        /[\s\p{Cc}\p{Cf}]+/gu,
        " ",
      );
      print(secret.length < SHORTEST_KEY ? line : line.replaceAll(secret, "…"));
    },
  };
}

function statusIn(context: unknown): number[] {
  const hasStatus = typeof context === "object" && context !== null && "status" in context;
  return hasStatus && typeof context.status === "number" ? [context.status] : [];
}
