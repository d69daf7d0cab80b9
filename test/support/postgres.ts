import { inject } from "vitest";
import { databaseOn, type TestDatabase } from "./database-on.ts";

export type { TestDatabase } from "./database-on.ts";

/** Creates an empty database on the Postgres that all tests share, with `settings` of its own, e.g. `timezone`. */
export async function testDatabase(settings: Record<string, string> = {}): Promise<TestDatabase> {
  const answer = await fetch(inject("postgres"));
  const server = await answer.text();
  if (!answer.ok) throw new Error(server);
  return await databaseOn(server, settings);
}
