import type { Leg } from "./leg.ts";

/** Returns the session's current type: the mode if a tool has set one, or else its `metadata.type`. */
export function effectiveType({ log, session }: Pick<Leg, "log" | "session">): string | undefined {
  const { type } = session.metadata;
  return log.state.mode ?? (typeof type === "string" ? type : undefined);
}
