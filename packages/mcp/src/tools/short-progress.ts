import type { JsonObject } from "@pawl/core";
import { clipText, withoutHidden } from "@pawl/core/tools";

/** The longest message of progress, in characters. */
const MOST_PROGRESS_CHARS = 1_000;

/** Returns what the specification has of a server's progress, with a message that is not too long. */
export function shortProgress({ progress, total, message }: JsonObject): JsonObject {
  return {
    ...(progress !== undefined && { progress }),
    ...(total !== undefined && { total }),
    ...(typeof message === "string" && { message: clipText(withoutHidden(message), MOST_PROGRESS_CHARS) }),
  };
}
