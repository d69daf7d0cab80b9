import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { crashingStore } from "../../../../../test/support/crashing-store.ts";
import { databaseUser } from "../../../../../test/support/database-user.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { byTurn } from "../../../../../test/support/world.ts";
import { agent, agentTool, type EventStore, PawlError, tool } from "../../../src/index.ts";
import type { Lease } from "../../../src/store.ts";
import { ask, asking, type Family, family, ofType, sessionId, task } from "../../support/family.ts";
import { until, user } from "../../support/setup.ts";

const child = `${sessionId}:toolu_a`;
const waitingForUser = async ({ base }: Family) =>
  (await base.sessions.list({ userId: "u1", status: ["suspended"] })).map(({ id }) => id);

async function expectEnded(world: Family, id = child): Promise<void> {
  expect(await world.base.sessions.get(id)).toMatchObject({ status: "active", openRun: null, pending: 0 });
  const ended = ofType(await world.log(id), "run_ended");
  expect(ended).toMatchObject([{ data: { stop: { type: "aborted" } } }]);
  expect(await waitingForUser(world)).toEqual([]);
}

/** A caller whose task waits for its user. */
async function asked(more: Parameters<typeof family>[2] = {}): Promise<Family> {
  const world = family([{ tools: task("toolu_a") }, { text: "All right." }], [asking("First?")], more);
  await world.say();
  expect((await waitingForUser(world)).sort()).toEqual([sessionId, child]);
  return world;
}

describe("a task whose caller ends", () => {
  it("P6 ends when the user talks past its question, and an answer to it is refused", async () => {
    const world = await asked();
    const pawl = world.boot();
    const result = await pawl.run("host", { ...user, sessionId, input: "Never mind" }).result;
    expect(result.text).toBe("All right.");
    await expectEnded(world);
    await expect(world.answer("toolu_a", "yes", pawl)).rejects.toMatchObject({ code: "already_answered" });
    expect(ofType(await world.log(), "effect_ended")).toMatchObject([{ data: { success: true } }]);
    await world.check();
  });

  it("L9 ends when its caller is stopped while it waits", async () => {
    const world = await asked();
    const pawl = world.boot();
    await pawl.stop(sessionId, user);
    for await (const _ of pawl.follow(sessionId, { afterSeq: 1, untilIdle: true }));
    await until(async () => (await world.base.sessions.get(sessionId))?.openRun === null);
    await expectEnded(world);
    await world.check();
  });

  it("L9 L7 ends when its caller is stopped and an answer arrives while its session is read", async () => {
    const world = await asked();
    let answering: Promise<unknown> | undefined;
    const store: EventStore = {
      ...world.base,
      sessions: {
        ...world.base.sessions,
        get: async (id) => {
          const isEnding = id === child && ofType(await world.log(), "stop_requested").length > 0;
          if (isEnding && answering === undefined) {
            answering = world.answer("toolu_a", "yes", pawl);
            await until(async () => ofType(await world.log(), "tool_answered").length > 0);
            // The process that stored the answer tells its leg, which reads it.
            await settled();
          }
          return await world.base.sessions.get(id);
        },
      },
    };
    const pawl = world.boot(store);
    await pawl.stop(sessionId, user);
    for await (const _ of pawl.follow(sessionId, { afterSeq: 1, untilIdle: true }));
    await until(async () => (await world.base.sessions.get(sessionId))?.openRun === null);
    await answering;
    await expectEnded(world);
    expect(ofType(await world.log(), "tool_result")).toHaveLength(1);
    expect(ofType(await world.log(), "error")).toEqual([]);
    await world.check();
  });

  it("P6 goes on if the user's answer arrives while a new message would end its caller", async () => {
    const world = await asked({ caller: { whenBusy: "queue" } });
    let isAnswered = false;
    let renewals = 0;
    const store: EventStore = {
      ...world.base,
      renew: async (...given) => {
        renewals += 1;
        return await world.base.renew(...given);
      },
      sessions: {
        ...world.base.sessions,
        get: async (id) => {
          if (id === child && !isAnswered) {
            isAnswered = true;
            await databaseUser(world.base, sessionId).answer({ text: "yes" }, "answered elsewhere");
            // The leg reads it when it renews its lease.
            const before = renewals;
            await until(() => renewals > before);
            await settled();
          }
          return await world.base.sessions.get(id);
        },
      },
    };
    const pawl = world.boot(store, { times: { leaseTtlMs: 30 } });
    const result = await pawl.run("host", { ...user, sessionId, input: "And?" }).result;
    expect([result.stop.type, result.text]).toEqual(["end_turn", "All right."]);
    const answers = ofType(await world.log(child), "tool_answered");
    expect(answers).toMatchObject([{ data: { value: { text: "yes" } } }]);
    await world.check();
  });

  it("L9 asks no model and costs nothing if it begins when its caller has already ended", async () => {
    const world = family([{ tools: task("toolu_a") }], [{ text: "Too late." }]);
    await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
    const slow: EventStore = {
      ...world.base,
      append: async (id, events, options) => {
        const isStart = id === child && events[0]?.type === "run_started";
        if (isStart) await until(async () => ofType(await world.log(), "run_ended").length > 0);
        return await world.base.append(id, events, options);
      },
    };
    const pawl = world.boot(slow, { times: { abortGraceMs: 1 } });
    const stop = new AbortController();
    const run = pawl.run("host", { ...user, sessionId, input: "Go", signal: stop.signal });
    await until(async () => ofType(await world.log(), "tool_started").length > 0);
    stop.abort();
    expect((await run.result).stop.type).toBe("aborted");
    await until(async () => ofType(await world.log(child), "run_ended").length > 0);
    expect(world.callee.requests).toEqual([]);
    expect(ofType(await world.log(child), "run_ended")).toMatchObject([{ data: { tokens: { total: 0 } } }]);
    await world.check();
  });

  it("L9 E2 asks no model if another process has taken over its caller before it began", async () => {
    const world = family([{ tools: task("toolu_a") }], [{ text: "Too late." }]);
    await world.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
    let isTaken = false;
    const store: EventStore = {
      ...world.base,
      append: async (id, events, options) => {
        const rows = await world.base.append(id, events, options);
        if (id === child && events[0]?.type === "run_started" && !isTaken) {
          isTaken = true;
          // As after a pause that was longer than the lease.
          const [lease] = leases;
          if (lease !== undefined) await world.base.release(lease);
          await world.base.acquire(sessionId, "another process", 60_000);
        }
        return rows;
      },
      open: async (wanted) => {
        const opened = await world.base.open?.(wanted);
        if (wanted.id === sessionId && opened?.lease !== undefined) leases.push(opened.lease);
        return opened;
      },
    };
    const leases: Lease[] = [];
    const pawl = world.boot(store, { times: { abortGraceMs: 1 } });
    pawl.run("host", { ...user, sessionId, input: "Go" }).result.catch(() => undefined);
    await until(async () => ofType(await world.log(child), "run_ended").length > 0);
    expect(world.callee.requests).toEqual([]);
    expect(ofType(await world.log(child), "run_ended")).toMatchObject([{ data: { tokens: { total: 0 } } }]);
  });

  it("E7 ends when its caller's session has expired", async () => {
    const world = await asked();
    const session = { status: "expired" } as const;
    await world.base.append(sessionId, [{ type: "app.late", data: null }], { appendId: "x", session });
    await world.boot().sweep();
    await until(async () => (await world.base.sessions.get(sessionId))?.openRun === null);
    await expectEnded(world);
    await world.check();
  });

  it("P6 ends with all that it has handed on", async () => {
    const helper = agent({
      name: "helper",
      instructions: "You help.",
      model: strictModel({ rules: byTurn([asking("Deep?")]) }),
      tools: [ask],
    });
    const world = family(
      [{ tools: task("toolu_a") }, { text: "All right." }],
      [{ tools: [{ name: "helper", input: { task: "Help." }, id: "toolu_b" }] }],
      { callee: { tools: [agentTool({ agent: helper, description: "Helps." })] } },
    );
    await world.say();
    expect(await waitingForUser(world)).toHaveLength(3);
    await world.boot().run("host", { ...user, sessionId, input: "Never mind" }).result;
    await expectEnded(world);
    await expectEnded(world, `${child}:toolu_b`);
    await world.check();
  });

  it("P6 ends with the run at the latest where a queued message has overtaken its question", async () => {
    const gate = Promise.withResolvers<string>();
    const slow = tool({ name: "slow", description: "", input: z.object({}), execute: () => gate.promise });
    const world = family(
      [{ tools: [...task("toolu_a"), { name: "slow", input: {} }] }, { text: "All right." }],
      [asking("First?")],
    );
    const tools = [...world.host.tools.values(), slow];
    const host = agent({ name: "host", instructions: "H.", model: world.caller, tools, whenBusy: "queue" });
    const pawl = world.boot(world.base, { agents: [host] });
    const running = world.say(pawl);
    await until(async () => ofType(await world.log(), "tool_suspended").length > 0);
    const late = pawl.run("host", { ...user, sessionId, input: "Never mind" });
    await late.started;
    gate.resolve("seen");
    expect((await running).text).toBe("All right.");
    await expectEnded(world);
    await world.check();
  });

  it("P6 stays as it is if it has ended by itself", async () => {
    const world = family(
      [{ tools: [...task("toolu_a"), { name: "ask", input: { q: "Own?" } }] }, { text: "All right." }],
      [{ text: "Known." }],
    );
    await world.say();
    const before = await world.log(child);
    await world.boot().run("host", { ...user, sessionId, input: "Never mind" }).result;
    expect(await world.log(child)).toEqual(before);
    expect(ofType(await world.log(), "effect_started")).toEqual([]);
    await world.check();
  });

  it("P6 C11 ends after a crash before and after every append", async () => {
    let crashes = 0;
    for (const when of ["before", "after"] as const) {
      for (let at = 1; at <= 10; at += 1) {
        const world = await asked();
        crashes += await talkPast(world, crashingStore(world.base, at, when));
        await expectEnded(world);
        expect(ofType(await world.log(), "effect_ended")).toMatchObject([{ data: { success: true } }]);
        await world.check();
      }
    }
    // Each of the seven, and nothing was left to die of after them.
    expect(crashes).toBe(14);
  });
});

async function isAtWork({ base }: Family): Promise<boolean> {
  const { openRun, status } = (await base.sessions.get(sessionId)) ?? {};
  return openRun !== null && status !== "suspended";
}

/** What the user's client and a supervisor do until the message is answered. */
async function talkPast(world: Family, store: EventStore): Promise<number> {
  let pawl = world.boot(store);
  const said = { ...user, sessionId, input: "Never mind", clientMessageId: "m2" };
  for (let crashes = 0; crashes < 5; crashes += 1) {
    try {
      await pawl.run("host", said).result;
      return crashes;
    } catch (error) {
      if (!PawlError.is(error, "store_unavailable")) throw error;
      pawl = world.boot();
      if ((await pawl.sweep()) > 0) await until(async () => !(await isAtWork(world)));
    }
  }
  throw new Error("the message is never answered");
}
