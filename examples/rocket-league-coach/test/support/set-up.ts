import type { PGlite } from "@electric-sql/pglite";
import type { StoredEvent } from "@pawl/core";
import { afterAll, beforeAll, expect } from "vitest";
import { has } from "../../../../packages/core/test/support/stores.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { coachPglite } from "./coach-database.ts";
import { bodyOf, type Coaching, type CoachingOptions, coaching, SERVICE_KEY, tokenOf } from "./coaching.ts";

/** What the tests of one file share. */
export interface SetUp {
  readonly db: PGlite;
  /** Opens a front server and its backend on the file's database. */
  coach(options: Omit<CoachingOptions, "db">): Promise<Coaching>;
  /** Returns the name of a user that no other test of the file has. */
  newUser(): string;
}

/** Opens a database with the public sample for the tests of a file, which is closed after them. */
export function setUp(named: string): SetUp {
  let db: PGlite | undefined;
  let users = 0;
  const opened = () => {
    if (db === undefined) throw new Error("The database is made before the first test.");
    return db;
  };
  beforeAll(async () => {
    db = await coachPglite();
  }, 60_000);
  afterAll(() => db?.close());
  return {
    get db() {
      return opened();
    },
    coach: async (options) => await coaching({ ...options, db: opened() }),
    newUser: () => {
      users += 1;
      return `${named}${users}`;
    },
  };
}

/** A budget for each user, in one period. */
export const budgetOf = (tokens: number) => () => ({ tokens, period: "2026-11" });

/** Returns the id of the session that a response belongs to. */
export const sessionOf = (response: Response) =>
  decodeURIComponent(response.headers.get("x-pawl-session") ?? "");

export const logOf = async ({ store }: Pick<Coaching, "store">, sessionId: string): Promise<StoredEvent[]> =>
  await Array.fromAsync(store.read(sessionId));

/** Waits until the session's run has ended. */
export async function ended(of: Coaching, sessionId: string): Promise<void> {
  await expect.poll(async () => has(await logOf(of, sessionId), "run_ended"), { timeout: 20_000 }).toBe(true);
}

/** Returns the messages of a session as the backend has them. */
export async function storedMessages(of: Coaching, userId: string, sessionId: string) {
  const response = await of.call(`/sessions/${sessionId}/messages`, undefined, tokenOf(userId));
  return (await bodyOf(response)).messages;
}

/** Expects sound logs, with no secret in them, in what was streamed, or in an error. */
export async function expectNoSecrets(
  of: Coaching,
  user: string,
  more: unknown[],
  secrets: readonly string[] = [],
): Promise<void> {
  const sessions = await of.store.sessions.list({ userId: user, limit: 10 });
  const logs = await Promise.all(sessions.map(({ id }) => logOf(of, id)));
  for (const log of logs) assertSoundLog(log);
  const errors = more.map((one) => (one instanceof Error ? `${one.stack} ${JSON.stringify(one)}` : one));
  const text = JSON.stringify([logs, errors]);
  for (const secret of [tokenOf(user), SERVICE_KEY, ...secrets]) expect(text).not.toContain(secret);
}
