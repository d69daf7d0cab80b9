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
const forEarlier = (sessionId: string, at: number) => `earlier:${at}:${sessionId}`;
const ofTransaction = (sessionId: string) => `tx:${crypto.randomUUID()}:${sessionId}`;

/** Sends the job that wakes a session. */
export async function sendWake(
  boss: PgBoss,
  queue: string,
  sessionId: string,
  { afterMs = 0, transaction }: WakeOptions,
): Promise<void> {
  const data: WakeJob = { sessionId };
  // As a number of seconds, Postgres's clock measures it, which also says which jobs are due.
  const time = afterMs > 0 ? { startAfter: Math.ceil(afterMs) / 1_000 } : undefined;
  if (transaction !== undefined) {
    // A job that waits already may be done before the transaction is committed.
    const options = { ...time, singletonKey: ofTransaction(sessionId), db: inTransaction(transaction) };
    await boss.send(queue, data, options);
  } else if (time === undefined) {
    await boss.send(queue, data, { singletonKey: forNow(sessionId) });
  } else {
    await sendLater(boss, queue, data, time);
  }
}

/** Sends a job for a time, unless one waits for the same or an earlier time. */
async function sendLater(
  boss: PgBoss,
  queue: string,
  data: WakeJob,
  { startAfter }: { startAfter: number },
): Promise<void> {
  const { sessionId } = data;
  const key = forLater(sessionId);
  if ((await boss.send(queue, data, { startAfter, singletonKey: key })) !== null) return;
  const at = (await timeOf(boss)) + startAfter * 1_000;
  const waiting = await boss.findJobs(queue, { key, queued: true });
  if (waiting.some((job) => job.startAfter.getTime() <= at)) return;
  // The later one stays: to replace it would lose both if this process died in between.
  await boss.send(queue, data, { startAfter, singletonKey: forEarlier(sessionId, Math.ceil(at / 1_000)) });
}

/** Returns the time by Postgres's clock, in milliseconds since 1970. */
async function timeOf(boss: PgBoss): Promise<number> {
  const { rows } = await boss
    .getDb()
    .executeSql("SELECT date_part('epoch', clock_timestamp()) * 1000 AS now");
  return Number(rows[0].now);
}

/** Deletes the jobs of a session that wait. */
export async function deleteWakes(boss: PgBoss, queue: string, sessionId: string): Promise<void> {
  const waiting = await boss.findJobs<WakeJob>(queue, { data: { sessionId }, queued: true });
  const ids = waiting.map(({ id }) => id);
  if (ids.length > 0) await boss.deleteJob(queue, ids);
}
