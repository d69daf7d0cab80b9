import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import { until } from "../../../../../test/support/until.ts";
import {
  memoryBlobs,
  memoryStore,
  readShown,
  type SessionEvent,
  type ToolContext,
  tool,
} from "../../../src/index.ts";
import { newView, reduceView } from "../../../src/view.ts";
import { named } from "../../support/hooks.ts";
import { type Setup, setup, user } from "../../support/setup.ts";

const order = tool({
  name: "order",
  description: "Orders.",
  input: z.object({}),
  execute: async (_, { append, callId }: ToolContext) => {
    await append({
      type: "shop.ordered",
      data: { call_id: callId, what: "secret roses", price: 4711008151 },
    });
    return "secret roses are ordered";
  },
});

/** Asks about the run, stores what it is told in events of its own, and ends the second run with words of its own. */
const asks = named("asks", {
  beforeRun: async ({ run, answer, append, runId }) => {
    if (run.params.ends === true) return { stop: { type: "blocked", message: "secret reason" } };
    if (answer === undefined)
      return { ask: { kind: "which", payload: { question: "secret question" }, answer: z.string() } };
    const call_id = run.asked.at(-1)?.callId ?? "";
    await append({ type: "shop.answer", data: { call_id, text: answer }, key: `shop:${runId}` });
    await append({ type: "shop.list", data: ["secret list", { "secret name": 1 }] });
    await append({ type: "shop.number", data: 4711008151 });
    await append({ type: "note", data: { text: "secret note" } });
    return undefined;
  },
});

const script = [{ tools: [{ name: "order", id: "toolu_1" }] }, { text: "Done." }, { text: "Later." }];

async function told(store = memoryStore()): Promise<{ world: Setup; sessionId: string }> {
  const options = { store, blobs: memoryBlobs() };
  const world = setup(script, { tools: [order], hooks: [asks] }, options);
  const { sessionId, pending } = await world.say("secret message");
  await world.answer(sessionId, pending[0]?.callId ?? "", "secret answer");
  return { world, sessionId };
}

/** All places where people and programs read a session. */
async function everywhere(world: Setup, sessionId: string): Promise<Record<string, string>> {
  const { messages, pending, run } = await world.pawl.view(sessionId, user);
  const followed: SessionEvent[] = [];
  for await (const event of world.pawl.follow(sessionId, { untilIdle: true })) followed.push(event);
  const fork = await world.pawl.fork(sessionId, user);
  return {
    view: JSON.stringify([messages, pending, run]),
    followed: JSON.stringify(followed),
    replayed: JSON.stringify(followed.reduce(reduceView, newView())),
    read: JSON.stringify(await Array.fromAsync(readShown(world.store, sessionId))),
    forked: JSON.stringify(await Array.fromAsync(world.store.read(fork.id))),
  };
}

async function expectGone(world: Setup, sessionId: string, secret: string): Promise<void> {
  for (const [place, text] of Object.entries(await everywhere(world, sessionId)))
    expect(text, place).not.toContain(secret);
}

const seqOf = async (world: Setup, sessionId: string, type: string) =>
  (await world.log(sessionId)).findLast((event) => event.type === type)?.seq ?? 0;

describe("E2 a redaction of an extension's event", () => {
  it.each(["shop.ordered", "shop.list", "shop.number"])(
    "hides all data of %s, also numbers and the names of fields",
    async (type) => {
      const { world, sessionId } = await told();
      const seq = await seqOf(world, sessionId, type);
      await world.pawl.redact(sessionId, seq, user);
      const shown = (await Array.fromAsync(readShown(world.store, sessionId)))[seq - 1];
      expect(shown).toMatchObject({ type, seq });
      expect(shown?.data).toEqual({});
      if (type === "shop.list") await expectGone(world, sessionId, "secret list");
      if (type === "shop.list") await expectGone(world, sessionId, "secret name");
      await world.say("Go on", { sessionId, params: { ends: true } });
      await assertRebuilds([await world.log(sessionId)], world.model.requests);
    },
  );

  it("is what hooks, tools and connected readers get", async () => {
    const { world, sessionId } = await told();
    const live: SessionEvent[] = [];
    const abort = new AbortController();
    const reading = (async () => {
      for await (const event of world.pawl.follow(sessionId, { signal: abort.signal })) live.push(event);
    })().catch(() => undefined);
    await until(() => live.length > 0);
    const seq = await seqOf(world, sessionId, "shop.list");
    await world.pawl.redact(sessionId, seq, user);
    await until(() => live.some(({ type }) => type === "redaction"));
    abort.abort();
    await reading;
    expect(live.findLast(({ type }) => type === "redaction")).toMatchObject({
      data: { seq, of: "shop.list" },
    });

    let read = "";
    const reader = named("reads", {
      beforeRun: async (context) => {
        for await (const event of context.read()) read += JSON.stringify(event);
        return { stop: { type: "blocked", message: "x" } };
      },
    });
    const next = setup([], { hooks: [reader] }, { store: world.store });
    await next.say("And?", { sessionId });
    expect(read).toContain("secret message");
    expect(read).not.toContain("secret list");
  });

  it("is made with that of the call or the question whose `call_id` it has", async () => {
    const { world, sessionId } = await told();
    await world.pawl.redact(sessionId, await seqOf(world, sessionId, "tool_result"), user);
    await expectGone(world, sessionId, "secret roses");
    await world.pawl.redact(sessionId, await seqOf(world, sessionId, "tool_suspended"), user);
    await expectGone(world, sessionId, "secret question");
    await expectGone(world, sessionId, "secret answer");
    const redacted = (await world.of(sessionId, "redaction")).map(({ data }) => data.of);
    expect(redacted).toEqual([
      "shop.ordered",
      "tool_result",
      "tool_suspended",
      "tool_answered",
      "shop.answer",
    ]);
  });
});

describe("E2 a redaction of a range", () => {
  it("hides a whole run: messages, questions, notes, extensions' events and the words of its end", async () => {
    const { world, sessionId } = await told();
    await world.say("secret message two", { sessionId, params: { ends: true } });
    const { length } = await world.log(sessionId);
    await world.pawl.redact(sessionId, 1, { ...user, throughSeq: length });
    await expectGone(world, sessionId, "secret");
    await expectGone(world, sessionId, "4711008151");
    // What is redacted already is not redacted again; there is nothing left.
    const redactions = (await world.of(sessionId, "redaction")).map(({ data }) => data.seq);
    expect(new Set(redactions).size).toBe(redactions.length);
    await expect(world.pawl.redact(sessionId, 1, { ...user, throughSeq: length })).rejects.toMatchObject({
      code: "invalid_input",
    });
    const next = setup([{ text: "Hello." }, { text: "x" }], {}, { store: world.store });
    const { stop } = await next.say("Hi", { sessionId });
    expect(stop.type).toBe("end_turn");
    expect(JSON.stringify(next.model.requests)).not.toContain("secret");
    expect(next.model.rejected).toEqual([]);
    await assertRebuilds([await world.log(sessionId)], [...world.model.requests, ...next.model.requests]);
  });

  it("keeps events outside of the range, and user data", async () => {
    const world = setup([{ text: "One." }, { text: "Two." }], {
      userData: { read: () => "Ada likes roses." },
    });
    const { sessionId } = await world.say("first");
    const { length } = await world.log(sessionId);
    await world.say("second", { sessionId });
    await world.pawl.redact(sessionId, 1, { ...user, throughSeq: length });
    const { read = "" } = await everywhere(world, sessionId);
    expect(read).not.toContain("first");
    for (const kept of ["second", "Two.", "Ada likes roses."]) expect(read).toContain(kept);
  });

  it.each([0, 0.5, 2, "3", null])("is refused if it ends at %j", async (throughSeq) => {
    const { world, sessionId } = await told();
    await expect(
      world.pawl.redact(sessionId, 3, { ...user, throughSeq: throughSeq as number }),
    ).rejects.toMatchObject({ code: "invalid_input" });
    expect(await world.of(sessionId, "redaction")).toEqual([]);
  });

  it.each([undefined, Number.NaN, null, 0, -1, 1.5, "3"])(
    "is refused if it begins at %j, with and without an end, and nothing is redacted",
    async (seq) => {
      const { world, sessionId } = await told();
      for (const range of [{}, { throughSeq: 3 }])
        await expect(
          world.pawl.redact(sessionId, seq as number, { ...user, ...range }),
        ).rejects.toMatchObject({ code: "invalid_input" });
      expect(await world.of(sessionId, "redaction")).toEqual([]);
    },
  );

  it("of the end of a run is shown in its result and its view, also live", async () => {
    const { world, sessionId } = await told();
    await world.say("again", { sessionId, params: { ends: true }, clientMessageId: "m" });
    const before = await world.pawl.view(sessionId, user);
    expect(JSON.stringify(before.messages)).toContain("secret reason");
    await world.pawl.redact(sessionId, await seqOf(world, sessionId, "run_ended"), user);
    await expectGone(world, sessionId, "secret reason");
    const again = await world.say("again", { sessionId, clientMessageId: "m" });
    expect(again.stop).toMatchObject({ type: "blocked", message: "[redacted]" });
  });
});
