import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admit, admitted } from "../../src/context/admit.ts";
import { toMessages } from "../../src/context/message-cache.ts";
import { assistantEntry, contextEntry, userEntry, withoutThinking } from "../../src/context/project.ts";
import type { EventData, StoredEvent } from "../../src/index.ts";
import type { ContextEntry } from "../../src/inspect.ts";
import type { ContentBlock } from "../../src/model/content.ts";
import { newKeptParts } from "../../src/session/context-entry.ts";
import { newSessionState } from "../../src/session/new-state.ts";

it("C5 a message whose middle has changed is made anew, one that has not is the same object", () => {
  const [first, second, third] = ["a", "b", "c"].map((text, at) =>
    contextEntry("user", [{ type: "text", text }], at + 1),
  ) as [ReturnType<typeof contextEntry>, ReturnType<typeof contextEntry>, ReturnType<typeof contextEntry>];
  const { messages: kept } = newKeptParts();
  const [whole] = toMessages([first, second, third], kept);
  expect(toMessages([first, second, third], kept)[0]).toBe(whole);
  const redacted = contextEntry("user", [{ type: "text", text: "[redacted]" }], 2);
  const [changed] = toMessages([first, redacted, third], kept);
  expect(changed?.content).toMatchObject([{ text: "a" }, { text: "[redacted]" }, { text: "c" }]);
});

it("C5 the entry made of an event for a request is the one admitted, and is not kept beyond its session", async () => {
  setFlagsFromString("--expose-gc");
  const event = {
    seq: 1,
    type: "user_message",
    data: { message: "Hi" },
  } as StoredEvent;
  const made = () => {
    const state = { ...newSessionState("s"), unsent: [event] };
    const [entry] = admitted(state, 1);
    expect(admitted(state, 1)[0]).toBe(entry);
    admit(state, 1);
    expect(state.entries[0]).toBe(entry);
    return new WeakRef(toMessages(state.entries, state.kept.messages)[0] as object);
  };
  const message = made();
  // What was asked of a weak reference lives to the end of the task.
  await setImmediate();
  runInNewContext("gc")();
  expect(message.deref()).toBeUndefined();
  expect(userEntry(event).blocks).toEqual([{ type: "text", text: "Hi" }]);
});

it("C5 messages made with the cache equal messages made without it, whatever was made before", () => {
  const made = fc.array(fc.tuple(fc.constantFrom("user", "assistant"), fc.nat({ max: 3 })), { minLength: 1 });
  const edits = fc.array(
    fc.record({
      at: fc.nat({ max: 20 }),
      drop: fc.nat({ max: 3 }),
      put: fc.array(fc.nat(), { maxLength: 3 }),
    }),
  );
  const property = fc.property(made, edits, (pool, changes) => {
    const entries = pool.map(([role, blocks], at) =>
      contextEntry(
        role as "user" | "assistant",
        Array.from({ length: blocks }, (_, block) => ({ type: "text", text: `${at} ${block}` })),
        at,
      ),
    );
    let context = entries;
    const { messages: kept } = newKeptParts();
    for (const { at, drop, put } of changes) {
      context = context.toSpliced(
        at,
        drop,
        ...put.map((one) => entries[one % entries.length] as ContextEntry),
      );
      const expected: { role: string; content: ContentBlock[] }[] = [];
      for (const { role, blocks } of context) {
        if (expected.at(-1)?.role !== role) expected.push({ role, content: [] });
        expected.at(-1)?.content.push(...blocks);
      }
      const messages = toMessages(context, kept);
      expect(messages).toEqual(expected);
      // What is given out is the caller's.
      expect(toMessages([...context], kept)).toEqual(messages);
      messages.reverse();
      expect(toMessages(context, kept)).toEqual(expected);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

const text = (said: string): ContentBlock => ({ type: "text", text: said });
const thinking: ContentBlock = { type: "thinking", thinking: "Hm.", signature: "s" };
const call: ContentBlock = { type: "tool_use", id: "toolu_a", name: "look", input: {} };
const server: ContentBlock = { type: "server_tool_use", id: "srv_a", name: "web_search", input: {} };

describe("an answer", () => {
  const echoed = (
    disposition: EventData["assistant_message"]["disposition"],
    content: ContentBlock[],
    complete = content.length,
  ) => assistantEntry({ content, disposition, stop_reason: null, attempt: 1, complete })?.blocks;

  it("C12 is sent again as it is, but for empty text and text behind a call", () => {
    const whole = [thinking, text("a"), text("b"), call, call];
    expect(echoed("kept", whole)).toEqual(whole);
    expect(echoed("kept", [text(""), text(" \n\u200b"), text("a"), text("b")])).toEqual([
      text("a"),
      text("b"),
    ]);
    expect(echoed("kept", [text("a"), call, text("b"), server, call])).toEqual([
      text("a"),
      call,
      server,
      call,
    ]);
    expect(echoed("kept", [call, text("b")])).toEqual([call]);
    expect(echoed("kept", [text(" ")])).toBeUndefined();
    const data = { content: whole, disposition: "kept", stop_reason: null, attempt: 1, complete: 5 } as const;
    expect(assistantEntry(data, 7)).toMatchObject({ role: "assistant", seq: 7 });
  });

  it("L8 L12 is sent up to the first call where it was cut off, without trailing thinking", () => {
    expect(echoed("partial", [thinking, text("a"), call, text("b")])).toEqual([thinking, text("a")]);
    expect(echoed("partial", [text("a"), thinking, thinking, call])).toEqual([text("a")]);
    expect(echoed("partial", [text("a"), text("b")], 1)).toEqual([text("a"), text("b")]);
    expect(echoed("partial", [thinking, thinking, text("a")], 1)).toEqual([thinking, text("a")]);
    expect(echoed("partial", [thinking, text(" ")])).toBeUndefined();
    expect(echoed("discarded", [text("a")])).toBeUndefined();
  });

  it("C11 loses its thinking, and is gone where that is all of it", () => {
    const user = contextEntry("user", [text("Go")], 1);
    const plain = contextEntry("assistant", [text("a")], 2);
    const both = contextEntry("assistant", [thinking, text("a")], 3);
    const [first, second, third, ...rest] = withoutThinking([
      user,
      plain,
      both,
      contextEntry("assistant", [thinking], 4),
    ]);
    expect([first, second]).toEqual([user, plain]);
    expect([first === user, second === plain]).toEqual([true, true]);
    expect(third).toMatchObject({ role: "assistant", blocks: [text("a")], seq: 3 });
    expect(rest).toEqual([]);
  });
});

describe("an entry", () => {
  const read = (type: string, data: object) => userEntry({ type, data, seq: 5 } as unknown as StoredEvent);

  it("C12 a blank user message is not sent as blank text, which the API refuses", () => {
    for (const message of ["", " ", "\n\t", "\u200b\0"])
      expect(read("user_message", { message })).toMatchObject({
        blocks: [{ type: "text", text: "(an empty message)" }],
      });
  });

  it("C1 C2 is what the model reads of an event", () => {
    expect(read("user_message", { message: "Hi" })).toMatchObject({
      role: "user",
      blocks: [text("Hi")],
      seq: 5,
    });
    const result = (data: object) => read("tool_result", { call_id: "toolu_a", ...data }).blocks;
    const block = { type: "tool_result", tool_use_id: "toolu_a" };
    expect(result({ result: "r", success: true })).toEqual([{ ...block, content: "r" }]);
    expect(result({ result: { a: 1 }, success: false })).toEqual([
      { ...block, content: '{"a":1}', is_error: true },
    ]);
    expect(result({ result: "r", content: "c", success: true })).toEqual([{ ...block, content: "c" }]);
    expect(read("knowledge", { data: "k", source: "crm" }).blocks).toEqual([
      text('<knowledge source="crm">\nk\n</knowledge>'),
    ]);
    const artifact = { artifact_id: "a1", type: "doc", title: "T", summary: "S" };
    expect(read("artifact", artifact).blocks).toEqual([
      text(`<artifact>\n${JSON.stringify(artifact)}\n</artifact>`),
    ]);
    expect(read("note", { text: "n" }).blocks).toEqual([text("<note>\nn\n</note>")]);
    expect(read("run_started", {}).blocks).toEqual([]);
  });

  it("C5 knows its length, is frozen, and has no half of a surrogate pair", () => {
    const blocks = [text("a")];
    const entry = contextEntry("user", blocks, 1);
    expect(entry.chars).toBe(JSON.stringify(blocks).length);
    expect(Object.isFrozen(entry.blocks[0])).toBe(true);
    expect(contextEntry("user", [text("a\ud800")], 1).blocks).toEqual([text("a\ufffd")]);
  });
});
