import type { Agent } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import { loadState } from "../../fold/load.ts";
import { patchOf } from "../../log/row-patch.ts";
import type { Session } from "../../log/session-row.ts";
import { storeWith } from "../leg/held-credentials.ts";
import type { AskedBy, Host } from "../leg/host.ts";
import { answerEvents } from "./answer.ts";
import { type Begun, recoverStored } from "./begin.ts";
import type { RunOptions } from "./runtime-types.ts";
import { stopOnAbort } from "./stop.ts";

/** Stores answers. This needs no lease: the running leg picks them up, or a new leg starts here. */
export async function beginWithAnswers(
  host: Host,
  session: Session,
  agent: Agent,
  { answers = [], signal, caller, credentials }: Pick<RunOptions, "answers" | "signal" | keyof AskedBy>,
): Promise<Begun> {
  const state = await loadState(host.store, session.id);
  const events = await checkedInTime(
    host.clock,
    agent,
    answerEvents(state, agent, answers, { caller, credentials }),
  );
  const options = { appendId: host.newId(), session: patchOf(events) };
  const store = async () => await host.store.append(session.id, events, options).catch(refuseSecond);
  const [first] = await storeWith(host, session.id, credentials, store, ([answer]) => answer?.seq);
  const seq = first?.seq ?? state.lastSeq;
  host.tail.stored(session.id, seq + events.length - 1);
  const start = { sessionId: session.id, runId: state.run?.runId ?? "", afterSeq: seq - 1 };
  const active = host.legs.get(session.id);
  if (active !== undefined) await active.catchUp();
  const leg = await recoverStored(host, session, agent, { signal, caller, credentials });
  if (leg !== undefined) return { start, leg };
  return { start, leg, release: stopOnAbort(host, start, signal) };
}

function refuseSecond(cause: unknown): never {
  if (!PawlError.is(cause, "key_taken")) throw cause;
  throw new PawlError("already_answered", "This question has been answered already.", { cause });
}

/**
 * Limits the time of an answer's check to the run's time limit, because schemas are the application's code
 * and may hang. After a timeout the question stays open.
 */
async function checkedInTime<T>(clock: Clock, { limits }: Agent, checked: Promise<T>): Promise<T> {
  const onTimeout = () =>
    new PawlError("invalid_answer", "The answer could not be checked in time. Please try again.");
  return await withinDeadline({ clock, timeoutMs: limits.wallClockMs, onTimeout }, checked);
}
