import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { crashingStore } from "../../../../../test/support/crashing-store.ts";
import {
  type EventStore,
  type Hook,
  memoryStore,
  PawlError,
  type Session,
  type StoredEvent,
} from "../../../src/index.ts";
import { type Setup, setup } from "../../support/setup.ts";
import { ask, question } from "../../support/tools.ts";

/** A run with a question, answered or talked past, over processes of which the first dies at an append. */
interface Story {
  at: number;
  when: "before" | "after";
  idempotent: boolean;
  talkPast: boolean;
}

/** What a client does next, and a supervisor where there is nothing for the client to do. */
async function step(world: Setup, base: EventStore, log: readonly StoredEvent[], talkPast: boolean) {
  const count = (type: string) => log.filter((event) => event.type === type).length;
  const past = () => world.say("Past", { sessionId: "s1", clientMessageId: "m2" });
  if (count("user_message") === 0) return await world.say("Go", { sessionId: "s1", clientMessageId: "m1" });
  const { status } = (await base.sessions.get("s1")) as Session;
  if (status === "suspended") return talkPast ? await past() : await world.answer("s1", "toolu_q", "yes");
  if (talkPast && count("run_ended") === 1 && count("user_message") === 1) return await past();
  if ((await world.pawl.sweep()) === 0) return undefined;
  return await Array.fromAsync(world.pawl.follow("s1", { afterSeq: log.length, untilIdle: true }));
}

async function untilOver({ at, when, idempotent, talkPast }: Story) {
  let clock = 0;
  const base = memoryStore({ now: () => clock });
  await base.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
  const done: string[] = [];
  const hooks: Hook[] = ["one", "two"].map((name) => ({
    name,
    idempotent,
    afterRun: async ({ runId }, { append }) => {
      done.push(`${name} ${runId}`);
      await append({ type: "note", key: `${name}:${runId}`, data: { text: name } });
    },
  }));
  const options = { tools: [ask], hooks };
  const rest: readonly Reply[] = [{ text: "Ok." }, { text: "Fine." }];
  const first = crashingStore(base, at, when);
  let world: Setup = setup([{ tools: [question] }, ...rest], options, { store: first });
  let crashes = 0;
  for (let steps = 0; steps < 30; steps += 1) {
    const log = await Array.fromAsync(base.read("s1"));
    const ended = log.filter(({ type }) => type === "run_ended").length;
    const { rejected } = world.model;
    if (ended === (talkPast ? 2 : 1)) return { log, done, crashes, appends: first.appends, rejected };
    try {
      await step(world, base, log, talkPast);
    } catch (error) {
      if (!PawlError.is(error, "store_unavailable")) throw error;
      crashes += 1;
      clock += 60_000;
      const asked = (await Array.fromAsync(base.read("s1"))).some(({ type }) => type === "tool_suspended");
      world = setup(asked ? rest : [{ tools: [question] }, ...rest], options, { store: base });
    }
  }
  throw new Error("it does not come to an end");
}

/** Each effect of each run was begun, and done as often as it may be; what it added is there once. */
async function checkStory(story: Story): Promise<void> {
  const { log, done, crashes, rejected } = await untilOver(story);
  expect({ ...story, crashes, rejected }).toEqual({ ...story, crashes: 1, rejected: [] });
  const runs = log.flatMap((event) => (event.type === "run_ended" ? [event.data.run_id] : []));
  const effects = ["one", "two"].flatMap((name) => runs.map((runId) => [name, runId] as const));
  expect(log.filter(({ type }) => type === "effect_started")).toHaveLength(effects.length);
  for (const [name, runId] of effects) {
    const times = done.filter((one) => one === `${name} ${runId}`).length;
    expect(times, `${name}, ${story.when} append ${story.at}`).toBeLessThanOrEqual(story.idempotent ? 2 : 1);
    if (story.idempotent) expect(times).toBeGreaterThanOrEqual(1);
    expect(log.filter(({ key }) => key === `${name}:${runId}`).length).toBeLessThanOrEqual(1);
  }
  expect(done.length).toBeGreaterThanOrEqual(effects.length - 1);
}

describe.each([
  ["answered", false],
  ["talked past", true],
])("afterRun over a crash at every append of a run that is %s", async (_how, talkPast) => {
  const whole = { at: Number.POSITIVE_INFINITY, when: "before", idempotent: false, talkPast } as const;
  const { appends } = await untilOver(whole);

  it.each([
    ["once at most", false],
    ["again if that is allowed", true],
  ])("L17 runs %s", async (_what, idempotent) => {
    expect(appends).toBeGreaterThanOrEqual(talkPast ? 18 : 11);
    for (let at = 1; at <= appends; at += 1) {
      for (const when of ["before", "after"] as const) await checkStory({ at, when, idempotent, talkPast });
    }
  });
});
