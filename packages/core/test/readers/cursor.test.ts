import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import type { SessionEvent } from "../../src/index.ts";
import { type LiveState, localTail } from "../../src/store.ts";
import {
  advanceCursor,
  type Cursor,
  formatCursor,
  newView,
  parseCursor,
  reduceView,
} from "../../src/view.ts";
import { progressOf } from "../support/progress-of.ts";
import { setup, user } from "../support/setup.ts";
import { look } from "../support/tools.ts";

describe("a cursor", () => {
  it("W4 survives being formatted and parsed", () => {
    for (const place of [
      { afterSeq: 0 },
      { afterSeq: 42 },
      { afterSeq: 42, live: { attempt: 40, chars: 0 } },
    ])
      expect(parseCursor(formatCursor(place))).toEqual(place);
  });

  it.each([
    ...["", " ", "x", "-1", "1.5", "1 ", " 1", "0x1", "1e3", "2147483648", "99999999999", "٣"],
    ...["1~", "~1~1", "1~1", "1~1~", "1~1~1~1", "1~1~-1", "1~1~2147483648", "1~x~1", "1~1~1\n"],
    // An answer whose request the reader cannot have read.
    ...["4~5~1", "4~0~1", "0~0~0"],
  ])("W4 is not parsed from %j", (text) => {
    expect(parseCursor(text)).toBeUndefined();
  });

  it("W4 advances with each event, and drops its live part once the text is void or stored", () => {
    const delta = (attempt: number, text: string) =>
      ({ type: "text_delta", data: { attempt, index: 0, offset: 0, text } }) as SessionEvent;
    const stored = (seq: number, type: string) => ({ seq, type, data: {} }) as unknown as SessionEvent;
    let place: Cursor = { afterSeq: 3 };
    const after = (event: SessionEvent) => {
      place = advanceCursor(place, event);
      return formatCursor(place);
    };
    expect(after(stored(4, "llm_request"))).toBe("4");
    expect(after(delta(4, "Hello"))).toBe("4~4~5");
    expect(after(stored(5, "user_message"))).toBe("5~4~5");
    expect(after(delta(4, ", you"))).toBe("5~4~10");
    const same = place;
    after({ type: "tool_progress", data: { call_id: "c", tool_name: "t", data: 1 } });
    expect(place).toBe(same);
    expect(after({ type: "attempt_restarted", data: { attempt: 4 } })).toBe("5");
    expect(after(delta(6, "Hi"))).toBe("5~6~2");
    expect(after(stored(7, "assistant_message"))).toBe("7");
  });
});

describe("continuing from a cursor", () => {
  it("W4 shows exactly what follows it, from every position of a run", async () => {
    const gate = Promise.withResolvers<void>();
    const script = [
      { thinking: "Hm, let me see 🙂.", text: "I look. 🙃", tools: [{ name: "look", input: { a: 1 } }] },
      { text: "Found it, and here is what it is.", delayPerEventMs: 1 },
    ];
    const { pawl } = setup(script, { tools: [look] }, {}, (model) => ({
      ...model,
      async *stream(request, options) {
        for await (const event of model.stream(request, options)) {
          // Until everybody has read on, each answer's end is held back.
          if (event.type === "message_delta" && request.messages.length > 1) await gate.promise;
          yield event;
        }
      },
    }));
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    const whole = "Found it, and here is what it is.";
    const events: SessionEvent[] = [];
    const places: Cursor[] = [{ afterSeq: 0 }];
    let second = "";
    for await (const event of run) {
      events.push(event);
      places.push(advanceCursor(places.at(-1) as Cursor, event));
      if (event.type === "text_delta" && event.data.attempt > 5) second += event.data.text;
      if (second === whole) break;
    }
    const known = events.length;
    const attempt = places.at(-1)?.live?.attempt;
    const readers = places.map((from) =>
      (async () => {
        const seen: SessionEvent[] = [];
        const texts = () =>
          seen.map((event) => (event.type === "text_delta" ? event.data.text : "")).join("");
        for await (const event of pawl.follow(sessionId, { ...from, untilIdle: true })) {
          seen.push(event);
          if (texts().endsWith("what it is.")) gate.resolve();
        }
        return seen;
      })(),
    );
    gate.resolve();
    const all = await Promise.all(readers);
    const { messages } = await pawl.view(sessionId, user);
    let exact = 0;
    for (const [n, seen] of all.entries()) {
      const from = places[n] as Cursor;
      const told = [...events.slice(0, n), ...seen];
      expect(told.reduce(reduceView, newView()).messages, formatCursor(from)).toEqual(messages);
      const seqs = told.flatMap((event) => ("seq" in event ? [event.seq] : []));
      expect(seqs, formatCursor(from)).toEqual(seqs.map((_, index) => index + 1));
      // Of the answer that is still being written, each character was shown once.
      const text = told.flatMap((event) =>
        event.type === "text_delta" && event.data.attempt === attempt ? [event.data] : [],
      );
      if (text.length > 0) expect(text.map((one) => one.text).join(""), formatCursor(from)).toBe(whole);
      if (from.live?.attempt === attempt) exact += 1;
    }
    expect(exact).toBeGreaterThan(3);
    expect(known).toBeGreaterThan(10);
  });

  it("W4 waits if this process knows less of the answer than the reader, and repeats nothing when it knows more", async () => {
    const tail = localTail();
    const { pawl, store } = setup([], {}, { tail });
    await store.sessions.create({ id: "s", userId: "u1", agent: "tester" });
    const request = { type: "llm_request", data: { turn: 1 } } as never;
    await store.append("s", [request, request], { appendId: "1" });
    const read = (from: Cursor) => {
      const control = new AbortController();
      const seen: unknown[] = [];
      const done = (async () => {
        for await (const event of pawl.follow("s", { ...from, signal: control.signal }))
          seen.push(event.data);
      })();
      const leave = async () => {
        control.abort();
        await done;
      };
      return { seen, leave };
    };
    const readers = {
      ahead: read({ afterSeq: 2, live: { attempt: 2, chars: 7 } }),
      late: read({ afterSeq: 2 }),
    };
    const show = async (attempt: number, ...texts: string[]) => {
      const state: LiveState = tail.live("s");
      state.attempt = attempt;
      // Another account of the same text, in other pieces.
      state.parts = texts.map((text, index) => ({ index, kind: "text" as const, pieces: [...text] }));
      tail.touch("s");
      await settled();
    };
    // That attempt's text was void before: this is a dead process's account.
    await show(1, "OLD!");
    await show(2, "abc");
    await show(2, "abcd", "ef");
    await show(2, "abcd", "efgh");
    await show(2, "abcd", "efghi");
    for (const { leave } of Object.values(readers)) await leave();
    const at = (index: number, offset: number, text: string) => ({ attempt: 2, index, offset, text });
    expect(readers.ahead.seen).toEqual([at(1, 3, "h"), at(1, 4, "i")]);
    expect(readers.late.seen).toEqual([
      at(0, 0, "abc"),
      at(0, 3, "d"),
      at(1, 0, "ef"),
      at(1, 2, "gh"),
      at(1, 4, "i"),
    ]);
  });

  it("W4 shows a reader that stays the progress of the next run too", async () => {
    const tail = localTail();
    const { pawl } = setup([], {}, { tail });
    const control = new AbortController();
    const seen: unknown[] = [];
    const done = (async () => {
      for await (const event of pawl.follow("s", { signal: control.signal })) seen.push(event.data);
    })();
    await settled();
    for (const call of ["a", "b"]) {
      const live = tail.live("s");
      for (const version of [1, 2]) live.reports.push({ version, event: progressOf(`${call}${version}`, 1) });
      tail.touch("s");
      await settled();
      tail.end("s");
    }
    control.abort();
    await done;
    expect(seen.map((data) => (data as { call_id: string }).call_id)).toEqual(["a1", "a2", "b1", "b2"]);
  });
});

describe("the view", () => {
  const delta = (offset: number, text: string) =>
    ({ type: "text_delta", data: { attempt: 3, index: 0, offset, text } }) as const;
  const shown = (...events: SessionEvent[]) => events.reduce(reduceView, newView());

  it("W4 shows no progress of a call that is over", () => {
    const seq = (n: number, type: string, data: object) =>
      ({ seq: n, type, data }) as unknown as SessionEvent;
    const call = { type: "tool_use", id: "c", name: "t", input: {} };
    const said = { call_id: "c", tool_name: "t" };
    const progress = { type: "tool_progress", data: { ...said, data: 50 } } as const;
    const answer = seq(1, "assistant_message", { attempt: 0, content: [call], disposition: "kept" });
    const running = shown(answer, progress);
    expect(running.messages[0]?.parts).toMatchObject([{ progress: 50 }]);
    const done = reduceView(running, seq(2, "tool_result", { ...said, success: true, result: "r" }));
    expect(done.messages[0]?.parts).toMatchObject([{ phase: "done", result: "r" }]);
    expect(reduceView(done, progress).messages[0]?.parts).toEqual(done.messages[0]?.parts);
  });

  it("W4 adds the new part of a delta, and ignores one after a gap", () => {
    const some = shown(delta(0, "Hello"));
    expect(shown(delta(0, "Hello"), delta(5, ", you")).messages[0]?.text).toBe("Hello, you");
    expect(shown(delta(0, "Hello"), delta(3, "lo, you")).messages[0]?.text).toBe("Hello, you");
    expect(reduceView(some, delta(0, "Hell"))).toBe(some);
    expect(reduceView(some, delta(5, ""))).toBe(some);
    expect(reduceView(some, delta(6, "you"))).toBe(some);
    expect(shown(delta(1, "ello")).messages).toEqual([]);
  });
});
