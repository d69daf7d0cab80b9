import { agent, runtime, tool } from "@pawl/core";
import { postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { usersDatabase } from "../attacks/parts/database-users.ts";
import { testDatabase } from "../support/postgres.ts";
import { type Door, refused, TAKEN } from "./door.ts";

/** What a user of the database calls, with the JSON as its last parameter. */
const MESSAGE = "SELECT * FROM pawl_send_message($1, $2, $3::json)";
const ANSWER = "SELECT * FROM pawl_answer($1, $2, $3, $4::json)";

/** A door to a function of the database that users call by themselves, as over PostgREST. */
const door = (name: string, harmless: string, statement: string): Door => ({
  name,
  harmless,
  open: async () => {
    const database = await testDatabase();
    const users = await usersDatabase(database);
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      suspends: { answer: z.any() },
    });
    const model = scriptedModel(() => ({ tools: [{ name: "ask", input: {} }] }));
    const errors: unknown[] = [];
    const pawl = runtime({
      agents: [agent({ name: "a", instructions: "i", model, tools: [ask] })],
      store: postgresStore(users.db),
      onError: (error) => errors.push(error),
    });
    return {
      errors,
      knock: async (json) => {
        const { sessionId, pending } = await pawl.run("a", { userId: "mallory", input: "Go" }).result;
        const question = statement === ANSWER ? [pending[0]?.seq] : [];
        const began = performance.now();
        const outcome = await users
          .by("mallory", statement, [sessionId, crypto.randomUUID(), ...question, json])
          .then(
            () => TAKEN,
            (error: Error) => refused(error.message),
          );
        return { ...outcome, statementMs: Math.round(performance.now() - began) };
      },
      close: async () => {
        await pawl.drain({ timeoutMs: 0 });
        await database.drop();
      },
    };
  },
});

export const DATABASE_DOORS: readonly Door[] = [
  door("database: a message", '"Hi"', MESSAGE),
  door("database: an answer", "1", ANSWER),
];
