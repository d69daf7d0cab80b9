import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { sha256 } from "../src/base/sha256.ts";
import { toMessages } from "../src/context/message-cache.ts";
import { assistantEntry, userEntry } from "../src/context/project.ts";
import { type EventStore, memoryStore, type StoredOf, tool } from "../src/index.ts";
import { doorbell } from "../src/readers/doorbell.ts";
import { newKeptParts } from "../src/session/context-entry.ts";
import { setup, sleep } from "./support/setup.ts";

afterEach(() => vi.restoreAllMocks());

describe("what is done once only", () => {
  it("keeps the messages that were sent, and makes only those anew that something was added to", () => {
    const said = (seq: number) =>
      userEntry({ seq, type: "user_message", data: { message: `m${seq}` } } as StoredOf<"user_message">);
    const answer = assistantEntry({
      content: [{ type: "text", text: "Yes." }],
      disposition: "kept",
      stop_reason: "end_turn",
      attempt: 1,
      complete: 1,
    });
    const entries = [said(1), answer ?? said(0), said(3)];
    const { messages: kept } = newKeptParts();
    const first = toMessages(entries, kept);
    const again = toMessages(entries, kept);
    expect(again.map((message, index) => message === first[index])).toEqual([true, true, true]);
    expect(Object.isFrozen(first[0]) && Object.isFrozen(first[0]?.content[0])).toBe(true);
    const longer = toMessages([...entries, said(4)], kept);
    expect(longer.map((message, index) => message === first[index])).toEqual([true, true, false]);
    expect(longer[2]?.content).toEqual([
      { type: "text", text: "m3" },
      { type: "text", text: "m4" },
    ]);
  });

  it("C11 makes a message anew when something in its middle has changed", () => {
    const said = (text: string) =>
      userEntry({ seq: 1, type: "user_message", data: { message: text } } as StoredOf<"user_message">);
    const [first, last] = [said("first"), said("last")];
    const { messages: kept } = newKeptParts();
    toMessages([first, said("secret"), last], kept);
    const redacted = toMessages([first, said("[redacted]"), last], kept);
    expect(redacted[0]?.content.map((block) => block.text)).toEqual(["first", "[redacted]", "last"]);
  });

  it("asks the store for nothing more when a run has come to rest", async () => {
    const base = memoryStore();
    let calls: string[] = [];
    const store: EventStore = {
      ...base,
      append: async (id, events, options) => {
        if (options.release === true) calls = [];
        return await base.append(id, events, options);
      },
      read: (...args) => {
        calls.push("read");
        return base.read(...args);
      },
      release: async (lease) => {
        calls.push("release");
        await base.release(lease);
      },
    };
    const ask = tool({ name: "ask", description: "", input: z.object({}), suspends: { answer: z.string() } });
    const script = [{ tools: [{ name: "ask", id: "toolu_q" }] }, { text: "Ok." }];
    const world = setup(script, { tools: [ask] }, { store });
    const { sessionId, stop } = await world.say("Go");
    expect({ type: stop.type, calls }).toEqual({ type: "suspended", calls: [] });
    expect((await world.answer(sessionId, "toolu_q", "yes")).stop.type).toBe("end_turn");
    expect(calls).toEqual([]);
  });

  it("L10 wakes a reader once for all that comes in one go", async () => {
    const text = "one two three four five six seven eight nine ten ".repeat(20).trim();
    const { pawl } = setup([{ text }]);
    const events = await Array.fromAsync(pawl.run("tester", { userId: "u1", input: "Go" }));
    expect(events.filter(({ type }) => type === "text_delta").length).toBeLessThan(3);
    const bell = doorbell([]);
    let woken = 0;
    const count = () => {
      woken += 1;
    };
    void bell.wait().then(count);
    for (let n = 0; n < 3; n += 1) bell.ring();
    await sleep(5);
    void bell.wait().then(count);
    await sleep(5);
    expect(woken).toBe(1);
    bell.ring();
    await sleep(5);
    expect(woken).toBe(2);
  });

  it("wakes a reader that was busy when it rang", async () => {
    const bell = doorbell([]);
    bell.ring();
    await bell.wait();
  });

  it("C1 gives the same hash in Node and elsewhere", async () => {
    const here = await sha256("Grüße");
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    expect(await sha256("Grüße")).toBe(here);
    expect(here).toMatch(/^[0-9a-f]{64}$/);
  });
});
