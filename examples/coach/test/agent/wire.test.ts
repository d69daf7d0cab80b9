import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { handler } from "@pawl/sse";
import { coach as coachDialect } from "@pawl/sse/dialects";
import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { coach, coachDeps, coachExtra, coachSkills, messageRows } from "../../src/index.ts";
import { calling } from "../support/harness.ts";

function served(script: readonly Reply[], dialects = [coachDialect()]) {
  const store = memoryStore();
  const model = strictModel({ script });
  const pawl = runtime({
    agents: [coach({ model })],
    store,
    deps: coachDeps({ files: memoryFiles(), store }),
  });
  const handle = handler({
    runtime: pawl,
    agent: "coach",
    authorize: () => ({ userId: "ada" }),
    basePath: "/api",
    extra: coachExtra(),
    ...(dialects.length > 0 && { dialect: dialects[0] }),
  });
  const post = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await handle(
      new Request("http://localhost/api/runs", { method: "POST", headers, body: JSON.stringify(body) }),
    );
    const text = await response.text();
    const told = text
      .split("\n\n")
      .flatMap((frame) => (frame.startsWith("data: {") ? [JSON.parse(frame.slice(6))] : []));
    return { status: response.status, text, told, sessionId: response.headers.get("x-pawl-session") ?? "" };
  };
  const get = async (path: string) => await (await handle(new Request(`http://localhost/api${path}`))).text();
  return { post, get, pawl, store, model };
}

const keys = (told: readonly object[]) =>
  told.flatMap((one) => Object.keys(one)).filter((key) => key !== "text");

describe("over HTTP", () => {
  it("T5 W2 uses a client's sessionType and timeZone for the new session", async () => {
    const { post, store } = served([{ text: "Good evening." }, { text: "Yes?" }]);
    const { sessionId } = await post({ message: "Hi", sessionType: "close_day", timeZone: "Asia/Tokyo" });
    const metadata = { type: "close_day", time_zone: "Asia/Tokyo" };
    expect((await store.sessions.get(sessionId))?.metadata).toMatchObject(metadata);
    await post({ message: "More", sessionId, sessionType: "weekly_checkin" });
    expect((await store.sessions.get(sessionId))?.metadata).toMatchObject(metadata);
  });

  it.each([[], [coachDialect()]])(
    "W5 C8 sends no client the text of a skill or an arc's guidance; the model reads both",
    async (...dialects) => {
      const { post, model, get } = served(calling(["enter_structured_arc", { arc: "open_day" }]), dialects);
      const message = "I feel hopeless and want to die";
      const { text, sessionId } = await post(dialects.length > 0 ? { message } : { input: message });
      const read = JSON.stringify(model.requests.at(-1)?.messages);
      const clients =
        text + (await get(`/sessions/${sessionId}/events`)) + (await get(`/sessions/${sessionId}`));
      expect(clients).toContain("enter_structured_arc");
      const lines = coachSkills
        .filter(({ name }) => name === "crisis-support" || name === "open-day")
        .flatMap(({ guidance }) => guidance.split("\n"));
      expect(lines.length).toBeGreaterThan(6);
      for (const line of lines) {
        expect(read).toContain(line);
        expect(clients).not.toContain(line);
      }
      expect(clients).not.toContain("guidance");
    },
  );

  it.each([
    { sessionType: "admin" },
    { sessionType: "__proto__" },
    { sessionType: { type: "close_day" } },
    { timeZone: "Mars/Olympus" },
    { timeZone: 3 },
  ])("T6 attack: refuses %j", async (fields) => {
    const { post } = served([{ text: "Hi" }]);
    expect((await post({ message: "Hi", ...fields })).status).toBe(400);
  });

  it("L16 W2 streams arcs, calls, boundaries and questions in the coach's dialect", async () => {
    const script = [
      { text: "Let us.", tools: [{ name: "enter_structured_arc", input: { arc: "weekly_checkin" } }] },
      { text: "First this.", tools: [{ name: "show_pulse_check", input: { context: "Your week" } }] },
      { tools: [{ name: "save_file", input: { file_type: "check-in", content: "Good." } }] },
      ...calling(["complete_session", { type: "arc" }]),
      ...calling(["complete_session", { type: "session" }]),
    ];
    const { post } = served(script);
    const first = await post({ message: "Check in" });
    const { sessionId } = first;
    expect(keys(first.told)).toEqual(["toolCall", "modeChange", "roundBoundary", "showPulseCheck"]);
    const asked = first.told.find((one) => "showPulseCheck" in one)?.showPulseCheck;
    expect(asked).toMatchObject({ context: { context: "Your week", skippable: true } });
    const toolResults = [{ toolUseId: asked.toolUseId, result: { ratings: { work: 3 } } }];
    const second = await post({ sessionId, toolResults });
    expect(keys(second.told)).toContain("arcCompleted");
    expect(keys(second.told)).not.toContain("sessionCompleted");
    const last = await post({ sessionId, message: "Bye" });
    expect(keys(last.told).at(-1)).toBe("sessionCompleted");
    expect(last.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("E8 lists messages as text, with the calls beside it", async () => {
    const content = "A long thought. ".repeat(100);
    const { post, pawl } = served([
      { text: "I keep it.", tools: [{ name: "save_file", input: { file_type: "capture", content } }] },
      { text: "Kept." },
    ]);
    const { sessionId } = await post({ message: "Keep it" });
    const { messages } = await pawl.view(sessionId, { userId: "ada" });
    expect(messageRows(messages)).toMatchObject([
      { role: "user", content: "Keep it", metadata: {} },
      {
        role: "assistant",
        content: "I keep it.\n\nKept.",
        metadata: {
          tool_calls: [{ name: "save_file", input: { file_type: "capture", content: "[1600 chars]" } }],
        },
      },
    ]);
  });
});
