import { PawlError } from "../../base/errors.ts";
import { fileIdsOf } from "../../context/file-blocks.ts";
import { assertKnown } from "../../fold/load.ts";
import type { NewEvent, StoredEvent, StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { readShown, redactedSince } from "../../log/store/redacted.ts";
import { patchOf } from "../../log/store/row-patch.ts";
import type { Host } from "../leg/host.ts";
import { withinRead } from "./session-reads.ts";

/**
 * Creates a session of the same user with a copy of a session's log, up to the last `run_ended` at or before
 * `atSeq`. Every call in the copy has its result. Events keep their numbers, so references between them stay
 * valid. The copied context is sent byte for byte as before.
 *
 * @throws PawlError `invalid_input` if no run has ended at or before `atSeq`.
 */
export async function fork(host: Host, session: Session, atSeq: number): Promise<Session> {
  const { id: sessionId, userId } = session;
  return await withinRead(host, { sessionId, userId }, () => copySession(host, session, atSeq));
}

async function copySession(host: Host, session: Session, atSeq: number): Promise<Session> {
  const log = await Array.fromAsync(readShown(host.store, session.id));
  const end = log.findLast(
    (event): event is StoredOf<"run_ended"> => event.type === "run_ended" && event.seq <= atSeq,
  );
  if (end === undefined)
    throw new PawlError(
      "invalid_input",
      "No run has ended at or before this event, so there is nothing to fork.",
    );
  // The copied events get the event version of this process, which must therefore know each event.
  log.forEach(assertKnown);
  const events: NewEvent[] = log.slice(0, end.seq - 1).map(copyOf);
  events.push(copyOf(withoutNext(end)));
  const hidden = await redactedSince(host.store, session.id, 0);
  if ([...hidden].some((seq) => seq <= end.seq)) events.push(...forkPrefix(log, end.seq, host.newId()));
  const id = host.newId();
  await host.files?.use(session.userId, id, fileIdsOf(events));
  await host.store.sessions.create({
    id,
    userId: session.userId,
    agent: session.agent,
    metadata: { ...session.metadata, forked_from: { session_id: session.id, seq: end.seq } },
  });
  const { contextStartSeq = 0 } = patchOf(events);
  await host.store.append(id, events, { appendId: host.newId(), session: { contextStartSeq } });
  return (await host.store.sessions.get(id)) as Session;
}

function copyOf({ type, data, key, durationMs }: StoredEvent): NewEvent {
  return {
    type,
    data,
    ...(key !== undefined && { key }),
    ...(durationMs !== undefined && { durationMs }),
  } as NewEvent;
}

/**
 * Removes the reference to the next run, which the copy does not have. A message that waited for that run is
 * read by the copy's next run.
 */
function withoutNext(end: StoredOf<"run_ended">): StoredEvent {
  const { next: _, ...data } = end.data;
  return { ...end, data };
}

/**
 * Returns a new prefix for a copy with redacted events; an empty list if the copy has no prefix. In the copy,
 * their text is `[redacted]`. After a new prefix, earlier thinking is not sent again: its signatures cover
 * the old text.
 */
function forkPrefix(log: readonly StoredEvent[], upTo: number, prefix_id: string): NewEvent[] {
  const prefix = log.findLast(
    (event): event is StoredOf<"prefix"> => event.type === "prefix" && event.seq <= upTo,
  );
  return prefix === undefined ? [] : [{ type: "prefix", data: { ...prefix.data, prefix_id } }];
}
