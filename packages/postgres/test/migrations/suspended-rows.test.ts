import { agent, type EventStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { eachWay, without } from "../../../../test/support/each-way.ts";
import { migrate, migrationFiles, postgresStore } from "../../src/index.ts";
import { NEWEST_COLUMNS, type UsersDatabase, usersDatabase } from "../support/as-user.ts";

const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  suspends: { answer: z.string() },
});
const asking = agent({
  name: "a",
  instructions: "Ask.",
  tools: [ask],
  model: scriptedModel((request) =>
    request.messages.length === 1 ? { tools: [{ name: "ask" }, { name: "ask" }] } : { text: "Thanks." },
  ),
});

describe("sessions that wait for their user", () => {
  let database: UsersDatabase;
  beforeEach(async () => {
    database = await usersDatabase();
    onTestFinished(() => database.drop());
  });
  const serving = (as: (store: EventStore) => EventStore) =>
    runtime({ agents: [asking], store: as(postgresStore(database.pool())), times: { pollMs: 20 } });

  it.each(eachWay("open"))(
    "P6 E6 a message that its user stores in the database closes the questions at the next sweep, %s",
    async (_, as) => {
      await migrate(database.pool());
      await database.pool().query("SELECT pawl_grant_users($1)", [database.users]);
      const pawl = serving(as);
      const { sessionId } = await pawl.run("a", { userId: "u1", input: "Go" }).result;
      expect(await pawl.sweep()).toBe(0);
      const send = "SELECT * FROM pawl_send_message($1, $2, $3::text::json)";
      await database.by("u1", send, [sessionId, "m1", '"Something else"']);
      expect(await pawl.sweep()).toBe(1);
      await expect.poll(async () => (await pawl.store.sessions.get(sessionId))?.openRun).toBeNull();
      expect((await pawl.view(sessionId, { userId: "u1" })).pending).toEqual([]);
    },
  );

  it("P4 E6 one whose question was answered before it was suspended is resumed after the migration", async () => {
    const files = Object.entries(migrationFiles());
    for (const [name, file] of files) if (name < "010") await database.pool().query(file);
    await database.pool().query(NEWEST_COLUMNS);
    // The schema of before has no function for `open`.
    const twin = "P1 a session that is suspended with nothing pending is picked up by the next sweep";
    const pawl = serving((store) => without(store, "open", twin));
    const waiting = await pawl.run("a", { userId: "u1", input: "Go" }).result;
    const stuck = await pawl.run("a", { userId: "u1", input: "Go" }).result;
    // As earlier versions left it: one of two questions was answered, and the leg suspended for both.
    await database.pool().query("UPDATE agent_sessions SET pending = 1 WHERE id = $1", [stuck.sessionId]);
    await migrate(database.pool());
    const found = await pawl.store.listRecoverable({ limit: 10 });
    expect(found.map(({ id }) => id)).toEqual([stuck.sessionId]);
    expect((await pawl.store.sessions.get(waiting.sessionId))?.status).toBe("suspended");
  });
});
