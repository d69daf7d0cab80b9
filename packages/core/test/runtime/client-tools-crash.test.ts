import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { approval, memoryStore, tool } from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { family, task } from "../support/family.ts";
import { type Options, setup, user } from "../support/setup.ts";
import { dyingStore } from "../support/stores.ts";

const options = {
  name: "locate",
  description: "Returns where the user is.",
  input: z.object({}),
  output: z.object({ city: z.string() }),
};
const locate = tool({ ...options, runsIn: "client" });
const call = { tools: [{ name: "locate", id: "toolu_0", input: {} }] };
const city = { callId: "toolu_0", value: { city: "Bonn" } };

/** A page that answers what it is asked, in processes that die at the n-th append. Returns the last log. */
async function diedAt(n: number, agent: Options) {
  let time = 0;
  let appends = 0;
  const store = memoryStore({ now: () => time });
  const dying = dyingStore(store, () => ++appends === n);
  const script = [call, { text: "Bonn!" }];
  const [session] = [{ userId: user.userId, sessionId: "s1" }];
  await store.sessions.create({ id: "s1", userId: user.userId, agent: "tester" });
  const first = setup(script, agent, { store: dying });
  const died = () =>
    new Promise<"died">((done) => void setInterval(() => dying.dead && done("died"), 1).unref());
  let world = first;
  const run = (more: object) =>
    Promise.race([world.pawl.run("tester", { ...session, ...more }).result, died()]);
  let result = await run({ input: "Where am I?", clientMessageId: "m1" });
  for (let round = 0; round < 8 && (result === "died" || result.pending.length > 0); round += 1) {
    if (dying.dead && world === first) {
      time += 60_000;
      const turns = (await first.of("s1", "assistant_message")).length;
      world = setup(script.slice(turns), agent, { store });
      await world.pawl.sweep();
    }
    const live = new AbortController();
    let view = await world.pawl.view("s1", user);
    if (view.pending.length === 0 && view.run?.open)
      for await (const _ of world.pawl.follow("s1", {
        untilIdle: true,
        afterSeq: view.cursor,
        signal: live.signal,
      }));
    view = await world.pawl.view("s1", user);
    const [asked] = view.pending;
    const value = asked?.kind === "approval" ? { approved: true } : { city: "Bonn" };
    if (asked !== undefined) result = await run({ answers: [{ callId: asked.callId, value }] });
    else if (view.run?.stop !== undefined) break;
    else result = await run({ input: "Where am I?", clientMessageId: "m1" });
  }
  return { log: await world.log("s1"), died: dying.dead, models: [first.model, world.model] };
}

describe("F12 the call of a page's tool survives a process that dies at any append", () => {
  it.each<[string, Options, appends: number]>([
    ["alone", { tools: [locate] }, 5],
    ["after an approval", { tools: [locate], hooks: [approval({ when: ["locate"] })] }, 9],
  ])("%s", async (_, agent, appends) => {
    for (let n = 1; ; n += 1) {
      const { log, died, models } = await diedAt(n, agent);
      assertSoundLog(log);
      const results = log.filter(({ type }) => type === "tool_result").map(({ data }) => data);
      expect([n, results]).toMatchObject([n, [{ success: true, result: { city: "Bonn" } }]]);
      expect([n, log.at(-1)]).toMatchObject([n, { type: "run_ended", data: { stop: { type: "end_turn" } } }]);
      for (const { rejected } of models) expect(rejected).toEqual([]);
      if (!died) return expect(n).toBe(appends + 1);
    }
  });
});

describe("F12 the call of a page's tool", () => {
  it("is answered in another process, once among many", async () => {
    const first = setup([call], { tools: [locate] });
    const { sessionId } = await first.say("Where am I?");
    const worlds = [1, 2, 3, 4].map(() =>
      setup([{ text: "Bonn!" }], { tools: [locate] }, { store: first.store }),
    );
    const all = await Promise.allSettled(
      worlds.map(({ pawl }) => pawl.run("tester", { ...user, sessionId, answers: [city] }).result),
    );
    expect(all.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    for (const one of all)
      if (one.status === "rejected") expect(one.reason).toSatisfy(code("already_answered"));
    expect(await first.of(sessionId, "tool_result")).toHaveLength(1);
  });

  it("gets its default once nobody has answered in time, also in a sub-agent", async () => {
    const clock = testClock();
    const expires = { afterMs: 60_000, default: { city: "unknown" } };
    const tools = [tool({ ...options, runsIn: "client", expires })];
    const store = memoryStore({ now: clock.now });
    const world = setup([call, { text: "Fine." }], { tools }, { store, testing: { clock } });
    const { sessionId, pending } = await world.say("Where am I?");
    expect(pending).toMatchObject([{ clientTool: "locate", expires: { default: { city: "unknown" } } }]);
    world.pawl.start();
    for (const _ of [1, 2, 3]) await clock.advance(60_001);
    expect(await world.of(sessionId, "tool_result")).toMatchObject([
      { data: { success: true, result: { city: "unknown" } } },
    ]);
    await expect(world.answer(sessionId, "toolu_0", { city: "Bonn" })).rejects.toSatisfy(
      code("already_answered"),
    );
    await world.pawl.drain();
  });

  it("stays answerable for a version of the agent that has no such tool, which says so", async () => {
    const first = setup([call], { tools: [locate] });
    const { sessionId } = await first.say("Where am I?");
    const next = setup([{ text: "A pity." }], { version: "2" }, { store: first.store });
    expect((await next.answer(sessionId, "toolu_0", { city: "Bonn" })).text).toBe("A pity.");
    expect(await next.of(sessionId, "tool_result")).toMatchObject([
      { data: { success: false, result: expect.stringContaining("was removed") } },
    ]);
  });

  it("does not run on the server once the tool has moved there", async () => {
    const ran: string[] = [];
    const first = setup([call], { tools: [locate] });
    const { sessionId } = await first.say("Where am I?");
    const { output: _, ...here } = options;
    const tools = [tool({ ...here, execute: () => ran.push("here") })];
    const next = setup([{ text: "A pity." }], { tools, version: "2" }, { store: first.store });
    await next.answer(sessionId, "toolu_0", { city: "Bonn" });
    expect([ran, await next.of(sessionId, "tool_result")]).toMatchObject([
      [],
      [{ data: { success: false, result: expect.stringContaining("no longer asks") } }],
    ]);
  });

  it("is passed on to a sub-agent once, also if the process dies in between", async () => {
    const script = [{ tools: [{ name: "locate", input: {} }] }, { text: "In Bonn." }];
    const answers = [{ callId: "toolu_a", value: { city: "Bonn" } }];
    for (let n = 1; ; n += 1) {
      const world = family([{ tools: task("toolu_a") }, { text: "Bonn!" }], script, {
        callee: { tools: [locate] },
      });
      await world.say();
      let appends = 0;
      const dying = dyingStore(world.base, () => ++appends === n);
      const again = () => world.boot(dying).run("host", { ...user, sessionId: "s1", answers }).result;
      const died = new Promise<"died">(
        (done) => void setInterval(() => dying.dead && done("died"), 1).unref(),
      );
      const result = await Promise.race([again(), died]);
      const last = world.boot();
      if (result === "died") {
        await last.sweep();
        const { cursor } = await last.view("s1", user);
        if ((await last.view("s1", user)).run?.stop === undefined)
          for await (const _ of last.follow("s1", { afterSeq: cursor, untilIdle: true }));
      }
      expect([n, (await last.view("s1", user)).run?.stop?.type]).toEqual([n, "end_turn"]);
      expect(world.callee.requests).toHaveLength(2);
      await world.check();
      if (result !== "died") return expect(n).toBeGreaterThan(5);
    }
  });
});
