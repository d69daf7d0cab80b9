import type { WakeOptions } from "@pawl/core/store";
import type { PgBoss } from "pg-boss";
import { inTransaction } from "./transaction.ts";

/** What a job says. */
export interface WakeJob {
  sessionId: string;
}

// One job of a key waits at a time. The prefixes keep wakes for now apart from those for later, also if the
// id of a session looks like a key.
const forNow = (sessionId: string) => `now:${sessionId}`;
const forLater = (sessionId: string) => `at:${sessionId}`;
const forEarlier = (sessionId: string, at: Date) => `earlier:${at.toISOString()}:${sessionId}`;
const ofTransaction = (sessionId: string) => `tx:${crypto.randomUUID()}:${sessionId}`;

/** Sends the job that wakes a session. */
export async function sendWake(
  boss: PgBoss,
  queue: string,
  sessionId: string,
  { at, transaction }: WakeOptions,
): Promise<void> {
  const data: WakeJob = { sessionId };
  const startAfter = at !== undefined && Date.parse(at) > Date.now() ? new Date(at) : undefined;
  const time = startAfter && { startAfter };
  if (transaction !== undefined) {
    // A job that waits already may be done before the transaction is committed.
    const options = { ...time, singletonKey: ofTransaction(sessionId), db: inTransaction(transaction) };
    await boss.send(queue, data, options);
  } else if (startAfter === undefined) {
    await boss.send(queue, data, { singletonKey: forNow(sessionId) });
  } else {
    await sendLater(boss, queue, data, startAfter);
  }
}

/** Sends a job for a time, unless one waits for the same or an earlier time. */
async function sendLater(boss: PgBoss, queue: string, data: WakeJob, startAfter: Date): Promise<void> {
  const { sessionId } = data;
  const key = forLater(sessionId);
  if ((await boss.send(queue, data, { startAfter, singletonKey: key })) !== null) return;
  const waiting = await boss.findJobs(queue, { key, queued: true });
  if (waiting.some((job) => job.startAfter <= startAfter)) return;
  // The later one stays: to replace it would lose both if this process died in between.
  await boss.send(queue, data, { startAfter, singletonKey: forEarlier(sessionId, startAfter) });
}

/** Deletes the jobs of a session that wait. */
export async function deleteWakes(boss: PgBoss, queue: string, sessionId: string): Promise<void> {
  const waiting = await boss.findJobs<WakeJob>(queue, { data: { sessionId }, queued: true });
  const ids = waiting.map(({ id }) => id);
  if (ids.length > 0) await boss.deleteJob(queue, ids);
}
