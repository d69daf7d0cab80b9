import { scriptedModel } from "@pawl/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { settled } from "../../../test/support/settled.ts";
import { clientOf, isIdle, lastText, serve, when } from "./support/clients.ts";
import "./support/locks.ts";

afterEach(() => vi.unstubAllGlobals());

/** A page of a browser, and a clock for its five seconds. */
function page(visibilityState: "hidden" | "visible") {
  const document = Object.assign(new EventTarget(), { visibilityState: visibilityState as string });
  vi.stubGlobal("document", document);
  const setTimer = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (then: () => void, ms = 0, ...args: []) =>
    setTimer(then, ms >= 1_000 && ms <= 10_000 ? ms / 50 : ms, ...args),
  );
  return (now: "hidden" | "visible") => {
    document.visibilityState = now;
    document.dispatchEvent(new Event("visibilitychange"));
  };
}

/** A session that is idle, and how many streams follow it. */
async function idleSession(texts: readonly string[] = []) {
  const served = await serve(scriptedModel(["One.", ...texts].map((text) => ({ text }))));
  const first = clientOf(served);
  await first.send("Hi");
  const { sessionId = "" } = await when(first, isIdle);
  first.close();
  const streams = { open: 0, opened: 0 };
  const counted: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith("/stream")) return response;
    streams.open += 1;
    streams.opened += 1;
    init?.signal?.addEventListener("abort", () => {
      streams.open -= 1;
    });
    return response;
  };
  return { served, sessionId, streams, counted };
}

describe("an idle page that is hidden", () => {
  it("B5 K1 closes its stream after a while, and is up to date when it is seen again", async () => {
    const show = page("visible");
    const { served, sessionId, streams, counted } = await idleSession(["Two."]);
    const client = clientOf(served, { sessionId, fetch: counted });
    await expect.poll(() => streams.open).toBe(1);
    show("hidden");
    await expect.poll(() => streams.open).toBe(0);
    await served.runtime.run("coach", { userId: "ada", sessionId, input: "And?" }).result;
    await settled();
    expect(lastText(client.getState())).toBe("One.");
    expect(client.getState()).toMatchObject({ connection: "open", error: undefined });
    show("visible");
    await when(client, (state) => lastText(state) === "Two.");
    expect(streams).toEqual({ open: 1, opened: 2 });
  });

  it("B5 K1 loads the session and opens no stream if it was never seen, and keeps one that comes back soon", async () => {
    const show = page("hidden");
    const { served, sessionId, streams, counted } = await idleSession();
    const client = clientOf(served, { sessionId, fetch: counted });
    await when(client, (state) => lastText(state) === "One.");
    await settled();
    expect(streams.opened).toBe(0);
    show("visible");
    await expect.poll(() => streams.open).toBe(1);
    show("hidden");
    show("visible");
    await pause(150, "for a timer that must not close the stream");
    expect(streams).toEqual({ open: 1, opened: 1 });
  });

  it("B5 K1 reads a run to its end before it closes the stream", async () => {
    const show = page("visible");
    const model = scriptedModel(() => ({ text: "word ".repeat(30), deltas: 30, delayPerEventMs: 15 }));
    const served = await serve(model);
    const client = clientOf(served);
    await client.send("Hi");
    show("hidden");
    expect(lastText(await when(client, isIdle))).toBe("word ".repeat(30).trimEnd());
  });
});

describe("more tabs than places", () => {
  it("B5 K1 four keep a stream, the others look now and then, and one gets a place that is free", async () => {
    page("visible");
    const { served, sessionId, streams, counted } = await idleSession(["Two."]);
    const tabs = Array.from({ length: 6 }, () => clientOf(served, { sessionId, fetch: counted }));
    await expect.poll(() => streams.opened).toBeGreaterThan(6);
    expect(streams.open).toBeLessThanOrEqual(6);
    await served.runtime.run("coach", { userId: "ada", sessionId, input: "And?" }).result;
    for (const tab of tabs) await when(tab, (state) => lastText(state) === "Two.");
    for (const tab of tabs.slice(0, 4)) tab.close();
    // A tab without a place looks every 200 ms of this clock. With a place, it opens one stream and no more.
    const after = async () => {
      const { opened } = streams;
      await pause(300, "for looks that nobody needs any more");
      return { open: streams.open, opened: streams.opened - opened };
    };
    await expect.poll(after).toEqual({ open: 2, opened: 0 });
  });
});
