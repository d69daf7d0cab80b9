import type { RunState } from "../../session/state.ts";
import type { Leg } from "./leg.ts";

/**
 * Returns who speaks: the role of an agent with roles, or the name of an agent that can hand the conversation
 * over, or has taken it over. Otherwise `undefined`.
 */
export function speakerOf(leg: Leg): string | undefined {
  const { roles, handOverTo, name } = leg.run.agent;
  if (roles !== undefined) return effectiveType(leg);
  return handOverTo !== undefined || leg.log.state.handedTo !== null ? name : undefined;
}

/**
 * Returns whether the leg only ends the run of an agent that this runtime lacks, so that the session's own
 * agent continues.
 */
export function isReplaced({ run: { agent, session } }: Pick<Leg, "run">, run: RunState): boolean {
  return agent.name === session.agent && run.agent !== agent.name;
}

/** The parts of a leg that `effectiveType` reads. */
export interface CallingLeg {
  readonly log: Pick<Leg["log"], "state">;
  readonly run: Pick<Leg["run"], "session"> & { readonly agent: Pick<Leg["run"]["agent"], "roles"> };
}

/**
 * Returns the session's current type: the mode if a tool has set one, or else its `metadata.type`. For an
 * agent with roles, it is the role: the first one, if neither names a role.
 */
export function effectiveType({ log, run: { session, agent } }: CallingLeg): string | undefined {
  const { type } = session.metadata;
  const known = log.state.mode ?? (typeof type === "string" ? type : undefined);
  const { roles } = agent;
  return roles === undefined || Object.hasOwn(roles, known ?? "") ? known : Object.keys(roles)[0];
}
