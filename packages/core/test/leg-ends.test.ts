import { expect, it } from "vitest";
import * as z from "zod";
import { type EventStore, localTail, memoryStore, PawlError, tool } from "../src/index.ts";
import { setup, sleep } from "./support/setup.ts";

it("W4 shows nothing as going on when the run is over", async () => {
  const tail = localTail();
  const { say } = setup([{ text: "Done." }], {}, { tail });
  const { sessionId } = await say("Go");
  expect(tail.peek(sessionId).live).toBeUndefined();
});

it("L7 ends a run that failed, also where something is stored at the last moment", async () => {
  const base = memoryStore();
  let late = 0;
  const store: EventStore = {
    ...base,
    append: async (sessionId, events, options) => {
      if (events.some(({ type }) => type === "run_ended") && late < 2) {
        late += 1;
        const note = { type: "note", data: { text: `late ${late}` } } as const;
        await base.append(sessionId, [note], { appendId: `late ${late}` });
      }
      return await base.append(sessionId, events, options);
    },
  };
  const deps = () => Promise.reject(new Error("no database"));
  const { say, of } = setup([{ text: "Never." }], {}, { store, deps });
  const { stop, sessionId } = await say("Go");
  expect(stop).toMatchObject({ type: "error", message: expect.stringMatching(/\S/) });
  expect(late).toBe(2);
  expect(await of(sessionId, "run_ended")).toHaveLength(1);
  expect(await of(sessionId, "note")).toHaveLength(2);
});

it("L4 a report of a tool that comes back too late may be lost, and hurts nobody", async () => {
  const base = memoryStore();
  let refused = 0;
  const store: EventStore = {
    ...base,
    append: async (sessionId, events, options) => {
      if (events.some(({ type, data }) => type === "error" && JSON.stringify(data).includes("late"))) {
        refused += 1;
        throw new PawlError("store_unavailable", "down");
      }
      return await base.append(sessionId, events, options);
    },
  };
  let back = (): void => undefined;
  const slow = tool({
    name: "slow",
    description: "",
    input: z.object({}),
    timeoutMs: 20,
    execute: () =>
      new Promise<string>((resolve) => {
        back = () => resolve("too late");
      }),
  });
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", listen);
  try {
    const world = setup([{ tools: [{ name: "slow" }] }, { text: "Done." }], { tools: [slow] }, { store });
    const { stop } = await world.say("Go");
    expect(stop.type).toBe("end_turn");
    back();
    await expect.poll(() => refused).toBe(1);
    await sleep(20);
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", listen);
  }
});
