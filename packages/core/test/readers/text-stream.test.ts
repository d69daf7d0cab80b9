import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/index.ts";
import { setup, user } from "../support/setup.ts";
import { look } from "../support/tools.ts";

/** The text of the deltas of each attempt, as they add up before each stored answer. */
function textsBeforeAnswers(events: readonly SessionEvent[]): { told: string; stored: string }[] {
  let told = "";
  return events.flatMap((event) => {
    if (event.type === "text_delta") told += event.data.text;
    if (event.type === "llm_request") told = "";
    if (event.type !== "assistant_message") return [];
    const stored = event.data.content.map(({ type, text }) => (type === "text" ? String(text) : "")).join("");
    return [{ told, stored }];
  });
}

describe("U1 the text of a run", () => {
  it("U1 is streamed whole if the answer came in one packet", async () => {
    const { pawl } = setup([{ text: "Take an umbrella, it rains in Oslo at 12 °C." }]);
    const run = pawl.run("tester", { ...user, input: "Go" });
    expect((await Array.fromAsync(run.textStream)).join("")).toBe(
      "Take an umbrella, it rains in Oslo at 12 °C.",
    );
  });

  it("U1 has a blank line between the answers of two turns, as the result has", async () => {
    const { pawl } = setup([{ text: "Let me look.", tools: [{ name: "look" }] }, { text: "It rains." }], {
      tools: [look],
    });
    const run = pawl.run("tester", { ...user, input: "Go" });
    const text = (await Array.fromAsync(run.textStream)).join("");
    expect(text).toBe("Let me look.\n\nIt rains.");
    expect(text).toBe((await run.result).text);
  });

  it("U1 L8 ends without an error if the answer is refused, and the result says why", async () => {
    const { pawl } = setup([{ text: "I", stop: "refusal" }]);
    const run = pawl.run("tester", { ...user, input: "Go" });
    expect(await Array.fromAsync(run.textStream)).toEqual([]);
    const { stop, text } = await run.result;
    expect({ stop, text }).toEqual({
      stop: { type: "refusal", message: "I cannot help with this." },
      text: "",
    });
  });

  it("U1 is streamed from its beginning by each access", async () => {
    const { pawl } = setup([{ text: "One two three" }]);
    const run = pawl.run("tester", { ...user, input: "Go" });
    await run.result;
    for (let reader = 0; reader < 2; reader += 1) {
      expect((await Array.fromAsync(run.textStream)).join("")).toBe("One two three");
    }
  });

  it("U1 adds up in the deltas before each stored answer, whatever the packets", async () => {
    // Without a delay, the whole reply comes in one packet.
    const reply = fc.record(
      {
        text: fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== ""),
        thinking: fc.string({ maxLength: 20 }),
        delayPerEventMs: fc.constantFrom(0, 1),
      },
      { requiredKeys: ["text"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 3 }), async (replies) => {
        const script = replies.map((one, at) =>
          at < replies.length - 1 ? { ...one, tools: [{ name: "look" }] } : one,
        );
        const { pawl } = setup(script, { tools: [look] });
        const events = await Array.fromAsync(pawl.run("tester", { ...user, input: "Go" }));
        const pairs = textsBeforeAnswers(events);
        expect(pairs.map(({ stored }) => stored)).toEqual(replies.map(({ text }) => text));
        expect(pairs.map(({ told }) => told)).toEqual(replies.map(({ text }) => text));
      }),
      { numRuns: 25 },
    );
  });

  it("U1 reaches listeners before the answer is stored and before `result` settles", async () => {
    const { pawl } = setup([{ text: "All of it." }]);
    const seen: string[] = [];
    const run = pawl.run("tester", { ...user, input: "Go" });
    run.on("text_delta", ({ data }) => void seen.push(data.text));
    run.on("assistant_message", () => void seen.push("stored"));
    run.on("run_ended", () => void seen.push("ended"));
    await run.result.then(() => seen.push("result"));
    expect(seen.join(" ")).toBe("All of it. stored ended result");
  });

  it("U1 of an answer that a reader has in part is not repeated", async () => {
    const { pawl } = setup([{ text: "One two three four", delayPerEventMs: 2 }]);
    const events = await Array.fromAsync(pawl.run("tester", { ...user, input: "Go" }));
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.data] : []));
    expect(deltas.length).toBeGreaterThan(1);
    let end = 0;
    for (const { offset, text } of deltas) {
      expect(offset).toBe(end);
      end += text.length;
    }
    expect(end).toBe("One two three four".length);
  });

  it("U1 starts again with the whole answer if a hook changed what was shown", async () => {
    const reply = { text: "My password is hunter2.", delayPerEventMs: 2 };
    const changes: [text: string, before: RegExp][] = [
      ["My password is a secret. I keep it.", /^.+\n\n$/],
      ["No.", /^.+\n\n$/],
      ["My password is hunter2. And my hat.", /^$/],
    ];
    for (const [text, before] of changes) {
      const change = { name: "change", afterModel: () => ({ content: [{ type: "text", text }] }) };
      const { pawl } = setup([reply], { hooks: [change] });
      const run = pawl.run("tester", { ...user, input: "Go" });
      const shown: string[] = [];
      run.on("text_delta", ({ data }) => shown.push(data.text));
      run.on("attempt_restarted", () => shown.splice(0));
      const told = (await Array.fromAsync(run.textStream)).join("");
      expect(told.slice(-text.length)).toBe(text);
      expect(told.slice(0, -text.length)).toMatch(before);
      await run.result;
      expect(shown.join("")).toBe(text);
    }
  });

  it("U1 a rejected run settles its result, and its listeners' pump with it", async () => {
    const { pawl } = setup([{ text: "Hi" }]);
    const run = pawl.run("nobody", { ...user, input: "Go" });
    run.on("text_delta", () => undefined);
    await expect(run.result).rejects.toThrow();
    await expect(Array.fromAsync(run.textStream)).rejects.toThrow();
  });

  it("U6 is not listened to under a name that no event has", () => {
    const { pawl } = setup([{ text: "Hi" }]);
    const run = pawl.run("tester", { ...user, input: "Go" });
    expect(() => run.on("text" as "text_delta", () => undefined)).toThrow(/no event "text".*text_delta/);
    expect(() => run.on("constructor" as "text_delta", () => undefined)).toThrow(/no event/);
    expect(() => run.on("planning.plan" as "text_delta", () => undefined)).not.toThrow();
  });
});
