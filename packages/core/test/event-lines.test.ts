import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStore, type StoredEvent } from "../src/index.ts";
import { eventLine, withEventLines } from "../src/inspect.ts";
import { setup } from "./support/setup.ts";

const at = "2026-11-21T14:32:01.123Z";
const event = (type: string, data: object, more: object = {}) =>
  ({ sessionId: "a1b2c3d4-e5", seq: 1, v: 1, at, type, data, ...more }) as StoredEvent;

describe("O3 a line for every event", () => {
  it("has its time, its session, what it is and what it says", () => {
    expect(eventLine(event("user_message", { message: "Give me a\nchest workout" }))).toBe(
      "14:32:01.123 [a1b2c3d4] 👤 user_message “Give me a chest workout”",
    );
    const tokens = { prompt: 400, cached: 2800, cache_write: 0, completion: 20 };
    expect(
      eventLine(
        event(
          "llm_response",
          { raw_response: { stop_reason: "tool_use" }, tokens, cost_cents: 0.123 },
          { durationMs: 1_300 },
        ),
      ),
    ).toBe(
      "14:32:01.123 [a1b2c3d4] 📥 llm_response tool_use · 3,200 in (2,800 cached), 20 out · $0.0012 · 1.3 s",
    );
    expect(eventLine(event("planning.plan", { steps: [] }))).toBe("14:32:01.123 [a1b2c3d4] ▫️ planning.plan");
  });

  it("is one line, and nothing that is said in it moves the terminal's cursor", () => {
    const message = `a\r\nb\u001b[2J\u0007c\u202ed\u2028e ${"long ".repeat(100)}`;
    for (const line of [
      eventLine(event("user_message", { message })),
      eventLine(event("error", { code: "x", message, stack: null, context: null })),
    ]) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
      expect(line.length).toBeLessThan(200);
    }
  });

  it("never costs a run anything: a printer that throws is told of, and the log is whole", async () => {
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    const store = withEventLines(memoryStore(), () => {
      throw new Error("The disk is full.");
    });
    const world = setup([{ text: "Hello." }], {}, { store });
    const { sessionId, stop } = await world.say("Hi");
    expect(stop.type).toBe("end_turn");
    expect((await world.log(sessionId)).at(-1)?.type).toBe("run_ended");
    expect(told).toHaveBeenCalledWith("pawl: an event could not be printed: The disk is full.");
  });

  it("is printed once it is stored, for each event of a run, and for none that was refused", async () => {
    const printed: StoredEvent[] = [];
    const store = withEventLines(memoryStore(), (_line, event) => printed.push(event));
    const world = setup([{ text: "Hello." }], {}, { store });
    const { sessionId } = await world.say("Hi");
    expect(printed).toEqual(await world.log(sessionId));
    const before = printed.length;
    const stale = store.append(sessionId, [{ type: "note", data: { text: "x" } }], {
      appendId: "1",
      afterSeq: 1,
    });
    await expect(stale).rejects.toMatchObject({ code: "conflict" });
    expect(printed).toHaveLength(before);
  });
});
