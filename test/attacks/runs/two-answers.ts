import { agent, runtime, tool } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";

const RACES = 60;

export const attack: Attack = {
  id: "two-answers",
  title: "Of two answers at the same time, nobody continues the run",
  state: "held",
  guard: { file: "test/soak/suspension-races.test.ts", title: "that was accepted while a run suspends" },
  async attempt({ database }) {
    const pool = (await database()).pool({ max: 8 });
    await migrate(pool);
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({ about: z.string() }),
      repeatable: true,
      suspends: { answer: z.string() },
      execute: async (_, { answer }) => {
        await pause(Math.random() * 4, "a tool takes its time");
        return answer;
      },
    });
    const asking = (about: string) => ({ name: "ask", input: { about } });
    const model = scriptedModel(({ messages }) =>
      messages.length === 1 ? { tools: [asking("one"), asking("two")] } : { text: "Thanks." },
    );
    const store = postgresStore(pool);
    const agents = [agent({ name: "a", instructions: "i", model, tools: [ask] })];
    // Leases neither expire nor does anybody sweep: nothing repairs what is lost.
    const pawl = runtime({ agents, store, times: { leaseTtlMs: 600_000, pollMs: 20 } });
    const race = async () => {
      const { sessionId, pending } = await pawl.run("a", { userId: "u", input: "Go" }).result;
      const answer = async ({ callId }: { callId: string }, ms: number) => {
        await pause(ms, "the answers of a race come at any moment");
        const answers = [{ callId, value: "x" }];
        await pawl.run("a", { userId: "u", sessionId, answers }).started;
      };
      await Promise.all(pending.map((question, at) => answer(question, at * Math.random() * 14)));
      return sessionId;
    };
    const sessions: string[] = [];
    for (let done = 0; done < RACES; done += 3)
      sessions.push(...(await Promise.all([race(), race(), race()])));
    const open = async () => {
      const rows = await Promise.all(sessions.map((id) => store.sessions.get(id)));
      return rows.filter((row) => row?.openRun !== null).length;
    };
    for (let tries = 0; tries < 100 && (await open()) > 0; tries += 1)
      await pause(50, "between two looks, which may all find runs open");
    const stuck = await open();
    return brokenIf(stuck > 0, `${stuck} of ${RACES} runs stand still`);
  },
};
