import type { Agent } from "./agent.ts";
import { type Begun, recover } from "./begin.ts";
import { PawlError } from "./errors.ts";
import type { StoredEvent } from "./events/event.ts";
import type { Session } from "./events/session-row.ts";
import type { Host } from "./host.ts";
import type { RunOptions } from "./runtime-types.ts";
import { answerEvents } from "./session/answer.ts";
import { loadState } from "./session/load.ts";
import { patchOf } from "./session/patch.ts";
import { stopOnAbort } from "./stop-on-abort.ts";

/** Stores answers. Needs no lease: the leg at work takes them up, or a new one is begun here. */
export async function beginWithAnswers(
  host: Host,
  session: Session,
  agent: Agent,
  { answers = [], signal }: Pick<RunOptions, "answers" | "signal">,
): Promise<Begun> {
  const state = await loadState(host.store, session.id);
  const events = await answerEvents(state, agent, answers);
  const [first] = await host.store
    .append(session.id, events, { appendId: host.newId(), session: patchOf(events) })
    .catch((error: unknown): readonly StoredEvent[] => {
      if (!PawlError.is(error, "key_taken")) throw error;
      throw new PawlError("already_answered", "This question has been answered already.", { cause: error });
    });
  const seq = first?.seq ?? state.lastSeq;
  host.tail.stored(session.id, seq + events.length - 1);
  const start = { sessionId: session.id, runId: state.run?.runId ?? "", afterSeq: seq - 1 };
  const active = host.legs.get(session.id);
  if (active !== undefined) await active.catchUp();
  const leg = await recover(host, session, agent, signal);
  if (leg === undefined) stopOnAbort(host, start, signal);
  return { start, leg };
}
