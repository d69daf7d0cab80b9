import type { Agent } from "../agent/agent.ts";
import { PawlError } from "../base/errors.ts";
import type { StoredOf } from "../log/event.ts";
import { ABORTED, type StopReason } from "../log/stop-reason.ts";
import { lackedSpeaker } from "../loop/lacked-speaker.ts";
import type { Successor } from "../loop/leg/end-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { reportMissingUserData, startEvents, userDataFor } from "../loop/start-run.ts";
import type { ToolSpec } from "../model/content.ts";
import { handOverTarget, queuedMessages } from "../session/queued.ts";
import type { SessionState } from "../session/state.ts";

/**
 * Fetches the user data for the next run, if queued messages or a hand-over to the agent `target` need one.
 * Uses the caller of the last message, or else of the current run. `reason` is why the current run ends,
 * before a hook has changed it.
 *
 * Returns a function that makes the next run from the state at the time of its call. Nothing may be awaited
 * between that call and the append, so that no message is missed. The function returns `undefined` if no
 * message needs a run. It returns `decide_again` if another message has become the last one, because that
 * message may have another caller.
 */
export async function prepareNextRun(
  leg: Leg,
  reason: StopReason,
  target?: string,
): Promise<() => Successor | "decide_again" | undefined> {
  const lastMessage = () => messagesForNextRun(leg, reason).at(-1);
  const message = lastMessage();
  const { clock } = leg.life;
  const isWanted = message !== undefined || target !== undefined;
  const { agent, lacked } = nextAgent(leg);
  const userData = !isWanted
    ? { text: "", failure: undefined }
    : await afterBarrier(leg, async () =>
        userDataFor(
          leg.parts.load,
          { agent, session: leg.run.session },
          message === undefined ? leg.access : await leg.access.accessOf(message),
          { clock, hide: leg.access.hide },
        ),
      );
  return () => {
    const last = lastMessage();
    if (last === undefined && target === undefined) return undefined;
    if (last?.seq !== message?.seq) return "decide_again";
    const start = { runId: leg.run.newId(), userData, ...callerOfNext(leg, last, target !== undefined) };
    return {
      next: {
        run_id: start.runId,
        messages: messagesForNextRun(leg, reason).map(({ seq }) => seq),
        ...(target !== undefined && { agent: agent.name }),
      },
      events: [
        ...startEvents(leg.log.state, withNextTools(leg, agent, offeredFor(leg, last)), leg.run.newId, start),
        ...lackedSpeaker(leg.log.state, agent),
      ],
      begun: async () => {
        leg.life.keepLeaseFor(start.runId);
        // biome-ignore lint/plugin: what is called with it calls it through the gate `afterBarrier()`.
        const report = (error: unknown) => leg.report.toFix(error);
        if (lacked !== undefined)
          report(
            new PawlError("not_found", `The runtime has no agent "${lacked}". "${agent.name}" continues.`),
          );
        const begun = { agent, session: leg.run.session, log: leg.log, report };
        await reportMissingUserData(leg.parts.load, leg.life, begun, start);
      },
    };
  };
}

/**
 * Returns the agent of the next run: the one to which the current run has handed over, or else the same. If
 * this runtime lacks it, because another version of the application has stored the hand-over, returns the
 * session's own agent, and the name of the `lacked` one.
 */
function nextAgent({ log: { state }, run: { agent, agents, session } }: Leg): {
  agent: Agent;
  lacked?: string;
} {
  const name = handOverTarget(state.run) ?? state.run?.agent ?? agent.name;
  // A leg that only ends the run of another agent has an agent without tools.
  if (name === agent.name) return { agent };
  const next = agents.get(name);
  return next === undefined ? { agent: agents.get(session.agent) ?? agent, lacked: name } : { agent: next };
}

/**
 * Returns for whom the next run starts: for the caller of the last message; without a message, for the caller
 * of the current run. Also counts the hand-overs since the last message.
 */
function callerOfNext(
  { log: { state } }: Leg,
  last: StoredOf<"user_message"> | undefined,
  isHandedOver: boolean,
) {
  const { caller, credentials } = last?.data ?? {
    caller: state.run?.caller,
    credentials: state.run?.needsCredentials === true ? (true as const) : undefined,
  };
  return {
    ...(caller && Object.keys(caller).length > 0 && { caller }),
    ...(credentials && { credentials }),
    ...(isHandedOver && { handOvers: 1 + (last === undefined ? (state.run?.handOvers ?? 0) : 0) }),
  };
}

/** Returns the tools that the client of the next run offers: with its message, or else in the current run. */
function offeredFor({ log: { state } }: Leg, last: StoredOf<"user_message"> | undefined) {
  const { tools = [], clientTools = [] } = state.prefix ?? {};
  return last === undefined ? tools.filter(({ name }) => clientTools.includes(name)) : last.data.client_tools;
}

/**
 * Returns the agent with the tools of the next run: its own, and those that the message's client offers. If
 * the agent's `tools` is a function, its own tools are those of the prefix, or none after a hand-over:
 * the leg of the next run calls the function for that run's caller, and stores a new prefix if the tools
 * differ.
 */
function withNextTools(
  { log: { state }, run }: Leg,
  agent: Agent,
  offered: readonly ToolSpec[] = [],
): Parameters<typeof startEvents>[1] {
  const { tools: sent = [], clientTools = [] } = state.prefix ?? {};
  const own =
    agent !== run.agent || agent.toolsFor === undefined || state.prefix === undefined
      ? [...agent.tools.values()].flatMap((tool) => (tool.offered ? [] : tool.spec))
      : sent.filter(({ name }) => !clientTools.includes(name));
  const ownNames = new Set(own.map(({ name }) => name));
  const added = agent.clientTools ? offered.filter(({ name }) => !ownNames.has(name)) : [];
  return {
    ...agent,
    tools: new Map([
      ...own.map((spec) => [spec.name, { spec }] as const),
      ...added.map((spec) => [spec.name, { spec, offered: true as const }] as const),
    ]),
  };
}

/**
 * Returns the queued messages that start a new run. After a stop, these are only messages that
 * arrived after it: by stopping, the user also cancelled the earlier ones.
 */
function messagesForNextRun({ log: { state }, life }: Leg, reason: StopReason): StoredOf<"user_message">[] {
  const { haltedAt, halted } = life;
  // A stop that arrives while the run already ends for another reason sets `halted`, but does not count.
  const aborted = halted === ABORTED && reason.type === ABORTED.type;
  const isStopped = state.run?.stopRequested === true || aborted;
  const stopSeq = isStopped ? stopSeqOf(state, haltedAt) : 0;
  return queuedMessages(state).filter(({ seq }) => seq > stopSeq);
}

/** Returns the number of the event at which the run was stopped; `Infinity` if it is unknown. */
function stopSeqOf({ run }: SessionState, haltedAt: number | undefined): number {
  return run?.stopSeq ?? haltedAt ?? Number.POSITIVE_INFINITY;
}
