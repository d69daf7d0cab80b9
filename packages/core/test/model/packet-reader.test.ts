import { expect, it } from "vitest";
import { type PacketReaderOptions, packetReader } from "../../src/model.ts";

/** Reads a stream of words, which "END" completes and "BAD" breaks, to its end or to its error. */
async function wordsOf(
  packets: string[],
  { contentType = "text/event-stream", lost = false, ...options }: PacketReaderOptions & Stream = {},
) {
  const words: string[] = [];
  const closed: string[] = [];
  const left = packets.map((text) => new TextEncoder().encode(text));
  const body = {
    headers: new Headers({ "content-type": contentType }),
    read: async () => {
      const value = left.shift();
      if (value === undefined && lost) await new Promise((_, reject) => closing.then(reject));
      return { done: value === undefined, value };
    },
    onEnd: () => void closed.push("read"),
    close: () => {
      closed.push("closed");
      close();
    },
  };
  const { promise: closing, resolve: close } = Promise.withResolvers<void>();
  const next = packetReader<string>(body, options, (answer) => (text) => {
    for (const word of text.split(/\s+/).filter(Boolean)) {
      if (!answer.begin()) return;
      if (word === "END") answer.complete();
      else if (word === "BAD") answer.fail(new Error("a bad word"));
      else answer.items.push(word);
    }
  });
  try {
    for (let read = await next(); read !== undefined; read = await next()) words.push(...read);
    return { words, closed };
  } catch (error) {
    return { words, closed, error: error as Error & { details?: object } };
  }
}

interface Stream {
  contentType?: string;
  /** Whether the end of the body never comes. */
  lost?: boolean;
}

it("reads up to the end of the answer, and the body to its own end", async () => {
  expect(await wordsOf(["one ", "two END three", "four"])).toEqual({
    words: ["one", "two"],
    closed: ["read"],
  });
});

it("closes a connection whose end does not come", async () => {
  expect(await wordsOf(["one END"], { lost: true, endMs: 1 })).toEqual({
    words: ["one"],
    closed: ["closed"],
  });
});

it("L12 throws what the parser reports, after the last good words", async () => {
  const { words, error } = await wordsOf(["one BAD two", "three END"]);
  expect({ words, message: error?.message }).toEqual({ words: ["one"], message: "a bad word" });
});

it("L12 can be retried if the answer is cut off, or is not an event stream", async () => {
  const cut = await wordsOf(["one "], { requestId: "req_1" });
  expect(cut.error?.details).toEqual({ retryable: true, requestId: "req_1" });
  const empty = await wordsOf([" "], { contentType: "text/html" });
  expect(empty.error?.message).toContain("the server sent text/html instead of text/event-stream");
  // Once a message has come, the type no longer says anything.
  const begun = await wordsOf(["one "], { contentType: "text/html" });
  expect(begun.error?.message).toContain("cut off");
});
