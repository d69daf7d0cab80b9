import { type SessionEvent, withRetry } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { Gap, type Standing, standingAt, step } from "../src/state/standing.ts";
import {
  clientOf,
  expectSame,
  handModel,
  isIdle,
  lastText,
  rewritten,
  serve,
  tampered,
  when,
} from "./support/clients.ts";

/** What a client was told. */
function told(): { onEvent(event: SessionEvent): void; text(): string; seqs(): number[] } {
  const events: SessionEvent[] = [];
  return {
    onEvent: (event) => void events.push(event),
    text: () => events.map((event) => (event.type === "text_delta" ? event.data.text : "")).join(""),
    seqs: () => events.flatMap((event) => ("seq" in event ? [event.seq] : [])),
  };
}

/** A `fetch` that remembers from where streams were asked for. */
function asking(inner: typeof fetch = fetch): { fetch: typeof fetch; places: (string | null)[] } {
  const places: (string | null)[] = [];
  const watched: typeof fetch = async (input, init) => {
    if (String(input).endsWith("/stream")) places.push(new Headers(init?.headers).get("last-event-id"));
    return await inner(input, init);
  };
  return { fetch: watched, places };
}

describe("a connection that breaks in the middle of an answer", () => {
  it("W4 resumes at the character: known text is neither sent nor reported again", async () => {
    const model = handModel();
    const served = await serve(model);
    const heard = told();
    const { places, fetch } = asking();
    const client = clientOf(served, { onEvent: heard.onEvent, fetch });
    await client.send("Hi");
    const turn = await model.turn();
    let text = "";
    for (const word of ["Once", " upon", " a", " time", " there", " was", " a", " test."]) {
      text += word;
      turn.say(word);
      await when(client, (state) => lastText(state) === text);
      for (const socket of served.sockets) socket.destroy();
    }
    turn.end();
    await when(client, isIdle);
    expect(places).toContain(`${places[0]?.split("~")[0]}~${places[0]?.split("~")[0]}~4`);
    expect(heard.text()).toBe(text);
    expect(heard.seqs()).toEqual(heard.seqs().map((_, index) => index + 1));
    await expectSame(served, client);
  });

  it("W4 fetches missing text again; the text never shrinks, and nothing is reported twice", async () => {
    const model = handModel();
    const served = await serve(model);
    const heard = told();
    let dropped = 0;
    const lossy = tampered("/runs", (response) =>
      rewritten(response, (text) => {
        const frames = text.split(/(?<=\n\n)/);
        const kept = frames.filter((frame) => !frame.includes("LOST"));
        dropped += frames.length - kept.length;
        return { text: kept.join("") };
      }),
    );
    const { places, fetch } = asking(lossy);
    const client = clientOf(served, { onEvent: heard.onEvent, fetch });
    const lengths: number[] = [];
    client.subscribe(() => lengths.push(lastText(client.getState()).length));
    await client.send("Hi");
    const turn = await model.turn();
    turn.say("Begun, ");
    await when(client, (state) => lastText(state) === "Begun,");
    turn.say("LOST, ");
    await expect.poll(() => dropped).toBe(1);
    turn.say("and ended.");
    await when(client, (state) => lastText(state) === "Begun, LOST, and ended.");
    expect(places[0]).toMatch(/^(\d+)~\1~7$/);
    expect(heard.text()).toBe("Begun, LOST, and ended.");
    turn.end();
    await when(client, isIdle);
    const written = lengths.slice(lengths.indexOf("Begun,".length));
    expect(written).toEqual(written.toSorted((a, b) => a - b));
    await expectSame(served, client);
  });
});

describe("a silent server", () => {
  it("W4 K1 is abandoned, whether it does not answer a request or stops in the middle of a session", async () => {
    const served = await serve(scriptedModel([{ text: "One." }]));
    const first = clientOf(served);
    await first.send("Hi");
    const { sessionId = "", messages } = await when(first, isIdle);
    let asked = 0;
    const deaf: typeof fetch = async (input, init) => {
      asked += 1;
      // Nothing at all; a body that does not end; no stream; and then as it should be.
      const { promise, reject } = Promise.withResolvers<never>();
      promise.catch(() => undefined);
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      if (asked === 2)
        return new Response(new ReadableStream(), { headers: { "content-type": "application/json" } });
      return asked === 1 || asked === 4 ? await promise : await fetch(input, init);
    };
    const client = clientOf(served, { sessionId, fetch: deaf, silenceMs: 100 });
    await when(client, ({ connection }) => connection === "open");
    expect(client.getState().messages).toEqual(messages);
    expect(asked).toBe(5);
  });

  it("W4 is not asked for a snapshot by a client that has read the first run from its beginning", async () => {
    const model = handModel();
    const served = await serve(model);
    await served.store.sessions.create({ id: "s", userId: "ada", agent: "coach" });
    const heard = told();
    const broken: typeof fetch = async (input, init) => {
      if (String(input).includes("/sessions/s?")) throw new TypeError("network error");
      return await fetch(input, init);
    };
    const client = clientOf(served, { sessionId: "s", onEvent: heard.onEvent, fetch: broken });
    await client.send("Hi");
    const turn = await model.turn();
    turn.say("Once");
    await when(client, (state) => lastText(state) === "Once");
    for (const socket of served.sockets) socket.destroy();
    turn.say(" upon");
    await when(client, (state) => lastText(state) === "Once upon");
    turn.end();
    await when(client, isIdle);
    expect(heard.text()).toBe("Once upon");
    expect(heard.seqs()).toEqual(heard.seqs().map((_, index) => index + 1));
  });
});

describe("a server that does not resume at the client's position", () => {
  it("W4 is asked for the whole answer", async () => {
    const model = handModel();
    const served = await serve(model);
    const heard = told();
    const wrong = tampered("/stream", (response, n) =>
      n > 1 ? response : rewritten(response, (text) => ({ text: text.replace('"offset":4', '"offset":5') })),
    );
    const { places, fetch } = asking(wrong);
    const client = clientOf(served, { onEvent: heard.onEvent, fetch });
    await client.send("Hi");
    const turn = await model.turn();
    turn.say("Once");
    await when(client, (state) => lastText(state) === "Once");
    for (const socket of served.sockets) socket.destroy();
    turn.say(" upon");
    await when(client, (state) => lastText(state) === "Once upon");
    expect(places).toEqual([expect.stringMatching(/^(\d+)~\1~4$/), expect.stringMatching(/^\d+$/)]);
    expect(heard.text()).toBe("Once upon");
    turn.end();
    await when(client, isIdle);
    await expectSame(served, client);
  });
});

describe("a stream that began before the text that its client has", () => {
  it("W4 need not say that the text is void: the client reports it", async () => {
    const lost = {
      text: "Once upon a time there was a test.",
      fault: { midStream: "overloaded", afterEvents: 5 },
      delayPerEventMs: 20,
    } as const;
    const model = withRetry(scriptedModel([lost, { text: "Twice.", delayPerEventMs: 20 }]), {
      sleep: async () => undefined,
    });
    const served = await serve(model);
    const events: SessionEvent[] = [];
    const silent = tampered("/runs", (response) =>
      rewritten(response, (text) => {
        const frames = text.split(/(?<=\n\n)/);
        return { text: frames.filter((frame) => !frame.includes("attempt_restarted")).join("") };
      }),
    );
    const client = clientOf(served, { onEvent: (event) => void events.push(event), fetch: silent });
    await client.send("Hi");
    await when(client, (state) => isIdle(state) && lastText(state) === "Twice.");
    const types = events.map(({ type }) => type).filter((type) => /text_delta|restarted|request/.test(type));
    const each = types.filter((type, at) => type !== types[at - 1]);
    expect(each).toEqual(["llm_request", "text_delta", "attempt_restarted", "llm_request", "text_delta"]);
    await expectSame(served, client);
  });
});

describe("where a client is", () => {
  const delta = (attempt: number, index: number, offset: number, text: string): SessionEvent => ({
    type: "text_delta",
    data: { attempt, index, offset, text },
  });
  const stored = (seq: number, type = "note") => ({ seq, type, data: {} }) as unknown as SessionEvent;
  const after = (...events: SessionEvent[]) => {
    let standing: Standing = standingAt(3);
    const news: (SessionEvent | undefined)[] = [];
    for (const event of events) {
      const { news: one, ...next } = step(standing, event);
      standing = next;
      news.push(one);
    }
    return { place: standing.place, news };
  };

  it("W4 takes the new part of every event", () => {
    const events = [
      delta(3, 0, 0, "Hello"),
      delta(3, 1, 0, "{"),
      delta(3, 0, 3, "lo"),
      delta(3, 1, 0, '{"a"'),
    ];
    const { place, news } = after(...events, stored(3), stored(4));
    expect(news).toEqual([events[0], events[1], undefined, delta(3, 1, 1, '"a"'), undefined, stored(4)]);
    expect(place).toEqual({ afterSeq: 4, live: { attempt: 3, chars: 9 } });
  });

  it("W4 forgets an answer that is stored or void, and begins the next one at its beginning", () => {
    for (const end of [
      stored(4, "assistant_message"),
      stored(4, "run_recovered"),
      { type: "attempt_restarted", data: { attempt: 3 } } as const,
    ]) {
      const { place } = after(delta(3, 0, 0, "Hello"), end);
      expect(place.live).toBeUndefined();
    }
    const { place } = after(delta(3, 0, 0, "Hello"), stored(4, "llm_request"), delta(4, 0, 0, "Hi"));
    expect(place).toEqual({ afterSeq: 4, live: { attempt: 4, chars: 2 } });
  });

  it("W4 throws if something is missing", () => {
    const gaps = [
      [stored(5)],
      [delta(3, 0, 1, "ello")],
      [delta(3, 0, 0, "Hello"), delta(3, 0, 6, "!")],
      [delta(3, 0, 0, "Hello"), delta(3, 1, 2, "!")],
      [delta(3, 0, 0, "Hello"), stored(4, "llm_request"), delta(4, 0, 5, "!")],
    ];
    for (const events of gaps) expect(() => after(...events)).toThrow(Gap);
  });
});
