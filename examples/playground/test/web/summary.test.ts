import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { summaryOf } from "@pawl/core/inspect";
import { coach, coachDeps, coachRules } from "@pawl/example-coach";
import { strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { familyOf } from "../../web/log/family.ts";

it("O4 shows a question that was closed as no word of the user's", () => {
  const answered = { tool_name: "ask", call_id: "toolu_1", value: null };
  const stored = { sessionId: "s", seq: 1, v: 1, at: "", type: "tool_answered" as const };
  expect(familyOf({ ...stored, data: { ...answered, closed: "the run was stopped." } })).toBe("control");
  expect(familyOf({ ...stored, data: { ...answered, value: "yes" } })).toBe("user");
});

it("O4 has a line for every event that a conversation with the coach brings about", async () => {
  const model = strictModel({ rules: coachRules({ speed: Number.POSITIVE_INFINITY }) });
  const store = memoryStore();
  const pawl = runtime({ agents: [coach({ model })], store, deps: coachDeps({ files: memoryFiles() }) });
  const user = { userId: "ada" };
  const { sessionId, pending } = await pawl.run("coach", { ...user, input: "Hello" }).result;
  const callId = pending[0]?.callId ?? "";
  const shortId = callId.slice(-8);
  await pawl.run("coach", { ...user, sessionId, answers: [{ callId, value: { option: "plan" } }] }).result;
  await pawl.run("coach", { ...user, sessionId, input: "Thanks, bye" }).result;
  const lines: string[] = [];
  for await (const event of store.read(sessionId)) {
    const line = summaryOf(event);
    expect(line, event.type).not.toBe("");
    expect(line, event.type).not.toMatch(/undefined|\[object|NaN/);
    lines.push(`${familyOf(event)} ${event.type}: ${line}`);
  }
  expect(lines).toContain("user user_message: “Hello”");
  expect(lines).toContain(`tool tool_suspended: call ${shortId} · show_options asks and waits`);
  expect(lines).toContain(`user tool_answered: call ${shortId} · {"option":"plan"}`);
  expect(lines).toContain("control run_suspended: waits for an answer");
});
