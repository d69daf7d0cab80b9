import { expect, it } from "vitest";
import * as z from "zod";
import { type Hook, memoryStore, tool } from "../../../src/index.ts";
import type { NewEvent } from "../../../src/store.ts";
import { named } from "../../support/hooks.ts";
import { setup, user } from "../../support/setup.ts";
import { beforeAppend } from "../../support/stores.ts";

const work = tool({ name: "work", description: "Works.", input: z.object({}), execute: () => 1 });
const asks = tool({
  name: "asks",
  description: "Asks.",
  input: z.object({}),
  suspends: { answer: z.string() },
});

/** A store in which another process stores a note before the append for which `when` returns true. */
function withNoteOfAnother(when: (events: readonly NewEvent[]) => boolean) {
  const inner = memoryStore();
  const store = beforeAppend(inner, async (events, id) => {
    if (!when(events)) return;
    await inner.append(id, [{ type: "note", data: { text: "of another process" } }], { appendId: "other" });
  });
  return store;
}

/** Returns a condition that is true for the first append with an event of this type. */
function firstWith(type: NewEvent["type"]) {
  let isOver = false;
  return (events: readonly NewEvent[]) => {
    const isFirst = !isOver && events.some((event) => event.type === type);
    isOver ||= isFirst;
    return isFirst;
  };
}

it.each([
  ["an answer", "assistant_message", [{ text: "One." }]],
  ["the results", "tool_result", [{ tools: [{ name: "work", input: {} }] }, { text: "Two." }]],
] as const)(
  "H1 L3 afterTurn may end the run although another process stored something before %s",
  async (_, type, script) => {
    const turns: number[] = [];
    const watch: Hook = named("watch", {
      afterTurn: (_turn, { run }) => {
        turns.push(run.turns);
        return { stop: { type: "enough", message: "Enough." } };
      },
    });
    const store = withNoteOfAnother(firstWith(type));
    const world = setup(script, { hooks: [watch], tools: [work] }, { store });
    expect((await world.say("Go")).stop).toMatchObject({ type: "enough" });
    expect(turns).toEqual([1]);
  },
);

it("H1 L3 onSuspend is called although another process stored something before the results", async () => {
  const told: string[] = [];
  const watch = named("watch", { onSuspend: () => void told.push("suspended") });
  const script = [
    {
      tools: [
        { name: "asks", input: {} },
        { name: "work", input: {} },
      ],
    },
  ];
  const store = withNoteOfAnother(firstWith("tool_result"));
  const world = setup(script, { hooks: [watch], tools: [asks, work] }, { store });
  await world.say("Go");
  expect(told).toEqual(["suspended"]);
});

const METHODS = [
  "beforeRun",
  "beforeModel",
  "afterModel",
  "beforeTool",
  "afterTool",
  "afterTurn",
  "onSuspend",
  "afterRun",
] as const;

/** Runs a turn with tools, one with a question, and one without. Returns how often each method was called. */
async function callsOf(when: (events: readonly NewEvent[]) => boolean): Promise<string[]> {
  const called: string[] = [];
  const methods = METHODS.map((method) => [method, () => void called.push(method)]);
  const watch = { name: "watch", ...Object.fromEntries(methods) } as Hook;
  const script = [
    { tools: [{ name: "work", input: {} }] },
    {
      tools: [
        { name: "asks", input: {} },
        { name: "work", input: {} },
      ],
    },
    { text: "Done." },
  ];
  const store = withNoteOfAnother(when);
  const world = setup(script, { hooks: [watch], tools: [work, asks] }, { store });
  const { sessionId, pending } = await world.say("Go");
  const answers = [{ callId: pending[0]?.callId ?? "", value: "yes" }];
  await world.pawl.run("tester", { ...user, sessionId, answers }).result;
  return called.toSorted();
}

it("H1 L3 each hook is called as often whatever append another process comes before", async () => {
  const alone = await callsOf(() => false);
  expect(new Set(alone).size).toBe(METHODS.length);
  let at = 1;
  for (let appends = Number.POSITIVE_INFINITY; at <= appends; at += 1) {
    let count = 0;
    const called = await callsOf(() => {
      count += 1;
      return count === at;
    });
    appends = count;
    expect({ at, called }).toEqual({ at, called: alone });
  }
  expect(at).toBeGreaterThan(10);
});
