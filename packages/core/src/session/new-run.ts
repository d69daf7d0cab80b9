import type { EventData } from "../events/event.ts";
import { noUsage } from "../model/pricing.ts";
import type { RunState } from "./state.ts";

/** A run that has just been started, at this time. */
export function newRun(data: EventData["run_started"], at: string): RunState {
  return {
    runId: data.run_id,
    agent: data.agent,
    agentVersion: data.agent_version,
    turns: 0,
    usage: noUsage,
    costCents: 0,
    texts: [],
    calls: [],
    turn: undefined,
    pauses: 0,
    attempt: undefined,
    succeeded: new Map(),
    work: { ms: 0, since: at, last: at },
    landing: undefined,
    effects: new Map(),
    ending: undefined,
    reminded: false,
    stopRequested: false,
    checkpointFailed: false,
    sessionStatus: undefined,
    inLeg: true,
    recoveries: 0,
    ended: undefined,
  };
}
