import { readText } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { readFrontMatter, userFiles } from "../../src/index.ts";
import { EVENING, ruledCoach } from "../support/harness.ts";

type Made = Awaited<ReturnType<typeof ruledCoach>>;

const read = async ({ files }: Made, path: string) =>
  readFrontMatter(await readText(userFiles(files, "ada"), path));
const paths = async ({ files }: Made) => (await userFiles(files, "ada").list()).map(({ path }) => path);

describe("sessions of one kind, played by the simulator from end to end", () => {
  it("X1 P1 4.2 carries a morning in five exchanges: greeting, options, plan, pulse check, goodbye", async () => {
    const made = await ruledCoach();
    const { ask, results } = made;
    const hello = await ask({ input: "Good morning", metadata: { type: "open_day" } });
    const { sessionId } = hello;
    expect(hello.pending).toMatchObject([{ toolName: "show_options" }]);
    const answer = async (result: typeof hello, value: object) =>
      await ask({ sessionId, answers: [{ callId: result.pending[0]?.callId ?? "", value: value as never }] });
    const chosen = await answer(hello, { option: "plan" });
    expect(chosen.text).toContain("what is on for today?");

    const planned = await ask({ sessionId, input: "Write the report at 9, call Mum, go for a run" });
    expect(planned.text).toContain("| 9:00 | Write the report |");
    expect(planned.pending).toMatchObject([{ toolName: "show_pulse_check", kind: "pulse_check" }]);
    const checked = await answer(planned, { ratings: { work: 4, health: 2 } });
    expect(checked.text).toContain("**health** is at 2");

    const bye = await ask({ sessionId, input: "Thanks, bye" });
    expect(bye.actions).toMatchObject([
      { tool: "complete_session", args: { type: "session" }, success: true },
    ]);
    expect((await made.pawl.view(sessionId, { userId: "ada" })).session.status).toBe("completed");
    expect((await results(sessionId)).every(({ success }) => success)).toBe(true);
    expect(made.model.rejected).toEqual([]);
    const plan = await read(made, "day-plans/2026-11-21.md");
    expect(plan.attributes).toMatchObject({
      intention: "Write the report.",
      priorities: ["Write the report", "Call Mum", "Go for a run"],
    });
    expect((await paths(made)).map((path) => path.split("/")[0])).toEqual([
      "day-plans",
      "pulse-checks",
      "sage",
      "session-summaries",
    ]);
  });

  it("X1 4.3 completes an evening only after the journal was saved, changed, saved again and agreed to", async () => {
    const made = await ruledCoach(undefined, { now: () => EVENING });
    const { ask } = made;
    const note = await ask({ input: "Ask Mum about Sunday", metadata: { type: "quick_capture" } });
    expect(note.actions).toMatchObject([{ tool: "save_file", success: true }]);

    const hello = await ask({ input: "Good evening", metadata: { type: "close_day" } });
    const { sessionId } = hello;
    expect(hello.text).toContain("Which moment of today");
    const kept = await ask({ sessionId, input: "The walk home with my sister, I was tired but glad" });
    expect(kept.actions).toMatchObject([{ tool: "save_file", result: { captures_folded: 1 } }]);
    expect(kept.text).toContain("would you change anything?");
    const changed = await ask({ sessionId, input: "Rather say that the talk was what did me good" });
    expect(changed.actions).toMatchObject([{ tool: "save_file", success: true }]);
    const status = async () => (await made.pawl.view(sessionId, { userId: "ada" })).session.status;
    expect(await status()).toBe("active");
    const agreed = await ask({ sessionId, input: "Yes, it fits" });
    expect(agreed.actions).toMatchObject([{ tool: "complete_session", success: true }]);
    expect(await status()).toBe("completed");

    const journal = await read(made, "daily-logs/2026-11-21.md");
    expect(journal.body).toContain("the talk was what did me good");
    expect(journal.body.match(/Ask Mum about Sunday/g)).toHaveLength(1);
    expect(journal.attributes).toMatchObject({ energy: expect.any(String), mood_signal: "light" });
    expect(made.model.rejected).toEqual([]);
  });

  it("X1 6.2 enters the check-in from an open conversation, leaves it, and continues the conversation", async () => {
    const made = await ruledCoach();
    const { ask, results } = made;
    const asked = await ask({ input: "Can we do the weekly check-in?" });
    const { sessionId } = asked;
    expect(asked.pending).toMatchObject([{ toolName: "show_pulse_check" }]);
    const answers = [{ callId: asked.pending[0]?.callId ?? "", value: { ratings: { work: 3, play: 1 } } }];
    expect((await ask({ sessionId, answers })).text).toContain("What went well this week");
    const done = await ask({ sessionId, input: "The project went well, I had no time for music" });
    expect(done.actions.map(({ tool, success }) => [tool, success])).toEqual([
      ["save_file", true],
      ["save_file", true],
      ["complete_session", true],
    ]);
    const modes = (await results(sessionId)).flatMap(({ mode }) => (mode === undefined ? [] : [mode]));
    expect(modes).toEqual(["weekly_checkin", null]);
    expect((await made.pawl.view(sessionId, { userId: "ada" })).session.status).toBe("active");
    expect((await ask({ sessionId, input: "I keep thinking of the garden" })).stop.type).toBe("end_turn");
    expect((await paths(made)).filter((path) => /check-in|weekly/.test(path))).toEqual([
      "check-ins/2026-11-21.md",
      "weekly-plans/2026-11-21.md",
    ]);
    expect(made.model.rejected).toEqual([]);
  });

  it("X1 1.7 ends a life map with three files in one turn, each stored as it was sent", async () => {
    const made = await ruledCoach();
    const { ask } = made;
    const first = await ask({ input: "Hello", metadata: { type: "life_mapping" } });
    const { sessionId } = first;
    const value = { skipped: true };
    await ask({ sessionId, answers: [{ callId: first.pending[0]?.callId ?? "", value }] });
    const mapped = await ask({ sessionId, input: "My work is fine, my friends are far away" });
    expect(mapped.actions.map(({ tool }) => tool)).toEqual([
      "save_file",
      "save_file",
      "save_file",
      "complete_session",
    ]);
    expect((await paths(made)).slice(0, 3)).toEqual([
      "life-map/life-plan.md",
      "life-map/overview.md",
      "sage/context.md",
    ]);
    expect((await read(made, "life-map/overview.md")).body).toContain("my friends are far away");
  });

  it("X1 4.3 6.2 closes a day within an open conversation once it is agreed to, and continues the conversation", async () => {
    const made = await ruledCoach(undefined, { now: () => EVENING });
    const { ask } = made;
    const asked = await ask({ input: "Let us close my day" });
    const { sessionId } = asked;
    expect(asked.actions).toMatchObject([{ tool: "enter_structured_arc", success: true }]);
    expect(asked.text).toContain("Which moment of today");
    expect((await ask({ sessionId, input: "The bread I baked" })).text).toContain(
      "would you change anything?",
    );
    const agreed = await ask({ sessionId, input: "That's right" });
    expect(agreed.actions).toMatchObject([
      { tool: "complete_session", args: { type: "arc" }, success: true },
    ]);
    expect(agreed.text).toContain("That part is done");
    expect((await made.pawl.view(sessionId, { userId: "ada" })).session.status).toBe("active");
    const bye = await ask({ sessionId, input: "Thanks, good night" });
    expect(bye.actions).toMatchObject([{ args: { type: "session" }, success: true }]);
    expect(await paths(made)).toEqual([
      "daily-logs/2026-11-21.md",
      expect.stringMatching(/^session-summaries/),
    ]);
    expect(made.model.rejected).toEqual([]);
  });

  it("X1 4.2 opens a day within an open conversation, and shows a pulse check on request", async () => {
    const made = await ruledCoach();
    const { ask } = made;
    const asked = await ask({ input: "Let's start my day" });
    const { sessionId } = asked;
    expect(asked.actions).toMatchObject([{ tool: "enter_structured_arc" }, { tool: "show_options" }]);
    const planned = await ask({ sessionId, input: "Taxes, then a swim" });
    expect(planned.pending).toMatchObject([{ toolName: "show_pulse_check" }]);
    // A message instead of an answer: it closes the question, and the conversation continues.
    const bye = await ask({ sessionId, input: "Thanks, that's all" });
    expect(bye.actions).toMatchObject([{ args: { type: "arc" }, success: true }]);
    const pulse = await ask({ sessionId, input: "Show me the pulse check" });
    expect(pulse.pending).toMatchObject([{ toolName: "show_pulse_check" }]);
    const answers = [{ callId: pulse.pending[0]?.callId ?? "", value: { skipped: true } }];
    expect((await ask({ sessionId, answers })).text).toContain("another time");
    expect(made.model.rejected).toEqual([]);
  });
});
