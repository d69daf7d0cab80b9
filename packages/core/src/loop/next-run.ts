import type { NewEvent, StoredOf } from "../log/event.ts";
import type { NextRun } from "../log/event-parts.ts";
import { ABORTED, type StopReason } from "../log/stop-reason.ts";
import type { ToolSpec } from "../model/content.ts";
import { queuedMessages } from "../session/queued.ts";
import type { SessionState } from "../session/state.ts";
import type { Leg } from "./leg/leg.ts";
import { asked } from "./leg/stored-first.ts";
import { notifyHooksOfStart, startEvents, userDataFor } from "./start-run.ts";

/** The run that starts in the append that ends this one. */
interface Successor {
  next: NextRun;
  events: NewEvent[];
  /** Keeps the lease for the run. Call it once the run's start is stored. */
  begun(): Promise<void>;
}

/**
 * Fetches the user data for the next run, if queued messages need one. Uses the caller of the last message.
 * `reason` is why the run ends, before a hook has changed it. The returned function makes the run from the
 * state at the time of its call. Nothing may be awaited between that call and the append, so that no message
 * is missed. It returns `decide_again` if another message has become the last one, because it may have
 * another caller.
 */
export async function prepareNextRun(
  leg: Leg,
  reason: StopReason,
): Promise<() => Successor | "decide_again" | undefined> {
  const lastMessage = () => messagesFor(leg, reason).at(-1);
  const message = lastMessage();
  const { clock } = leg.life;
  const userData =
    message === undefined
      ? { text: "", failure: undefined }
      : await asked(leg, async () =>
          userDataFor(leg.parts, leg, await leg.accessOf(message), { clock, hide: leg.hide }),
        );
  return () => {
    const last = lastMessage();
    if (last === undefined) return undefined;
    if (last.seq !== message?.seq) return "decide_again";
    const { caller, credentials, client_tools } = last.data;
    const start = {
      runId: leg.newId(),
      userData,
      ...(caller && { caller }),
      ...(credentials && { credentials }),
    };
    return {
      next: { run_id: start.runId, messages: messagesFor(leg, reason).map(({ seq }) => seq) },
      events: startEvents(leg.log.state, withNextTools(leg, client_tools), leg.newId, start),
      begun: async () => {
        leg.life.keepLeaseFor(start.runId);
        await notifyHooksOfStart(leg.life, leg, start);
      },
    };
  };
}

/**
 * Returns the agent with the tools of the next run: its own, and those that the message's client offers. If
 * the agent's `tools` is a function, its own tools are those of the present prefix: the leg of the next run
 * calls the function for that run's caller, and stores a new prefix if the tools differ.
 */
function withNextTools(
  { agent, log: { state } }: Leg,
  offered: readonly ToolSpec[] = [],
): Parameters<typeof startEvents>[1] {
  const { tools: sent = [], clientTools = [] } = state.prefix ?? {};
  const own =
    agent.toolsFor === undefined || state.prefix === undefined
      ? [...agent.tools.values()].flatMap((tool) => (tool.offered ? [] : tool.spec))
      : sent.filter(({ name }) => !clientTools.includes(name));
  const taken = new Set(own.map(({ name }) => name));
  const more = agent.clientTools ? offered.filter(({ name }) => !taken.has(name)) : [];
  return {
    ...agent,
    tools: new Map([
      ...own.map((spec) => [spec.name, { spec }] as const),
      ...more.map((spec) => [spec.name, { spec, offered: true as const }] as const),
    ]),
  };
}

/**
 * Returns the queued messages that start a new run. After a stop, these are only messages that
 * arrived after it: by stopping, the user also cancelled the earlier ones.
 */
function messagesFor({ log: { state }, life }: Leg, reason: StopReason): StoredOf<"user_message">[] {
  const { haltedAt, halted } = life;
  // The request's signal may be aborted while a run already ends for another reason.
  const aborted = halted === ABORTED && reason.type === ABORTED.type;
  const stopped = state.run?.stopRequested === true || aborted;
  const since = stopped ? stoppedSeq(state, haltedAt) : 0;
  return queuedMessages(state).filter(({ seq }) => seq > since);
}

function stoppedSeq({ run }: SessionState, haltedAt: number | undefined): number {
  return run?.stopSeq ?? haltedAt ?? Number.POSITIVE_INFINITY;
}
