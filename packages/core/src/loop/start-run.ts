import type { Agent } from "../agent/agent.ts";
import { newHookTags } from "../context/own-tags.ts";
import { prefixFor } from "../context/prefix.ts";
import type { NewEvent } from "../log/event.ts";
import { eventKey } from "../log/event-keys.ts";
import type { CalledBy } from "../log/event-parts.ts";
import type { SessionState } from "../session/state.ts";
import type { Parts, PartsOfLeg } from "./leg/leg.ts";
import type { FetchedUserData } from "./leg/part-types.ts";

/** A run that is about to start. */
interface RunBeginning extends CalledBy {
  runId: string;
  userData: FetchedUserData;
  /** The id of the run that this one retries. */
  retryOf?: string;
  /** Whether the engine finds a process for the run, because this process has no place for it. */
  isGivenAway?: boolean;
  /** The number of hand-overs since the user's last message, if the run starts by one. */
  handOvers?: number;
}

/**
 * Reads the user data for a run that starts. Without the agent's `userData`, returns an empty text. `request`
 * has the arguments of `fetchUserData`.
 */
export async function userDataFor(
  load: PartsOfLeg["load"],
  ...request: Parameters<Parts["fetchUserData"]>
): Promise<FetchedUserData> {
  if (request[0].agent.userData === undefined) return { text: "", failure: undefined };
  // biome-ignore lint/plugin: callers call this function through the gate `afterBarrier()`.
  return await (await load()).fetchUserData(...request);
}

/** Returns the events with which a run starts, without its message. */
export function startEvents(
  state: SessionState,
  agent: Pick<Agent, "name" | "version" | "hooks" | "toolErrors"> & Parameters<typeof prefixFor>[1],
  newId: () => string,
  { runId, userData: { text, failure }, retryOf, caller, credentials, isGivenAway, handOvers }: RunBeginning,
): NewEvent[] {
  const tags = newHookTags(state, agent.hooks);
  const data = {
    run_id: runId,
    agent: agent.name,
    agent_version: agent.version,
    ...(tags.length > 0 && { tags }),
    ...(caller !== undefined && { caller }),
    ...(credentials && { credentials }),
    ...(handOvers && { hand_overs: handOvers }),
    ...(isGivenAway && { given_away: true as const }),
  };
  const started: NewEvent =
    retryOf === undefined
      ? { type: "run_started", data }
      : { type: "run_started", data: { ...data, retry_of: retryOf }, key: eventKey.retry(retryOf) };
  const { toolErrors = [] } = agent;
  const userDataErrors = failure === undefined ? [] : [failure];
  return [started, ...prefixFor(state, agent, newId, text), ...toolErrors, ...userDataErrors];
}

/** Reports to the application and to the hooks if a run has started without user data. */
export async function reportMissingUserData(
  load: PartsOfLeg["load"],
  ...started: Parameters<Parts["reportUserData"]>
): Promise<void> {
  if (started[2].userData.failure !== undefined) await (await load()).reportUserData(...started);
}
