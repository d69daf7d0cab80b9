import type { Reply } from "@pawl/testing";
import { expect } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type EventStore, type Runtime, tool } from "../../src/index.ts";
import { type Setup, stored, user } from "./setup.ts";
import { nothing } from "./tools.ts";

export const finish = tool({
  name: "finish",
  description: "",
  input: nothing,
  endsRun: true,
  execute: () => "bye",
});
export const slow: Reply = { text: "One two three four five six seven eight", delayPerEventMs: 4 };
export const endless: Reply = { text: "a ".repeat(300), delayPerEventMs: 4 };
export const ok: Reply = { text: "Ok." };

/** A tool that works until it is let go; with `deaf` it ignores its abort signal. */
export function gate(deaf = false) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = tool({
    name: "work",
    description: "",
    input: nothing,
    execute: async (_, { signal }) => {
      const stopped = new Promise<void>((_, reject) => {
        signal.addEventListener("abort", () => !deaf && reject(new Error("stopped")));
      });
      await Promise.race([promise, stopped]);
      return "worked";
    },
  });
  return { work, open: resolve };
}

/** What the model is sent in its n-th request, text by text; results by their call. */
export function texts({ model }: Setup, n: number): string[] {
  return (model.requests[n]?.messages ?? []).flatMap(({ role, content }) =>
    (content as { text?: string; content?: string; name?: string }[]).map(
      ({ text, content: result, name }) => `${role}: ${text ?? result ?? name}`,
    ),
  );
}

export async function begin(world: Setup, until = "llm_request", pawl: Runtime = world.pawl) {
  const run = pawl.run("tester", { ...user, input: "First" });
  const { sessionId } = await run.started;
  await stored(world, sessionId, until);
  const say = (
    input: string,
    more: { clientMessageId?: string; signal?: AbortSignal } = {},
    by = world.pawl,
  ) => by.run("tester", { ...user, sessionId, input, ...more });
  return { run, sessionId, say };
}

/** The log is sound, every request was valid, and no run is open. */
export async function check(world: Setup, sessionId: string) {
  const log = await world.log(sessionId);
  assertSoundLog(log);
  expect(world.model.rejected).toEqual([]);
  expect((await world.store.sessions.get(sessionId))?.openRun).toBeNull();
  return log;
}

/** A store that says once more how it was when a run was open: the lease taken, and the run in the row. */
export function ofYesterday(store: EventStore): EventStore {
  let gets = 0;
  let opens = 0;
  return {
    ...store,
    open: async (wanted) => {
      opens += 1;
      const row = opens === 1 ? await store.sessions.get(wanted.id) : undefined;
      if (row === undefined) return await store.open?.(wanted);
      return { session: { ...row, openRun: "r1" }, lease: undefined, events: [] };
    },
    acquire: async (...args) => (gets > 1 ? await store.acquire(...args) : undefined),
    sessions: {
      ...store.sessions,
      get: async (id) => {
        const row = await store.sessions.get(id);
        gets += 1;
        return row && gets === 2 ? { ...row, openRun: "r1" } : row;
      },
    },
  };
}
