import type { EventStore } from "@pawl/core";
import {
  agent,
  jsonSchema,
  memoryFiles,
  memoryReservations,
  memoryStore,
  reservation,
  runtime,
  tool,
} from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { onTestFinished } from "vitest";
import { settled } from "../settled.ts";
import { until } from "../until.ts";
import { never, type Shared, TIMES } from "./shared.ts";

/** Runs of a process with two places. Each run works until `step()`. */
export function placesOfRuns(): Shared {
  const working: (() => void)[] = [];
  const begun: string[] = [];
  const ada = Promise.withResolvers<void>();
  const work = tool({
    name: "work",
    description: "Works.",
    input: jsonSchema({ type: "object" }),
    execute: async (_, { userId }) => {
      begun.push(userId);
      if (userId === "ada") ada.resolve();
      if (userId === "mallory") await new Promise<void>((resolve) => working.push(resolve));
      return "Done.";
    },
  });
  const model = scriptedModel(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes("tool_result")
      ? { text: "Ok." }
      : { tools: [{ name: "work", input: {} }] },
  );
  const worker = agent({ name: "worker", instructions: "Work.", model, tools: [work] });
  const pawl = runtime({ agents: [worker], store: memoryStore(), concurrency: 2 });
  onTestFinished(async () => {
    for (let left = TIMES; left > 0; left -= 1) {
      for (const resolve of working.splice(0)) resolve();
      await settled();
    }
    await pawl.drain();
  });
  // A sweep loads the queue, so that every run is in it when the first place becomes free.
  const loaded = pawl.sweep();
  const run = async (userId: string) => {
    await loaded;
    return await pawl.run(worker, { userId, input: "Go" }).started;
  };
  return {
    worst: async (userId) => {
      await run(userId);
      return await never();
    },
    ordinary: async (userId) => {
      await run(userId);
      await ada.promise;
    },
    step: async () => {
      await until(() => working.length > 0);
      const before = begun.length;
      working.shift()?.();
      await until(() => begun.length > before);
    },
  };
}

/** Places for reads of sessions, and for files. */
export function placesOfReads(): Shared {
  const reader = agent({ name: "reader", instructions: "i", model: scriptedModel([]) });
  const pawl = runtime({ agents: [reader], store: memoryStore(), files: memoryFiles() });
  const enter = async (userId: string, signal?: AbortSignal) =>
    await pawl.enterRead({ userId, sessionId: `of ${userId}`, ...(signal && { signal }) });
  return { worst: enter, ordinary: (userId) => enter(userId) };
}

/** Places for files: mallory's uploads hang, or mallory never closes files that are read. */
export function placesOfFiles(outcome: "uploads hang" | "reads hang"): Shared {
  const { files } = runtime({
    agents: [agent({ name: "a", instructions: "i", model: scriptedModel([]) })],
    ...{ store: memoryStore(), files: memoryFiles() },
  });
  const text = (bytes: number) => new TextEncoder().encode("a".repeat(bytes));
  const hangs = async function* (signal: AbortSignal) {
    yield text(100);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  const large = files.put("mallory", text(900_000));
  return {
    worst: async (userId, signal) => {
      if (outcome === "uploads hang")
        return await files.put(userId, hangs(signal), { bytes: 30_000_000, signal });
      return await files.open(userId, (await large).id, { signal });
    },
    ordinary: (userId) => files.put(userId, text(1_000)),
  };
}

/** Budgets in one place, with an account for each user: mallory's runs use up mallory's. */
export function budgets(): Shared {
  const budget = reservation({
    reservations: memoryReservations(),
    account: ({ userId }) => userId,
    ...{ limit: 100_000, amount: 60_000 },
  });
  const model = scriptedModel(async ({ messages }) =>
    JSON.stringify(messages).includes("mallory") ? await never() : { text: "Hello." },
  );
  const spender = agent({ name: "spender", instructions: "i", model, hooks: [budget] });
  const pawl = runtime({ agents: [spender], store: memoryStore() });
  return {
    worst: (userId) => pawl.run(spender, { userId, input: `I am ${userId}.` }).result,
    ordinary: async (userId) => {
      const { stop } = await pawl.run(spender, { userId, input: `I am ${userId}.` }).result;
      if (stop.type !== "end_turn") throw new Error(stop.message);
    },
  };
}

/** A pool with one connection to the store, while mallory's runs wait for their model. */
export function connectionPool(): Shared {
  let last: Promise<unknown> = Promise.resolve();
  /** Calls one after the other, as a pool with one connection does. */
  const alone =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> => {
      const calling = last.then(() => call(...args));
      last = calling.catch(() => undefined);
      return calling;
    };
  const { open, ...inner } = memoryStore();
  const store: EventStore = {
    ...inner,
    ...(open && { open: alone(open) }),
    append: alone(inner.append),
    acquire: alone(inner.acquire),
    renew: alone(inner.renew),
    release: alone(inner.release),
    sessions: {
      create: alone(inner.sessions.create),
      get: alone(inner.sessions.get),
      list: alone(inner.sessions.list),
    },
  };
  const model = scriptedModel(async ({ messages }) =>
    JSON.stringify(messages).includes("mallory") ? await never() : { text: "Hello." },
  );
  const slow = agent({ name: "slow", instructions: "i", model });
  const pawl = runtime({ agents: [slow], store });
  return {
    worst: (userId) => pawl.run(slow, { userId, input: `I am ${userId}.` }).result,
    ordinary: (userId) => pawl.run(slow, { userId, input: `I am ${userId}.` }).result,
  };
}

/** Readers of sessions: mallory's never take what they have read. */
export function readers(): Shared {
  const model = scriptedModel(() => ({ text: "Hello." }));
  const talker = agent({ name: "talker", instructions: "i", model });
  const pawl = runtime({ agents: [talker], store: memoryStore() });
  const read = async (userId: string) => {
    const run = pawl.run(talker, { userId, input: "Hi" });
    for await (const _ of run.textStream) if (userId === "mallory") await never();
  };
  return { worst: read, ordinary: read };
}
