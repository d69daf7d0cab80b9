import type { StoredEvent } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { sessionLine } from "../src/agent/session-line.ts";

const line = (type: string, data: object, more: object = {}) => {
  const at = "2026-11-21T14:32:01.123Z";
  const event = { type, data, at, sessionId: "a1b2c3d4-5", seq: 1, ...more } as unknown as StoredEvent;
  return sessionLine(event, { batch: [event], sourceName: () => "Workout history" });
};

describe("X2 a line of the console", () => {
  it("O3 X2 names the source of knowledge as users see it", () => {
    expect(line("knowledge", { source: "workout_history", data: "Ten." })).toBe(
      "14:32:01.123 [a1b2c3d4] 📚 Knowledge ← Workout history",
    );
  });

  it("O3 X2 shows that a call failed, and how long it took", () => {
    const data = { call_id: "c", tool_name: "swap_exercise", success: false, result: "There is none." };
    expect(line("tool_result", data, { durationMs: 1_312 })).toBe(
      "14:32:01.123 [a1b2c3d4] 🔧 Tool Result ← swap_exercise: ✗ There is none. 1.3s",
    );
  });

  it("O3 X2 attack: is one line without control characters, whatever a user writes", () => {
    const message = `a\nb\u001b[31m\u202e${"c".repeat(200)}`;
    expect(line("user_message", { message })).toMatch(
      /^14:32:01\.123 \[a1b2c3d4\] 👤 User: "a b \[31m c{60,75}…"$/,
    );
  });
});
