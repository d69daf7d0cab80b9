import type { Reply } from "@pawl/testing";
import { type TestClock, testClock } from "@pawl/testing";
import { expect } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import {
  type EventStore,
  jsonSchema,
  memoryStore,
  type RuntimeOptions,
  type StoredOf,
  type ToolContext,
  tool,
} from "../../src/index.ts";
import { type Options, type Setup, setup } from "./setup.ts";
import { nothing } from "./tools.ts";

export const yes = jsonSchema<{ ok: boolean }>({
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
});
export const expires = { afterMs: 60_000, default: { ok: false } };
const question = { kind: "confirm", payload: { about: "rm" }, answer: yes, expires };

/** A model that calls the tool `clean` once. */
export const script: Reply[] = [{ tools: [{ name: "clean", id: "c1" }] }, { text: "Ok." }, { text: "Fine." }];

/** A tool that does this. It is not idempotent. */
export const clean = (execute: (context: ToolContext) => unknown, more: object = {}) =>
  tool({
    name: "clean",
    description: "",
    input: nothing,
    execute: (_, context: ToolContext) => execute(context),
    ...more,
  });

/** Asks the user, with a minute to answer. */
export const asking = ({ answered, ask }: ToolContext) => answered ?? ask(question);

/** Waits three times for a minute. */
export const polling = ({ answered, wait }: ToolContext) => {
  const times = answered?.questions ?? 0;
  return times === 3 ? answered : wait({ afterMs: 60_000, state: { times } });
};

/** A process, and the clock of the process and its store. */
export interface Waiting extends Setup {
  clock: TestClock;
}

/** Starts a process over this store. Process and store have one clock, unless another one is given. */
export function boot(
  tools: Options["tools"] & {},
  {
    clock = testClock(),
    left = script,
    store = memoryStore({ now: clock.now }),
    options = {},
    times = {},
    ...more
  }: {
    clock?: TestClock;
    left?: readonly Reply[];
    store?: EventStore;
    options?: Options;
  } & Partial<Omit<RuntimeOptions<unknown>, "testing">> = {},
): Waiting {
  return {
    ...setup(
      left,
      { tools, ...options },
      { store, testing: { clock }, times: { pollMs: 10, ...times }, ...more },
    ),
    clock,
  };
}

/** Returns the call's result, from a log that is sound. */
export async function resultOf(
  world: Setup,
  sessionId: string,
): Promise<StoredOf<"tool_result">["data"] | undefined> {
  assertSoundLog(await world.log(sessionId));
  expect(world.model.rejected).toEqual([]);
  return (await world.of(sessionId, "tool_result"))[0]?.data;
}

/** Returns the answers in the log, in order. */
export const answersOf = async (world: Setup, sessionId: string) =>
  (await world.of(sessionId, "tool_answered")).map(({ data: { value, expired } }) => ({ value, expired }));

/** Returns whether the session has no open run. */
export const isOver = async ({ store }: Setup, sessionId: string): Promise<boolean> =>
  (await store.sessions.get(sessionId))?.openRun === null;
