import { agent, type EventStore, memoryStore, type Question, type Runtime, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "lost-at-suspension",
  title: "What is accepted while a run is about to suspend again is lost",
  state: "held",
  guard: {
    file: "packages/core/test/runtime/leg/suspend-races.test.ts",
    title: "what arrives while a run is about to suspend",
  },
  attempt: () =>
    brokenByAny({
      answer: () =>
        lost(async (pawl, sessionId, { callId }) => {
          const answers = [{ callId, value: "two" }];
          await pawl.run("a", { userId: "u", sessionId, answers }).started;
        }),
      stop: () => lost((pawl, sessionId) => pawl.stop(sessionId, { userId: "u" })),
      message: () =>
        lost((pawl, sessionId) => pawl.run("a", { userId: "u", sessionId, input: "Else" }).started),
      "stop right after it is stored": stopAfterwards,
    }),
};

const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({ about: z.string() }),
  repeatable: true,
  suspends: { answer: z.string() },
});
const asking = (about: string) => ({ name: "ask", input: { about } });

function boot(store: EventStore, questions: readonly string[]): Runtime {
  const model = scriptedModel(({ messages }) =>
    messages.length === 1 ? { tools: questions.map(asking) } : { text: "Thanks." },
  );
  const agents = [agent({ name: "a", instructions: "i", model, tools: [ask], whenBusy: "queue" })];
  return runtime({ agents, store, times: { leaseTtlMs: 600_000, pollMs: 20 } });
}

/** The user answers one of two questions, and does something else while the run waits for its second suspension. */
async function lost(
  second: (pawl: Runtime, sessionId: string, other: Question) => Promise<unknown>,
): Promise<string> {
  const inner = memoryStore();
  let isSlow = false;
  const suspending = Promise.withResolvers<void>();
  const slowly = async (isSuspension: boolean) => {
    if (!isSlow || !isSuspension) return;
    suspending.resolve();
    await pause(20, "a store takes its time, in which the user does the second thing");
  };
  const store: EventStore = {
    ...inner,
    append: async (id, events, options) => {
      await slowly(events.some(({ type }) => type === "run_suspended"));
      return await inner.append(id, events, options);
    },
    sessions: {
      ...inner.sessions,
      get: async (id) => {
        const row = await inner.sessions.get(id);
        await slowly(true);
        return row;
      },
    },
  };
  const pawl = boot(store, ["one", "two"]);
  const { sessionId, pending } = await pawl.run("a", { userId: "u", input: "Go" }).result;
  const [one, two] = pending;
  if (one === undefined || two === undefined) throw new Error("The run did not ask twice.");
  isSlow = true;
  await pawl.run("a", { userId: "u", sessionId, answers: [{ callId: one.callId, value: "one" }] }).started;
  await Promise.race([
    suspending.promise,
    pause(1_000, "for a suspension that today's code may not ask for"),
  ]);
  await second(pawl, sessionId, two);
  isSlow = false;
  return await ended(inner, sessionId);
}

/** The stop comes when the suspension is stored, before the process knows that it is. */
async function stopAfterwards(): Promise<string> {
  const inner = memoryStore();
  const stored = Promise.withResolvers<void>();
  const store: EventStore = {
    ...inner,
    append: async (id, events, options) => {
      const rows = await inner.append(id, events, options);
      if (events.some(({ type }) => type === "run_suspended")) {
        stored.resolve();
        await pause(20, "a store takes its time, in which the user stops the run");
      }
      return rows;
    },
  };
  const pawl = boot(store, ["one"]);
  const run = pawl.run("a", { userId: "u", input: "Go" });
  run.result.catch(() => undefined);
  const { sessionId } = await run.started;
  await stored.promise;
  await pawl.stop(sessionId, { userId: "u" });
  return await ended(inner, sessionId);
}

async function ended(store: EventStore, sessionId: string): Promise<string> {
  const isOpen = async () => (await store.sessions.get(sessionId))?.openRun !== null;
  for (let tries = 0; tries < 60 && (await isOpen()); tries += 1)
    await pause(50, "between two looks, which may all find the run open");
  return brokenIf(await isOpen(), "accepted, and nobody continues the run");
}
