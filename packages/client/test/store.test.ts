import { scriptedModel } from "@pawl/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { batch } from "../src/state/batch.ts";
import { backoffMs } from "../src/wire/backoff.ts";
import {
  clientOf,
  expectSame,
  handModel,
  isIdle,
  isSuspended,
  lastText,
  serve,
  when,
} from "./support/clients.ts";

afterEach(() => vi.unstubAllGlobals());

const frame = () => pause(70, "longer than the client collects changes, none of which must come");

describe("the state", () => {
  it("K4 stays the same object until something changes, and so does every message that did not", async () => {
    const model = handModel();
    const served = await serve(model);
    const client = clientOf(served);
    await client.send("Hi");
    const turn = await model.turn();
    turn.say("One");
    const before = await when(client, (state) => lastText(state) === "One");
    await frame();
    expect(client.getState()).toBe(before);
    turn.say(" two");
    const after = await when(client, (state) => lastText(state) === "One two");
    expect(after.messages[0]).toBe(before.messages[0]);
    expect(after.messages[1]).not.toBe(before.messages[1]);
    expect(before.messages[1]?.text).toBe("One");
    expect(after.pending).toBe(before.pending);
    turn.end();
    await when(client, isIdle);
  });

  it("K4 changes once per frame however many pieces come, and at once when the run is over", async () => {
    const text = Array.from({ length: 200 }, (_, n) => `word${n}`).join(" ");
    const served = await serve(scriptedModel([{ text, delayPerEventMs: 2 }]));
    let changes = 0;
    let events = 0;
    const counting = clientOf(served, {
      onEvent: () => {
        events += 1;
      },
    });
    counting.subscribe(() => {
      changes += 1;
    });
    await counting.send("Go");
    await when(counting, isIdle);
    expect(events).toBeGreaterThan(20);
    expect(changes).toBeLessThan(events / 2);
  });

  it("no longer calls a listener that has unsubscribed, and survives one that throws", async () => {
    const served = await serve(scriptedModel([{ text: "Hello." }]));
    const thrown: unknown[] = [];
    const setTimer = globalThis.setTimeout;
    const tell = (run: () => void) => {
      try {
        run();
      } catch (error) {
        thrown.push(error);
      }
    };
    vi.stubGlobal("setTimeout", (run: (...args: never[]) => void, ms?: number, ...args: never[]) =>
      setTimer(() => tell(() => run(...args)), ms),
    );
    const client = clientOf(served, {
      onEvent: () => {
        throw new Error("a listener's mistake");
      },
    });
    let calls = 0;
    const unsubscribe = client.subscribe(() => {
      calls += 1;
    });
    unsubscribe();
    await client.send("Hi");
    await when(client, isIdle);
    await frame();
    expect(calls).toBe(0);
    expect(thrown.length).toBeGreaterThan(3);
    await expectSame(served, client);
  });
});

describe("sessions", () => {
  it("opens another one, a new one, and the same one again", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]));
    const client = clientOf(served);
    await client.send("First");
    const first = await when(client, isIdle);
    client.open(undefined);
    expect(client.getState()).toMatchObject({ sessionId: undefined, messages: [], phase: "idle" });
    await client.send("Second");
    const second = await when(client, isIdle);
    expect(second.sessionId).not.toBe(first.sessionId);
    client.open(first.sessionId);
    expect(client.getState().messages).toEqual([]);
    await when(client, (state) => lastText(state) === "One." && state.connection === "open");
    const before = client.getState();
    client.open(first.sessionId);
    expect(client.getState()).toBe(before);
    client.close();
    expect(client.getState()).toMatchObject({ connection: "offline", messages: before.messages });
    client.open(first.sessionId);
    expect(client.getState().messages).toBe(before.messages);
    await client.send("More");
    await when(client, (state) => lastText(state) === "Three.");
    await expectSame(served, client);
  });

  it("K1 K3 a closed client sends nothing, and is not stuck when it is opened again", async () => {
    const question = { id: "c1", name: "confirm", input: { question: "Sure?" } };
    const served = await serve(scriptedModel([{ tools: [question] }, { text: "Done." }]));
    const client = clientOf(served);
    await client.send("Hi");
    const { sessionId } = await when(client, isSuspended);
    client.close();
    expect(await client.send("Again")).toBe(false);
    expect(await client.answer("c1", { yes: true })).toBe(false);
    expect(client.getState().phase).toBe("suspended");
    client.open(sessionId);
    expect(await client.answer("c1", { yes: true })).toBe(true);
    expect(lastText(await when(client, isIdle))).toBe("Done.");
    await expectSame(served, client);
  });

  it("shows nothing of a session that was closed", async () => {
    const model = handModel();
    const served = await serve(model);
    const client = clientOf(served);
    await client.send("Hi");
    const turn = await model.turn();
    client.open(undefined);
    turn.say("Too late");
    turn.end();
    await frame();
    expect(client.getState()).toMatchObject({ messages: [], sessionId: undefined, phase: "idle" });
  });
});

describe("batch", () => {
  it("K4 waits for the frame of a visible page", async () => {
    const frames: (() => void)[] = [];
    vi.stubGlobal("requestAnimationFrame", (callback: () => void) => frames.push(callback));
    vi.stubGlobal("cancelAnimationFrame", () => frames.splice(0));
    const work = vi.fn();
    const { soon, now } = batch(work);
    soon();
    soon();
    expect(frames).toHaveLength(1);
    frames.splice(0).forEach((draw) => {
      draw();
    });
    expect(work).toHaveBeenCalledTimes(1);
    soon();
    now();
    expect(work).toHaveBeenCalledTimes(2);
    await frame();
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("K4 does not wait for the frames of a hidden page, which never come", async () => {
    vi.stubGlobal("requestAnimationFrame", () => 1);
    const work = vi.fn();
    const { soon } = batch(work);
    soon();
    await frame();
    expect(work).toHaveBeenCalledTimes(1);
  });
});

describe("backoffMs", () => {
  it("doubles from 100 ms to 5 s, half of it at random", () => {
    expect([1, 2, 3, 6, 7, 50].map((n) => backoffMs(n, () => 1))).toEqual([100, 200, 400, 3200, 5000, 5000]);
    expect(backoffMs(1, () => 0)).toBe(50);
  });
});
