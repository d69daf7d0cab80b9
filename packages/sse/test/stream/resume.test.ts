import type { SessionEvent } from "@pawl/core";
import { newView, reduceView } from "@pawl/core/view";
import { EventSource } from "eventsource";
import { describe, expect, it, onTestFinished } from "vitest";
import { type HandModel, handModel } from "../support/hand-model.ts";
import { type Served, seqsOf, serve } from "../support/served.ts";

/** The frames of a response, as text, until one contains `last`. */
async function frames(response: Response, last: string): Promise<string[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(last) || !text.endsWith("\n\n")) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The stream ended after ${text}`);
    text += value;
  }
  await reader?.cancel();
  return text.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"));
}

const idOf = (frame: string | undefined) => /^id: (.*)$/m.exec(frame ?? "")?.[1];
const textOf = (some: readonly string[]) =>
  some.map((frame) => /"type":"text_delta".*"text":"([^"]*)"/.exec(frame)?.[1] ?? "").join("");

async function begin(served: Served, model: HandModel) {
  const response = await served.ask("/runs", { json: { input: "Hi" } });
  return { id: response.headers.get("x-pawl-session") ?? "", response, turn: await model.turn() };
}

describe("a place in the middle of an answer", () => {
  it("W4 is the id of a live event, and the stream resumes exactly after it", async () => {
    const model = handModel();
    const served = await serve(model);
    const { id, response, turn } = await begin(served, model);
    turn.say("Once ");
    turn.say("upon");
    const first = await frames(response, "upon");
    const place = idOf(first.at(-1)) ?? "";
    const request = idOf(first.find((frame) => frame.includes('"type":"llm_request"')));
    expect(place).toBe(`${request}~${request}~9`);
    turn.say(" a time");
    const ask = (init: RequestInit, query = "") => served.ask(`/sessions/${id}/stream${query}`, init);
    const header = await frames(await ask({ headers: { "last-event-id": place } }), "a time");
    expect(textOf(header)).toBe(" a time");
    expect(header.map(idOf)).toEqual([`${request}~${request}~16`]);
    const query = await frames(await ask({}, `?after=${place}`), "a time");
    expect(query).toEqual(header);
    const late = await frames(await ask({}, `?after=${request}`), "a time");
    expect(textOf(late)).toBe("Once upon a time");
    turn.end();
    const rest = await frames(
      await ask({ headers: { "last-event-id": `${request}~${request}~16` } }),
      "run_ended",
    );
    expect(textOf(rest)).toBe("");
    expect(rest.map(idOf).every((one) => one === undefined || /^\d+$/.test(one))).toBe(true);
  });

  it.each(["x", "4~", "4~4", "4~5~1", "4~4~-1", "4~4~1~1", "4~4~9999999999", "4 ~4~1"])(
    "W4 %j is refused",
    async (id) => {
      const model = handModel();
      const served = await serve(model);
      const { id: session, turn } = await begin(served, model);
      turn.end();
      const path = `/sessions/${session}`;
      const byHeader = await served.ask(`${path}/stream`, { headers: { "last-event-id": id } });
      expect(byHeader.status).toBe(400);
      for (const route of ["stream", "events"])
        expect((await served.ask(`${path}/${route}?after=${encodeURIComponent(id)}`)).status).toBe(400);
    },
  );
});

describe("a plain EventSource", () => {
  it("W1 W4 misses nothing and sees nothing twice when its connection is cut in the middle of answers", async () => {
    const model = handModel();
    const served = await serve(model);
    const { id, turn } = await begin(served, model);
    const encoder = new TextEncoder();
    const asked: (string | undefined)[] = [];
    const source = new EventSource(`${served.url}/sessions/${id}/stream`, {
      fetch: async (url, init) => {
        asked.push(new Headers(init.headers).get("last-event-id") ?? undefined);
        const response = await fetch(url, {
          ...init,
          headers: { ...init.headers, authorization: "Bearer ada" },
        });
        // A browser waits three seconds.
        const hurry = new TransformStream<Uint8Array, Uint8Array>({
          start: (controller) => controller.enqueue(encoder.encode("retry: 20\n\n")),
        });
        return new Response(response.body?.pipeThrough(hurry), response);
      },
    });
    onTestFinished(() => source.close());
    const seen: SessionEvent[] = [];
    source.onmessage = ({ data }) => seen.push(JSON.parse(data) as SessionEvent);
    const words = ["Once ", "upon ", "a ", "time ", "there ", "was ", "a ", "test."];
    const text = () => seen.map((event) => (event.type === "text_delta" ? event.data.text : "")).join("");
    for (const [n, word] of words.entries()) {
      turn.say(word);
      await expect.poll(text, { interval: 5 }).toBe(words.slice(0, n + 1).join(""));
      if (n % 2 === 0) for (const socket of served.sockets) socket.destroy();
    }
    turn.end();
    await expect.poll(() => seen.at(-1)?.type).toBe("run_ended");
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.slice(1).every((one) => /^\d+~\d+~\d+$/.test(one ?? ""))).toBe(true);
    expect(seqsOf(seen)).toEqual(seqsOf(seen).map((_, index) => index + 1));
    expect(text()).toBe(words.join(""));
    const { messages } = await served.runtime.view(id, { userId: "ada" });
    expect(seen.reduce(reduceView, newView()).messages).toEqual(messages);
  });
});
