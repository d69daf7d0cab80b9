import { describe, expect, it } from "vitest";
import { toMessages } from "../../src/context/message-cache.ts";
import { assistantEntry, userEntry } from "../../src/context/project.ts";
import type { StoredOf } from "../../src/index.ts";
import { newKeptParts } from "../../src/session/context-entry.ts";

describe("messages for the model", () => {
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
});
