import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn, ruledCoach } from "../support/harness.ts";

describe("the simulated coach", () => {
  it("X1 T4 P3 leads from a greeting through options and a plan to a goodbye", async () => {
    const { ask, dir, pawl, model } = await ruledCoach();
    const hello = await ask({ input: "Good morning" });
    expect(hello.stop.type).toBe("suspended");
    expect(hello.text).toContain("How is your morning");
    const { sessionId } = hello;
    const [question] = hello.pending;
    const value = { option: "plan" };
    const asked = await ask({ sessionId, answers: [{ callId: question?.callId ?? "", value }] });
    expect(asked.text).toContain("what is on for today?");

    const said = "I want to write the report at 9, call Mum and then go for a run";
    const planned = await ask({ sessionId, input: said });
    expect(planned.actions.map(({ tool, success }) => [tool, success])).toEqual([
      ["save_file", true],
      ["save_file", true],
    ]);
    expect(planned.text).toContain("| 9:00 | Write the report |");
    expect(await filesIn(dir)).toEqual(["ada/day-plans/2026-11-21.md", "ada/sage/context.md"]);
    const plan = await readFile(join(dir, "ada/day-plans/2026-11-21.md"), "utf8");
    expect(plan).toContain("- [ ] **9:00** · Write the report\n- [ ] Call Mum\n- [ ] Go for a run\n");

    const bye = await ask({ sessionId, input: "Thanks, that's all" });
    expect(bye.actions).toMatchObject([{ tool: "complete_session", success: true }]);
    expect(bye.text).toContain("Take good care");
    expect((await pawl.view(sessionId, { userId: "ada" })).session.status).toBe("completed");
    expect(model.rejected).toEqual([]);
  });

  it("P6 answers a message typed instead of choosing an option", async () => {
    const { ask } = await ruledCoach();
    const { sessionId } = await ask({ input: "Hello" });
    const { text, stop } = await ask({ sessionId, input: "My sister is not talking to me" });
    expect(text).toContain("My sister is not talking to me.");
    expect(stop.type).toBe("end_turn");
  });

  it("P2 treats an answer in the user's own words as a message", async () => {
    const { ask } = await ruledCoach();
    const { sessionId, pending } = await ask({ input: "Hello" });
    const value = { option: "Today: laundry, taxes" };
    const { actions } = await ask({ sessionId, answers: [{ callId: pending[0]?.callId ?? "", value }] });
    expect(actions.map(({ tool }) => tool)).toEqual(["show_options", "save_file", "save_file"]);
  });

  it.each([
    ["Reflect on yesterday", "reflect", ["daily-logs", "reflection-prompts"]],
    ["Something is on my mind", "mind", ["captures"]],
  ])('X1 keeps what follows on "%s"', async (_, option, folders) => {
    const { ask, dir } = await ruledCoach();
    const { sessionId, pending } = await ask({ input: "Hi" });
    await ask({ sessionId, answers: [{ callId: pending[0]?.callId ?? "", value: { option } }] });
    const { text } = await ask({ sessionId, input: "The walk home in the rain" });
    expect(text).toContain("The walk home in the rain");
    expect((await filesIn(dir)).map((path) => path.split("/")[1])).toEqual(folders);
  });

  it("X1 gives the same answer to the same conversation", async () => {
    const [one, two] = [await ruledCoach(), await ruledCoach()];
    const said = "I keep putting off a hard conversation";
    expect((await one.ask({ input: said })).text).toBe((await two.ask({ input: said })).text);
  });

  it("F1 says what reached it of a picture, and answers the text too in an arc", async () => {
    const { ask, model } = await ruledCoach();
    const dot =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    const file = { type: "file", data: dot } as const;
    const open = await ask({ input: [file, { type: "text", text: "My lunch" }] });
    expect(open.text).toContain("a PNG picture of 1 × 1 pixels (70 bytes");
    expect(open.text).toContain("You wrote: *My lunch.*");
    const { sessionId } = open;
    const later = await ask({ sessionId, input: "What about the picture?" });
    expect(later.text).toContain("still with me: a PNG picture of 1 × 1 pixels");
    expect((await ask({ sessionId, input: "I slept badly" })).text).not.toContain("PNG");
    expect((await ask({ sessionId, input: [file] })).text).toContain("What would you like to tell me");

    const evening = await ask({ input: "Good evening", metadata: { type: "close_day" } });
    const said = { type: "text", text: "The walk with my sister along the river was good" } as const;
    const saved = await ask({ sessionId: evening.sessionId, input: [file, said] });
    expect(saved.actions).toMatchObject([{ tool: "save_file", success: true }]);
    expect(model.rejected).toEqual([]);
  });
});
