import { scriptedModel } from "@pawl/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { settled as quiet } from "../../../test/support/settled.ts";
import { pause } from "../src/wire/backoff.ts";
import { clientOf, isIdle, lastText, rewritten, serve, tampered, when } from "./support/clients.ts";

afterEach(() => vi.unstubAllGlobals());

/** The parts of a page that tell that somebody is back. */
function page() {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: "hidden" });
  vi.stubGlobal("document", document);
  for (const name of ["addEventListener", "removeEventListener"] as const)
    vi.stubGlobal(name, window[name].bind(window));
  return {
    document,
    online: () => window.dispatchEvent(new Event("online")),
    show: (visibilityState: string) => {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event("visibilitychange"));
    },
  };
}

describe("a page that returns", () => {
  it.each(["online", "visible"])("W4 K1 does not wait for its next try: %s", async (how) => {
    const { online, show } = page();
    // The wait after the fourth failure, of 400 to 800 ms, never ends by itself.
    const setTimer = globalThis.setTimeout;
    const isFourth = (ms: number) => ms >= 400 && ms <= 800;
    const held = (then: () => void, ms = 0, ...args: []) =>
      setTimer(then, isFourth(ms) ? 2 ** 31 - 1 : ms, ...args);
    vi.stubGlobal("setTimeout", held);
    const served = await serve(scriptedModel([{ text: "One." }]));
    const first = clientOf(served);
    await first.send("Hi");
    const { sessionId = "" } = await when(first, isIdle);
    let isDown = true;
    let tries = 0;
    const client = clientOf(served, {
      sessionId,
      fetch: async (input, init) => {
        tries += 1;
        if (isDown) throw new TypeError("Failed to fetch");
        return await fetch(input, init);
      },
    });
    await when(client, () => tries === 4);
    isDown = false;
    show("hidden");
    await quiet();
    expect(tries).toBe(4);
    if (how === "online") online();
    else show("visible");
    await expect.poll(() => tries).toBe(5);
    await when(client, ({ connection }) => connection === "open");
    expect(lastText(client.getState())).toBe("One.");
  });

  it("W4 leaves no listener behind", async () => {
    const { document, online, show } = page();
    const removed = vi.spyOn(document, "removeEventListener");
    for (const end of [online, () => show("visible")]) {
      const waiting = pause(60_000, new AbortController().signal);
      end();
      await waiting;
    }
    await pause(1, new AbortController().signal);
    await pause(60_000, AbortSignal.abort());
    expect(removed).toHaveBeenCalledTimes(4);
  });
});

describe("a connection that only looks open", () => {
  it("W1 W4 is given up after three of the heartbeats that the server has announced", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }]), { heartbeatMs: 60_000 });
    const first = clientOf(served);
    await first.send("Hi");
    const { sessionId = "" } = await when(first, isIdle);
    let streams = 0;
    const deaf = tampered("/stream", (response, n) => {
      streams = n;
      // What the server says of its heartbeats arrives, and nothing after it.
      const announced = (text: string) => (text.startsWith(": pawl") ? ": pawl heartbeat=600\n\n" : "");
      return n === 1 ? rewritten(response, (text) => ({ text: announced(text) })) : response;
    });
    const client = clientOf(served, { sessionId, fetch: deaf });
    await when(client, ({ connection }) => connection === "open");
    const began = performance.now();
    await first.send("More");
    await when(client, (state) => lastText(state) === "Two." && isIdle(state));
    expect(streams).toBe(2);
    expect(performance.now() - began).toBeGreaterThan(1_500);
  });
});
