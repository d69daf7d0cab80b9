import type { Leg } from "../leg/leg.ts";
import type { NewEvent, NextRun } from "../log/event.ts";
import { ABORTED } from "../log/stop-reason.ts";
import { queuedMessages } from "../session/queued.ts";
import type { SessionState } from "../session/state.ts";
import { fetchUserData } from "./fetch-user-data.ts";
import { notifyHooksOfStart, startEvents } from "./start-run.ts";

/** The run that begins in the append that ends this one. */
export interface Successor {
  next: NextRun;
  events: NewEvent[];
  /** To be called once it is stored: lets the leg hand over. */
  begun(): Promise<void>;
}

/**
 * Fetches what a new run begins with, if one is to begin. What comes back makes it from the state as it is
 * then: between that and the append nothing may be awaited, so that no message that has come meanwhile is
 * left lying.
 */
export async function prepareNextRun(leg: Leg): Promise<() => Successor | undefined> {
  const messages = () => messagesFor(leg);
  const userData =
    messages().length === 0
      ? { text: "", failure: undefined }
      : await fetchUserData(leg.agent, leg.session, leg.makeDeps, leg.life.clock);
  return () => {
    const seqs = messages();
    if (seqs.length === 0) return undefined;
    const start = { runId: leg.newId(), userData };
    return {
      next: { run_id: start.runId, messages: seqs },
      events: startEvents(leg.log.state, leg.agent, leg.newId, start),
      begun: async () => {
        leg.life.handOver(start.runId);
        await notifyHooksOfStart(leg.life, leg, start);
      },
    };
  };
}

/**
 * Messages for which a new run begins. Whoever stops a run does not want what they had asked for before,
 * either.
 */
function messagesFor({ log: { state }, life: { haltedAt, halted } }: Leg): number[] {
  // A hook may have given the end another name.
  const stopped = state.run?.stopRequested === true || halted === ABORTED;
  const since = stopped ? stoppedSeq(state, haltedAt) : 0;
  return queuedMessages(state).flatMap(({ seq }) => (seq > since ? [seq] : []));
}

function stoppedSeq({ run }: SessionState, haltedAt: number | undefined): number {
  return run?.stopSeq ?? haltedAt ?? Number.POSITIVE_INFINITY;
}
