import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { memoryStore } from "../../src/index.ts";
import type { NewEvent } from "../../src/store.ts";
import { named } from "../support/hooks.ts";
import { setup } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";
import { echoTool } from "../support/tools.ts";

const echo = (text: string) => ({ name: "echo", input: { text } });
const done = { text: "Done." };

const message = (): NewEvent => ({ type: "user_message", data: { message: "And hurry.", queued: true } });

/** A store in which another process stores an event right before the n-th append of an event of a type. */
function overtaking(type: string, other: (runId: string) => NewEvent = message, n = 1) {
  const inner = memoryStore();
  let left = n;
  return beforeAppend(inner, async (events, sessionId) => {
    if (!has(events, type)) return;
    left -= 1;
    if (left !== 0) return;
    const row = await inner.sessions.get(sessionId);
    await inner.append(sessionId, [other(row?.openRun ?? "")], { appendId: "other" });
  });
}

describe("results of calls that do not run", () => {
  it.each([
    ["are refused", { name: "echo", input: { text: 1 } }],
    ["are unknown", { name: "none", input: {} }],
  ])(
    "R2 L4 have the number of their answer in their keys, also if a message came before it: %s",
    async (_, call) => {
      const store = overtaking("assistant_message");
      const { say, log, model } = setup([{ tools: [call] }, done], { tools: [echoTool] }, { store });
      const { sessionId } = await say("Go");
      const events = await log(sessionId);
      const answer = events.find(({ type }) => type === "assistant_message");
      const result = events.find(({ type }) => type === "tool_result");
      expect(events.find(({ type, data }) => type === "user_message" && "queued" in data)?.seq).toBe(
        (answer?.seq ?? 0) - 1,
      );
      expect(result?.key).toContain(`:${answer?.seq}:`);
      expect(model.rejected).toEqual([]);
      assertSoundLog(events);
    },
  );

  it("R2 L4 also if the time for the last turn begins before the calls start", async () => {
    const store = overtaking("assistant_message");
    const clock = testClock();
    const { say, log } = setup(
      [{ tools: [echo("a")] }, done],
      {
        tools: [echoTool],
        onLimit: "land",
        limits: { wallClockMs: 10_000 },
        hooks: [named("slow", { afterModel: async () => void (await clock.advance(9_000)) })],
      },
      { store, testing: { clock } },
    );
    const { sessionId } = await say("Go");
    const events = await log(sessionId);
    const answer = events.find(({ type }) => type === "assistant_message");
    const result = events.find(({ type }) => type === "tool_result");
    expect(result).toMatchObject({ data: { success: false } });
    expect(result?.key).toContain(`:${answer?.seq}:`);
    assertSoundLog(events);
  });
});

describe("notes of the failure budget that travel with refused calls", () => {
  const refused = { tools: [{ name: "echo", input: { text: 1 } }] };
  const options = { tools: [echoTool], limits: { errorTurns: 20 } };

  it("R2 a note that is stored already does not take the refused call with it", async () => {
    const { say, log, model } = setup([refused, refused, refused, refused, refused, done], options);
    const { sessionId, stop } = await say("Go");
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    assertSoundLog(await log(sessionId));
  });

  it("R2 C12 a message of another process that comes first is answered too", async () => {
    const store = overtaking("note");
    const { say, log, model } = setup([refused, refused, refused, done], options, { store });
    const { sessionId, stop } = await say("Go");
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("And hurry.");
    assertSoundLog(await log(sessionId));
  });

  it("R2 an event of the application's own that comes before a note that is stored already changes nothing", async () => {
    const own = (): NewEvent => ({ type: "app.mark", data: {} });
    const store = overtaking("note", own, 2);
    const script = [refused, refused, refused, refused, done];
    const { say, log, model } = setup(script, options, { store });
    const { sessionId, stop } = await say("Go");
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    assertSoundLog(await log(sessionId));
  });
});
