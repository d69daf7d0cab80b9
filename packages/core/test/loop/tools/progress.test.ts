import { describe, expect, it } from "vitest";
import { settled } from "../../../../../test/support/settled.ts";
import { memoryStore, tool } from "../../../src/index.ts";
import { collect, never, setup, stored } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";
import { text } from "../../support/tools.ts";

describe("the progress of a tool", () => {
  it("T8 shows the phases of a tool, with its own words", async () => {
    const ok = tool({
      name: "ok",
      description: "",
      input: text,
      status: { start: "Working…", done: "Worked" },
      execute: (_, { progress }) => progress({ percent: 50 }),
    });
    const bad = tool({
      name: "bad",
      description: "",
      input: text,
      execute: () => Promise.reject(new Error("no")),
    });
    const input = { text: "" };
    const { pawl } = setup(
      [
        {
          tools: [
            { name: "ok", input },
            { name: "bad", input },
          ],
        },
        { text: "Ok." },
      ],
      { tools: [ok, bad] },
    );
    const events = await collect(pawl.run("tester", { userId: "u1", input: "Go" }));
    const phases = events.flatMap((event) => (event.type === "tool_status" ? [event.data] : []));
    expect(phases.filter(({ tool_name }) => tool_name === "ok")).toMatchObject([
      { phase: "start", message: "Working…" },
      { phase: "done", message: "Worked" },
    ]);
    expect(phases.filter(({ tool_name }) => tool_name === "bad")).toMatchObject([
      { phase: "start" },
      { phase: "error" },
    ]);
  });

  it("T8 sends progress reports to readers while the tool is running", async () => {
    const started = Promise.withResolvers<void>();
    const { promise: seen, resolve } = Promise.withResolvers<void>();
    const slow = tool({
      name: "slow",
      description: "",
      input: text,
      execute: async (_, { progress }) => {
        // The reader has read everything that is stored, and waits.
        await started.promise;
        await settled();
        progress({ percent: 50 });
        await seen;
      },
    });
    const { pawl } = setup(
      [{ tools: [{ name: "slow", input: { text: "" } }] }, { text: "Ok." }],
      { tools: [slow] },
      { times: { pollMs: 60_000 } },
    );
    for await (const event of pawl.run("tester", { userId: "u1", input: "Go" })) {
      if (event.type === "tool_started") started.resolve();
      if (event.type !== "tool_progress") continue;
      expect(event.data).toMatchObject({ data: { percent: 50 } });
      resolve();
    }
    await seen;
  });

  it("T8 shows no report of progress any more when the tool is done", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const quick = tool({
      name: "quick",
      description: "",
      input: text,
      execute: (_, { progress }) => progress({ percent: 50 }),
    });
    const slow = tool({ name: "slow", description: "", input: text, execute: () => promise });
    const tools = ["quick", "slow"].map((name) => ({ name, input: { text: "" } }));
    const world = setup([{ tools }, { text: "Ok." }], { tools: [quick, slow] });
    const { sessionId } = await world.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await stored(world, sessionId, "tool_result");
    const late: string[] = [];
    for await (const { type } of world.pawl.follow(sessionId, { untilIdle: true })) {
      late.push(type);
      if (type === "tool_result") void settled().then(resolve);
    }
    expect(late).toContain("run_ended");
    expect(late).not.toContain("tool_progress");
  });

  it.each([
    ["its call has its result", false],
    ["its time is up, while the result is being stored", true],
  ])("T8 shows no report that a tool makes after %s", async (_, whileStored) => {
    const [reports, go, done] = [0, 0, 0].map(() => Promise.withResolvers<void>());
    const early = tool({
      name: "early",
      description: "",
      input: text,
      timeoutMs: 20,
      execute: (_, { progress }) => {
        void reports?.promise.then(() => progress({ percent: 50 })).then(() => go?.resolve());
        return never();
      },
    });
    const slow = tool({ name: "slow", description: "", input: text, execute: () => done?.promise });
    const store = beforeAppend(memoryStore(), async (events) => {
      if (!whileStored || !has(events, "tool_result")) return;
      reports?.resolve();
      await go?.promise;
    });
    const tools = ["early", "slow"].map((name) => ({ name, input: { text: "" } }));
    const world = setup([{ tools }, { text: "Ok." }], { tools: [early, slow] }, { store });
    const { sessionId } = await world.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await stored(world, sessionId, "tool_result");
    reports?.resolve();
    await go?.promise;
    // This reader knows the call's result already.
    const { length: afterSeq } = await world.log(sessionId);
    const shown = collect(world.pawl.follow(sessionId, { afterSeq, untilIdle: true }));
    await settled();
    done?.resolve();
    const seen = (await shown).map(({ type }) => type);
    expect(seen).toContain("run_ended");
    expect(seen).not.toContain("tool_progress");
  });
});
