import type { EventStore, StoredEvent } from "@pawl/core";
import {
  type AppendCall,
  type AppendOptions,
  appendInSql,
  batchText,
  keysOf,
  type NewEvent,
  type PreparedEvent,
  type Refused,
  type SqlLog,
  tryUntilApplied,
} from "@pawl/core/store";
import type { InTransaction } from "../database/in-transaction.ts";
import { ask, type Database, once, type Row } from "../database/queryable.ts";
import { eventColumns, toEvent } from "./rows.ts";

/** Implements {@link EventStore.append}. */
export async function append(
  db: Database,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const log: SqlLog = {
    append: async (call) => await store((text, values) => ask(db, text, values), call),
    explain: async (call) => await explain(db, call),
  };
  return await appendInSql(log, sessionId, events, options);
}

/** Implements {@link EventStore.appendWith} with the transactions of the database. */
export function appendingWith(
  db: Database,
  inTransaction: InTransaction,
): NonNullable<EventStore["appendWith"]> {
  return async (sessionId, events, options, also) => {
    const storeBoth = (call: AppendCall) =>
      inTransaction(async (transaction) => {
        await also(transaction);
        // After it: if it has hidden an error of the database, the transaction is over, and this fails.
        const stored = await store((text, values) => once(transaction, text, values), call);
        if (stored === undefined) throw REFUSED;
        return stored;
      });
    const log: SqlLog = {
      append: async (call) => await tryUntilApplied(() => storeBoth(call)).catch(unlessRefused),
      explain: async (call) => await explain(db, call),
    };
    return await appendInSql(log, sessionId, events, options);
  };
}

/** Rolls back the transaction of an append that is refused. */
const REFUSED = new Error("The append is refused.");

function unlessRefused(error: unknown): undefined {
  if (error !== REFUSED) throw error;
}

/** Runs a statement of an append. */
type Run = (text: string, values: unknown[]) => Promise<readonly Row[]>;

async function store(run: Run, call: AppendCall): Promise<{ base: number; at: string } | undefined> {
  const [row] = await (isPlain(call) ? storeOne(run, call) : storeAll(run, call));
  if (typeof row?.done !== "string") return undefined;
  const [base, at = ""] = row.done.split(" ");
  return { base: Number(base), at };
}

/** Returns whether an append is a single event that changes nothing else, as most are. */
function isPlain({ events, release, patch }: AppendCall): boolean {
  return events.length === 1 && !release && patch === null;
}

/** Stores a single event. The statement's text is short, because drivers look statements up by their text. */
async function storeOne(run: Run, call: AppendCall): Promise<readonly Row[]> {
  const { sessionId, appendId, version, events, leaseEpoch, leaseHolder, afterSeq } = call;
  const { type, key, durationMs, data } = events[0] as PreparedEvent;
  const event = [type, key, durationMs, data];
  return await run("SELECT pawl_store_event($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) AS done", [
    sessionId,
    appendId,
    version,
    ...event,
    leaseEpoch,
    leaseHolder,
    afterSeq,
  ]);
}

/** Stores any append. */
async function storeAll(run: Run, call: AppendCall): Promise<readonly Row[]> {
  const { sessionId, appendId, version, events, leaseEpoch, leaseHolder, afterSeq, release, patch } = call;
  const { heads, payloads } = batchText(call);
  return await run("SELECT pawl_store_events($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11) AS done", [
    sessionId,
    appendId,
    version,
    events.length,
    heads,
    payloads,
    leaseEpoch,
    leaseHolder,
    afterSeq,
    release,
    patch,
  ]);
}

async function explain(db: Database, call: AppendCall): Promise<Refused | undefined> {
  const { sessionId, appendId } = call;
  const [session] = await ask(
    db,
    "SELECT last_sequence, lease_holder, lease_epoch FROM agent_sessions WHERE id = $1::text",
    [sessionId],
  );
  if (session === undefined) return undefined;
  const before = await ask(db, firstTime, [sessionId, appendId]);
  const [taken] = await ask(db, byKeys, [sessionId, JSON.stringify(keysOf(call))]);
  return {
    lastSeq: Number(session.last_sequence),
    leaseHolder: session.lease_holder === null ? null : String(session.lease_holder),
    leaseEpoch: Number(session.lease_epoch),
    before: before.map((row) => toEvent(sessionId, row)),
    taken: taken === undefined ? undefined : toEvent(sessionId, taken),
  };
}

const firstTime = `
SELECT ${eventColumns} FROM agent_session_events e, agent_session_events first
WHERE first.session_id = $1::text AND first.append_id = $2::text AND e.session_id = $1::text
  AND e.sequence_number >= first.sequence_number
  AND e.sequence_number < first.sequence_number + first.append_size
ORDER BY e.sequence_number`;

/** Finds the event with the first taken key, in the order of the append's keys. */
const byKeys = `
SELECT ${eventColumns}
FROM json_array_elements_text($2::text::json) WITH ORDINALITY AS k (key, n), agent_session_events e
WHERE e.session_id = $1::text AND e.event_key = k.key
ORDER BY k.n LIMIT 1`;
