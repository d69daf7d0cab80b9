import { describe, expect, it } from "vitest";
import { tool } from "../../../src/index.ts";
import { settled } from "../../support/settled.ts";
import { collect, setup, stored } from "../../support/setup.ts";
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
      { pollMs: 60_000 },
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
});
