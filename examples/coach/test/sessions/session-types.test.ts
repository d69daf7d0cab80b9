import { type EventStore, type Hook, memoryStore, type RunResult, type SessionStatus } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { arcs, rulesOf, sessionTypes, toolNames } from "../../src/index.ts";
import { calling, filesIn, ruledCoach, scriptedCoach } from "../support/harness.ts";

const enter = (arc: string): [string, object] => ["enter_structured_arc", { arc }];
const complete = (type: string, more: object = {}): [string, object] => [
  "complete_session",
  { type, ...more },
];
/**
 * A hook that sets the session's status before the first call runs, as an application may do during a run.
 */
const marking = (log: EventStore, status: SessionStatus): Hook => ({
  name: "marking",
  beforeTool: async (_, { sessionId }) => {
    const appendId = crypto.randomUUID();
    await log.append(sessionId, [{ type: "app.marked", data: status }], { appendId, session: { status } });
  },
});
const told = ({ actions }: RunResult) => actions.map(({ success, result }) => [success, result]);

describe("types of sessions", () => {
  it("T5 T6 runs in every type exactly the tools of its row; all five are on the wire, byte for byte", async () => {
    const prompts = new Set<string>();
    const inputs: Record<string, object> = {
      save_file: { file_type: "capture", content: "x" },
      complete_session: { type: "session" },
      enter_structured_arc: { arc: "open_day" },
    };
    for (const [type, { tools }] of Object.entries(sessionTypes)) {
      const calls = Object.entries(inputs).map(([name, input]): [string, object] => [name, input]);
      const { ask, model } = await ruledCoach(undefined, { script: calling(...calls) });
      const { actions } = await ask({ input: "Go", metadata: { type } });
      const allowed = actions.filter(({ success }) => success).map(({ tool }) => tool);
      expect(allowed).toEqual(
        Object.keys(inputs).filter((name) => (tools as readonly string[]).includes(name)),
      );
      for (const request of model.requests) prompts.add(JSON.stringify([request.tools, request.system?.[0]]));
      expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(toolNames);
    }
    expect(prompts.size).toBe(1);
  });

  it.each(arcs)(
    "T5 T6 enters %s from the open conversation: its rights hold, and no other arc can be entered",
    async (arc) => {
      const [forbidden] = ["check-in", "day-plan"].filter(
        (type) => !(rulesOf(arc).writes as string[]).includes(type),
      );
      const { ask, results } = await scriptedCoach([
        { tools: [{ name: "enter_structured_arc", input: { arc } }] },
        {
          tools: [
            { name: "enter_structured_arc", input: { arc: arc === "open_day" ? "close_day" : "open_day" } },
          ],
        },
        ...calling(
          ["save_file", { file_type: forbidden, content: "x" }],
          ["save_file", { file_type: "capture", content: "x" }],
        ),
      ]);
      const { actions, sessionId } = await ask({ input: "Go" });
      expect(actions.map(({ success }) => success)).toEqual([true, false, false, true]);
      expect(actions[0]?.result).toEqual({ success: true, arc, may_write: rulesOf(arc).writes });
      const [entered] = await results(sessionId);
      expect(JSON.parse(String(entered?.content))).toMatchObject({
        success: true,
        arc,
        guidance: expect.stringContaining("## Guidance"),
      });
      expect(actions[2]?.result).toContain(`may not write a "${forbidden}"`);
    },
  );

  it.each(Object.keys(sessionTypes).filter((type) => type !== "open_conversation"))(
    "T6 does not let a session of the type %s enter an arc",
    async (type) => {
      const { ask } = await scriptedCoach(calling(enter("close_day")));
      const { actions } = await ask({ input: "Go", metadata: { type } });
      expect(actions).toMatchObject([{ success: false, result: expect.stringContaining("not allowed") }]);
    },
  );

  it("T6 enters only one of two arcs requested in one turn", async () => {
    const { ask, results } = await scriptedCoach(calling(enter("open_day"), enter("close_day")));
    const { sessionId } = await ask({ input: "Go" });
    const modes = (await results(sessionId)).flatMap(({ mode }) => (mode === undefined ? [] : [mode]));
    expect(modes).toEqual(["open_day"]);
  });

  it("T6 gives a session of an unknown type the fewest rights", async () => {
    const files = (["capture", "sage-context"] as const).map((file_type): [string, object] => [
      "save_file",
      { file_type, content: "x" },
    ]);
    const { ask } = await scriptedCoach(calling(...files, enter("open_day")));
    const { actions } = await ask({ input: "Go", metadata: { type: "__proto__" } });
    expect(actions.map(({ success }) => success)).toEqual([true, false, false]);
  });
});

describe("complete_session", () => {
  it("T4 L17 completes an arc, resets the mode, and leaves the session open", async () => {
    const { ask, pawl, results } = await scriptedCoach([
      ...calling(enter("weekly_checkin")),
      ...calling(["save_file", { file_type: "check-in", content: "Good." }]),
      ...calling(complete("arc", { summary: "A good week." })),
      ...calling(enter("open_day")),
    ]);
    const { sessionId } = await ask({ input: "Check in" });
    await ask({ sessionId, input: "It was good" });
    const done = await ask({ sessionId, input: "Yes" });
    expect(done.actions[0]?.result).toEqual({
      success: true,
      completed: "weekly_checkin",
      next_checkin_due: "2026-11-28",
      summary: "A good week.",
    });
    expect((await pawl.view(sessionId, { userId: "ada" })).session.status).toBe("active");
    // The session has the rights of an open conversation again.
    expect((await ask({ sessionId, input: "And the day?" })).actions).toMatchObject([{ success: true }]);
    expect((await results(sessionId)).map(({ mode }) => mode)).toEqual([
      "weekly_checkin",
      undefined,
      null,
      "open_day",
    ]);
  });

  it.each(["open_conversation", "weekly_checkin"])(
    "T4 cannot complete an arc where none is active (%s)",
    async (type) => {
      const { ask } = await scriptedCoach(calling(complete("arc")));
      const { actions, stop } = await ask({ input: "Done", metadata: { type } });
      expect(actions).toMatchObject([
        { success: false, result: expect.stringContaining("No arc is in progress") },
      ]);
      expect(stop.type).toBe("end_turn");
    },
  );

  it("T4 completing a session within an arc ends the arc too", async () => {
    const { ask, pawl, results } = await scriptedCoach([
      ...calling(enter("open_day")),
      ...calling(complete("session")),
    ]);
    const { sessionId } = await ask({ input: "Go" });
    await ask({ sessionId, input: "Bye" });
    expect((await results(sessionId)).at(-1)).toMatchObject({ mode: null, session_status: "completed" });
    expect((await pawl.view(sessionId, { userId: "ada" })).session.status).toBe("completed");
  });

  it("E7 reports that a session has expired, and the run continues", async () => {
    const log = memoryStore();
    const script = calling(complete("session", { summary: "x" }));
    const { pawl, ask } = await scriptedCoach(script, undefined, { log, hooks: [marking(log, "expired")] });
    const { actions, stop, sessionId, text } = await ask({ input: "Bye" });
    expect(actions[0]).toMatchObject({ success: true, result: { success: false, error: "session_expired" } });
    expect([stop.type, text]).toEqual(["end_turn", "There."]);
    expect((await pawl.view(sessionId, { userId: "ada" })).session.status).toBe("expired");
    await expect(ask({ sessionId, input: "Hello?" })).rejects.toThrow(/expired/);
  });

  it.each(["expired", "completed"] as const)(
    "E7 a session that becomes %s during a run stays so, and keeps its messages and files",
    async (status) => {
      const log = memoryStore();
      const script = calling(["save_file", { file_type: "capture", content: "Buy bread" }]);
      const { pawl, ask, dir } = await scriptedCoach(script, undefined, {
        log,
        hooks: [marking(log, status)],
      });
      const { sessionId, actions } = await ask({ input: "Note this" });
      expect(actions).toMatchObject([{ success: true }]);
      const { session, messages } = await pawl.view(sessionId, { userId: "ada" });
      expect(session).toMatchObject({ status, openRun: null, pending: 0 });
      expect(JSON.stringify(messages)).toContain("There.");
      expect(await filesIn(dir)).toHaveLength(1);
    },
  );

  it("X1 completes once per run, says so if it was done already, and completes again after the session was resumed", async () => {
    const { ask, pawl } = await scriptedCoach([
      { tools: [{ name: "complete_session", input: { type: "session" } }] },
      ...calling(complete("session", { summary: "Again." })),
      ...calling(complete("session")),
    ]);
    const first = await ask({ input: "Bye" });
    expect(told(first)).toMatchObject([
      [true, { success: true, completed: "session" }],
      [true, { success: true, already_completed: true }],
    ]);
    const second = await ask({ sessionId: first.sessionId, input: "One more thing" });
    expect(second.actions[0]?.result).not.toHaveProperty("already_completed");
    expect((await pawl.view(first.sessionId, { userId: "ada" })).session.status).toBe("completed");
  });
});
