import type { Leg } from "./leg.ts";

/** The parts of a leg that `effectiveType` reads. */
export interface CallingLeg {
  readonly log: Pick<Leg["log"], "state">;
  readonly run: Pick<Leg["run"], "session">;
}

/** Returns the session's current type: the mode if a tool has set one, or else its `metadata.type`. */
export function effectiveType({ log, run: { session } }: CallingLeg): string | undefined {
  const { type } = session.metadata;
  return log.state.mode ?? (typeof type === "string" ? type : undefined);
}
