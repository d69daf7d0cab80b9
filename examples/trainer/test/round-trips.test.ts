import { randomUUID } from "node:crypto";
import { unifiedContext } from "@pawl/knowledge";
import { describe, expect, it } from "vitest";
import { roundTrips } from "../../../test/support/round-trips.ts";
import { dataSources, type TrainerDeps, trainerData, userDataSections } from "../src/index.ts";
import { embeddedDatabase } from "./support/world.ts";

/** Returns the data of a new user, over a database whose round trips are counted. */
async function counted() {
  const db = await embeddedDatabase();
  const userId = randomUUID();
  await (await trainerData(db)).seed(userId);
  const rounds = roundTrips();
  const query = (text: string, values?: unknown[]) => db.query(text, values);
  const trainer = await rounds.during(trainerData(rounds.through({ query })));
  const before = rounds.count;
  return { userId, trainer, rounds, taken: () => rounds.count - before };
}

describe("X2 round trips to the database", () => {
  it("X2 C6 are one for the user data: all queries at once", async () => {
    const { userId, trainer, rounds, taken } = await counted();
    const build = unifiedContext<TrainerDeps>({ sections: userDataSections() });
    const session = { userId, metadata: {} } as never;
    const signal = new AbortController().signal;
    const text = await rounds.during(
      Promise.resolve(build({ session, deps: { trainer }, caller: {}, credentials: undefined, signal })),
    );
    expect(text).toContain("Home Gym");
    expect(taken()).toBe(1);
  });

  it("X2 I2 are at most two for all sources of data together", async () => {
    const { userId, rounds, trainer, taken } = await counted();
    const { signal } = new AbortController();
    const request = { userId, params: {}, deps: { trainer }, signal } as never;
    await rounds.during(Promise.all(dataSources().map((source) => source.fetch(request))));
    expect(taken()).toBeLessThanOrEqual(2);
  });
});
