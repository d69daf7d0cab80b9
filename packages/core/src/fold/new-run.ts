import type { JsonObject } from "../base/json.ts";
import type { StoredOf } from "../log/event.ts";
import { noUsage } from "../model/pricing.ts";
import type { RunState } from "../session/state.ts";

/** Returns the state of a run that has just started. */
export function newRun({ seq, at, data }: StoredOf<"run_started">, params: JsonObject = {}): RunState {
  return {
    params,
    caller: data.caller ?? {},
    needsCredentials: data.credentials === true,
    runId: data.run_id,
    seq,
    agent: data.agent,
    agentVersion: data.agent_version,
    handOvers: data.hand_overs ?? 0,
    turns: 0,
    usage: noUsage,
    costUsd: 0,
    texts: [],
    calls: [],
    tasks: [],
    asked: [],
    turn: undefined,
    pauses: 0,
    attempt: undefined,
    openRequest: undefined,
    succeeded: new Map(),
    work: { ms: 0, since: at, last: at },
    landing: undefined,
    effects: new Map(),
    ending: undefined,
    blocked: undefined,
    reminded: false,
    stopRequested: false,
    stopSeq: undefined,
    interrupted: false,
    checkpointFailed: false,
    refusedAt: undefined,
    sessionStatus: undefined,
    unsettled: true,
    recoveries: 0,
    gaveWay: data.given_away === true,
    agentChange: undefined,
    cause: undefined,
    ended: undefined,
    failed: false,
  };
}
