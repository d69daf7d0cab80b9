import { agent, runtime, tool } from "@pawl/core";
import { postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "../../support/pause.ts";
import { type Attack, Broken, brokenByAny, brokenIf } from "../frame/attack.ts";
import { type UsersDatabase, usersDatabase } from "../parts/database-users.ts";

export const attack: Attack = {
  id: "rls-deep-answer",
  title: "An answer of a database's user with thousands of levels, or of megabytes, ends a session for good",
  state: "held",
  guard: {
    file: "packages/supabase/test/users.test.ts",
    title: "an answer that is too deep, too large or not JSON is refused",
  },
  async attempt({ database }) {
    const users = await usersDatabase(await database());
    const levels = (count: number) => `${"[".repeat(count)}${"]".repeat(count)}`;
    return await brokenByAny({
      "4,000 levels": () => answered(users, levels(4_000)),
      "400 levels": () => answered(users, levels(400)),
      "30 MB": () => answered(users, JSON.stringify("x".repeat(30_000_000))),
    });
  },
};

/** The user answers with this JSON text. Whether it is refused or not, the session has to go on. */
async function answered(users: UsersDatabase, value: string): Promise<string> {
  const ask = tool({
    name: "ask",
    description: "Asks.",
    input: z.object({}),
    suspends: { answer: z.any() },
    execute: () => "thanks",
  });
  const model = scriptedModel(({ messages }) =>
    messages.length === 1 ? { tools: [{ name: "ask", input: {} }] } : { text: "Done." },
  );
  const agents = [agent({ name: "a", instructions: "i", model, tools: [ask] })];
  const store = postgresStore(users.db);
  const pawl = runtime({ agents, store, times: { leaseTtlMs: 500, pollMs: 50 }, onError: () => undefined });
  const { sessionId, pending } = await pawl.run("a", { userId: "mallory", input: "Go" }).result;
  const refused = await users
    .by("mallory", "SELECT * FROM pawl_answer($1, $2, $3, $4::json)", [
      sessionId,
      crypto.randomUUID(),
      pending[0]?.seq,
      value,
    ])
    .then(
      () => false,
      () => true,
    );
  const isOpen = async () => (await store.sessions.get(sessionId))?.openRun !== null;
  for (let tries = 0; !refused && tries < 100 && (await isOpen()); tries += 1) {
    await pawl.sweep();
    await pause(50, "between two looks, which may all find the run open");
  }
  const next = pawl.run("a", { userId: "mallory", sessionId, input: "Hello again" }).result;
  const stop = await Promise.race([next.then((result) => result.stop.type), late()]).catch(
    (error: unknown) => {
      throw new Broken(`the next message fails: ${String(error).slice(0, 80)}`);
    },
  );
  await pawl.drain({ timeoutMs: 500 });
  return brokenIf(
    stop !== "end_turn",
    `${refused ? "refused" : "taken"}, and the next message ends as ${stop}`,
  );
}

async function late(): Promise<string> {
  await pause(10_000, "for the end of a run that may never come");
  return "nothing";
}
