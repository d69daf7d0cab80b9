import { agent, type Runtime, runtime, tool } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";

const RACES = 60;

export const attack: Attack = {
  id: "stop-at-suspension",
  title: "A stop or a message at the moment of a question is lost",
  state: "held",
  guard: { file: "test/soak/suspension-races.test.ts", title: "that was accepted while a run suspends" },
  async attempt({ database }) {
    const pool = (await database()).pool({ max: 8 });
    await migrate(pool);
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      suspends: { answer: z.string() },
    });
    const model = scriptedModel(({ messages }) =>
      messages.length === 1 ? { tools: [{ name: "ask", input: {} }] } : { text: "Thanks." },
    );
    const store = postgresStore(pool);
    const agents = [agent({ name: "a", instructions: "i", model, tools: [ask], whenBusy: "queue" })];
    const pawl = runtime({ agents, store, times: { leaseTtlMs: 600_000, pollMs: 20 } });
    const openOf = async (sessions: readonly string[]) => {
      const rows = await Promise.all(sessions.map((id) => store.sessions.get(id)));
      return rows.filter((row) => row?.openRun !== null).length;
    };
    const lost = async (second: (sessionId: string) => Promise<unknown>) => {
      const sessions: string[] = [];
      for (let done = 0; done < RACES; done += 4)
        sessions.push(...(await Promise.all(Array.from({ length: 4 }, () => race(pawl, second)))));
      for (let tries = 0; tries < 100 && (await openOf(sessions)) > 0; tries += 1)
        await pause(50, "between two looks, which may all find runs open");
      const count = await openOf(sessions);
      return brokenIf(count > 0, `${count} of ${RACES} were lost`);
    };
    return await brokenByAny({
      stop: () => lost((sessionId) => pawl.stop(sessionId, { userId: "u" })),
      message: () =>
        lost((sessionId) => pawl.run("a", { userId: "u", sessionId, input: "Something else" }).started),
    });
  },
};

/** Does the second thing within 6 ms of the question. */
async function race(pawl: Runtime, second: (sessionId: string) => Promise<unknown>): Promise<string> {
  const run = pawl.run("a", { userId: "u", input: "Go" });
  const { sessionId } = await run.started;
  for await (const { type } of run) if (type === "tool_suspended") break;
  await pause(Math.random() * 6, "the second thing of a race comes at any moment");
  await second(sessionId);
  return sessionId;
}
