import { testClock } from "@pawl/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { stops } from "../../../../../test/support/invariants.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { memoryStore, PawlError, runtime } from "../../../src/index.ts";
import { allowFailedHooks } from "../../support/hooks.ts";
import { setup, stored, types, until, user } from "../../support/setup.ts";
import { ask, question } from "../../support/tools.ts";
import { begin, check, endless, gate, ok, texts } from "../../support/when-busy.ts";

beforeEach(allowFailedHooks);

describe("whenBusy: interrupt", () => {
  const interrupt = { whenBusy: "interrupt" } as const;

  it("L9 ends the run while the model is writing, and begins another in the same append", async () => {
    const world = setup([endless, { text: "Second answer." }], interrupt);
    const { run, sessionId, say } = await begin(world);
    for await (const { type } of run) if (type === "text_delta") break;
    const second = say("Second");
    expect(await second.result).toMatchObject({ text: "Second answer.", stop: { type: "end_turn" } });
    const { stop, runId, text } = await run.result;
    expect(stop).toEqual({ type: "interrupted", message: "Stopped: a new message arrived." });
    expect(text).not.toBe("");
    expect(text.length).toBeLessThan((endless.text ?? "").length / 2);
    const log = await check(world, sessionId);
    expect(log.find(({ type }) => type === "stop_requested")?.data).toEqual({
      run_id: runId,
      interrupt: true,
    });
    expect(texts(world, 1).map((sent) => sent.trim())).toEqual([
      "user: First",
      `assistant: ${text}`,
      "user: Second",
    ]);
    expect(stops(log)).toEqual(["interrupted", "end_turn"]);
  });

  it.each([
    ["that honours its abort signal", false, "stopped"],
    ["that ignores it", true, /outcome of this call is unknown/],
  ])("L9 answers a tool %s, and a question beside it", async (_title, deaf, result) => {
    const { work, open } = gate(deaf);
    const world = setup([{ tools: [{ name: "work" }, question] }, ok], { ...interrupt, tools: [work, ask] });
    const { run, sessionId, say } = await begin(world, "tool_started");
    expect((await say("Second").result).text).toBe("Ok.");
    const { actions, stop } = await run.result;
    expect(stop.type).toBe("interrupted");
    expect(actions[0]).toMatchObject({ success: false, result: expect.stringMatching(result) });
    expect(actions[1]?.result).toEqual({ answered: false, reason: "the user sent another message." });
    open();
    await settled();
    expect((await world.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(
      deaf ? ["late_result"] : [],
    );
    await check(world, sessionId);
  });

  it("L9 interrupts twice: while the first run ends both messages go into one run, later into one each", async () => {
    const { work, open } = gate(true);
    const world = setup([{ tools: [{ name: "work" }] }, endless, ok], { ...interrupt, tools: [work] });
    const { run, sessionId, say } = await begin(world, "tool_started");
    const second = say("Second");
    await second.started;
    const third = say("Third");
    await third.started;
    await until(() => world.model.requests.length >= 2);
    expect(texts(world, 1).slice(-2)).toEqual(["user: Second", "user: Third"]);
    const fourth = say("Fourth");
    expect((await fourth.result).text).toBe("Ok.");
    const ended = await second.result;
    expect(ended.stop.type).toBe("interrupted");
    expect(await third.result).toEqual(ended);
    expect((await run.result).runId).not.toBe(ended.runId);
    open();
    expect(stops(await check(world, sessionId))).toEqual(["interrupted", "interrupted", "end_turn"]);
  });

  it("E2 keeps the lease for the run that begins in place of the first", async () => {
    const { work, open } = gate();
    const script = [endless, { tools: [{ name: "work" }] }, ok];
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const world = setup(
      script,
      { ...interrupt, tools: [work] },
      { testing: { clock }, store, times: { leaseTtlMs: 60_000 } },
    );
    const { sessionId, say } = await begin(world);
    const second = say("Second");
    await stored(world, sessionId, "tool_started");
    await clock.advance(150_000);
    expect(await world.store.acquire(sessionId, "another", 1_000)).toBeUndefined();
    open();
    expect((await second.result).text).toBe("Ok.");
    await check(world, sessionId);
  });

  it("L9 begins a run for what comes after a signal to stop, while the first run is ending", async () => {
    const { work, open } = gate(true);
    const options = { whenBusy: "queue", tools: [work] } as const;
    const world = setup([{ tools: [{ name: "work" }] }, ok], options, { times: { abortGraceMs: 100 } });
    const control = new AbortController();
    const run = world.pawl.run("tester", { ...user, input: "First", signal: control.signal });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "tool_started");
    control.abort();
    const second = await world.pawl.run("tester", { ...user, sessionId, input: "Second" }).result;
    expect([(await run.result).stop.type, second.text]).toEqual(["aborted", "Ok."]);
    open();
    await check(world, sessionId);
  });

  it("C7 tells the hooks that the next run, too, begins without what is known of the user", async () => {
    const told: string[] = [];
    const hooks = [{ name: "watch", onError: ({ code }: { code: string }) => void told.push(code) }];
    const userData = () => Promise.reject(new Error("no profile"));
    const world = setup([endless, ok], { ...interrupt, userData: { read: userData }, hooks });
    const { sessionId, say } = await begin(world);
    expect((await say("Second").result).text).toBe("Ok.");
    const logged = (await world.of(sessionId, "error")).map(({ data }) => data.code);
    expect(logged).toHaveLength(2);
    expect(told).toEqual(logged);
  });

  it("L9 interrupts a run of another process", async () => {
    const world = setup([endless, ok], interrupt, { times: { leaseTtlMs: 60 } });
    const { run, sessionId, say } = await begin(world);
    const elsewhere = runtime({
      agents: [world.agent],
      store: world.store,
      times: { pollMs: 5, leaseTtlMs: 60 },
    });
    expect((await say("Second", {}, elsewhere).result).text).toBe("Ok.");
    expect((await run.result).stop.type).toBe("interrupted");
    await check(world, sessionId);
  });

  it("L9 a stop behind the interruption stops both, one before it only the first", async () => {
    const { work, open } = gate(true);
    const script = [{ tools: [{ name: "work" }] }, { tools: [{ name: "work" }] }, ok];
    const world = setup(script, { ...interrupt, tools: [work] }, { times: { abortGraceMs: 50 } });
    const { run, sessionId, say } = await begin(world, "tool_started");
    const second = say("Second");
    await second.started;
    await world.pawl.stop(sessionId, user);
    expect((await second.result).stop.type).toBe("aborted");
    expect(await run.result).toEqual(await second.result);
    const third = say("Third");
    await third.started;
    await until(async () => (await world.of(sessionId, "tool_started")).length >= 2);
    await world.pawl.stop(sessionId, user);
    expect((await say("Fourth").result).text).toBe("Ok.");
    open();
    expect((await third.result).stop.type).toBe("aborted");
    expect(stops(await check(world, sessionId))).toEqual(["aborted", "aborted", "end_turn"]);
  });

  it("P6 supersedes a question as ever, and begins no second run for it", async () => {
    const world = setup([{ tools: [question] }, ok], { ...interrupt, tools: [ask] });
    const { sessionId } = await world.say("First");
    expect((await world.say("Second", { sessionId })).text).toBe("Ok.");
    const log = await check(world, sessionId);
    expect(types(log)).not.toContain("stop_requested");
    expect(stops(log)).toEqual(["interrupted", "end_turn"]);
  });

  it("drains in the middle of an interruption, and another process goes on", async () => {
    const world = setup([endless, ok], interrupt);
    const { sessionId, say } = await begin(world);
    const second = say("Second");
    await second.started;
    await world.pawl.drain();
    await second.result.catch((error) => expect(PawlError.is(error, "draining")).toBe(true));
    const next = runtime({ agents: [world.agent], store: world.store });
    if ((await next.sweep()) > 0) for await (const _ of next.follow(sessionId, { untilIdle: true }));
    expect(stops(await check(world, sessionId))).toEqual(["interrupted", "end_turn"]);
  });

  it("L9 does so for a message that asks for it, where the agent has no `whenBusy`; one that it has comes first", async () => {
    const asked = { ...user, input: "Second", whenBusy: "interrupt" } as const;
    const world = setup([endless, { text: "Second answer." }]);
    const first = await begin(world);
    const second = world.pawl.run("tester", { ...asked, sessionId: first.sessionId });
    expect((await second.result).text).toBe("Second answer.");
    expect((await first.run.result).stop.type).toBe("interrupted");

    const { work, open } = gate();
    const strict = setup([{ tools: [{ name: "work" }] }, ok], { whenBusy: "reject", tools: [work] });
    const busy = await begin(strict, "tool_started");
    const refused = strict.pawl.run("tester", { ...asked, sessionId: busy.sessionId });
    await expect(refused.started).rejects.toMatchObject({ code: "session_busy" });
    open();
    await busy.run.result;
  });
});
