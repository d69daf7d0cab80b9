import { memoryStore } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { dyingStore, has } from "../../core/test/support/stores.ts";
import { connectTo, serve } from "./support/servers.ts";
import { done, taskServer } from "./support/task-server.ts";
import { calls, resultOf, sweepUntil, text, world } from "./support/world.ts";

/** A store whose process dies at the n-th append with an event of this type, and how to outlive its lease. */
function mortal(type: string, nth = 1) {
  let offset = 0;
  let seen = 0;
  const base = memoryStore({ now: () => Date.now() + offset });
  const dying = dyingStore(base, (events) => {
    if (has(events, type)) seen += 1;
    return has(events, type) && seen === nth;
  });
  const later = () => {
    offset += 60_000;
  };
  return { base, dying, later };
}

describe("a process that dies", () => {
  it("F24 T14 while a call runs leaves an unknown outcome, and nothing is sent again", async () => {
    const { base, dying, later } = mortal("tool_started");
    const served = serve((server) => void server.registerTool("it", {}, async () => text("ran")));
    const first = world([connectTo(served)], calls("it"), { store: dying });
    const { sessionId } = await first.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await expect.poll(() => dying.dead).toBe(true);
    later();
    const second = world([connectTo(served)], calls("it").slice(1), { store: base });
    await second.pawl.sweep();
    for await (const _ of second.pawl.follow(sessionId, { untilIdle: true }));
    expect(await resultOf(second, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/outcome of this call is unknown.*cut off/),
      report: { code: "mcp_outcome_unknown" },
    });
    expect(served.calls()).toEqual([]);
  });

  it("F24 T14 while a call runs that may be repeated has it sent again, with the same key", async () => {
    const { base, dying, later } = mortal("tool_started");
    const annotations = { readOnlyHint: true };
    const served = serve(
      (server) => void server.registerTool("it", { annotations }, async () => text("ran")),
    );
    const options = { trustAnnotations: true };
    const first = world([connectTo(served, options)], calls("it"), { store: dying });
    const { sessionId } = await first.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await expect.poll(() => dying.dead).toBe(true);
    later();
    const second = world([connectTo(served, options)], calls("it").slice(1), { store: base });
    await second.pawl.sweep();
    for await (const _ of second.pawl.follow(sessionId, { untilIdle: true }));
    expect(await resultOf(second, sessionId)).toMatchObject({ success: true });
  });

  it.each([
    { when: "after it has stored the task", type: "tool_suspended", nth: 1 },
    { when: "while it asks about the task", type: "tool_started", nth: 2 },
    { when: "after it has asked about the task", type: "tool_suspended", nth: 2 },
  ])("F24 T14 $when loses nothing: the next one continues with the task", async ({ type, nth }) => {
    const { base, dying, later } = mortal(type, nth);
    const served = taskServer((task, times) => {
      if (times === 2) Object.assign(task, { status: "completed", result: done("found") });
    });
    const first = world([connectTo(served)], calls("it"), { store: dying });
    const { sessionId } = await first.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await expect.poll(() => dying.dead).toBe(true);
    later();
    const second = world([connectTo(served)], calls("it").slice(1), { store: base });
    await sweepUntil(second, sessionId);
    expect(await resultOf(second, sessionId)).toMatchObject({
      success: true,
      result: { content: [{ text: "found" }] },
    });
    expect(served.calls()).toHaveLength(1);
  });
});
