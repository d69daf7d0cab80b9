import { approval, type JsonObject, jsonSchema, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../test/support/printed.ts";
import { answerable } from "../src/index.ts";
import {
  clientOf,
  confirm,
  expectSame,
  handModel,
  isIdle,
  isSuspended,
  lastText,
  phasesOf,
  serve,
  tampered,
  when,
} from "./support/clients.ts";

const question = { id: "c1", name: "confirm", input: { question: "Sure?" } };

describe("a conversation", () => {
  it("K1 shows the message at once, the text as it is written, and in the end the server's view", async () => {
    const model = handModel();
    const served = await serve(model);
    const client = clientOf(served, { newId: () => "m1" });
    expect(client.getState()).toMatchObject({
      phase: "idle",
      connection: "offline",
      messages: [],
      cursor: 0,
    });
    const phases = phasesOf(client);
    const sending = client.send("Hi there");
    expect(client.getState()).toMatchObject({
      phase: "submitting",
      messages: [{ id: "m1", role: "user", text: "Hi there", seq: 0 }],
    });
    expect(await sending).toBe(true);
    const turn = await model.turn();
    turn.say("Hello ");
    await when(client, (state) => lastText(state) === "Hello");
    turn.say("Ada.");
    const state = await when(client, (now) => lastText(now) === "Hello Ada.");
    expect(state).toMatchObject({ phase: "streaming", connection: "open" });
    expect(state.messages.map(({ id }) => id)).toEqual(["m1", `run:${state.run?.id}`]);
    turn.end();
    await when(client, isIdle);
    expect(phases).toEqual(["idle", "submitting", "streaming", "idle"]);
    await expectSame(served, client);
  });

  it("X2 sends fields of the application's own with a message, also when it is sent again", async () => {
    const sent: unknown[] = [];
    const extra = {
      fields: ["screen"],
      read: (fields: JsonObject) => {
        sent.push(fields);
        return { params: fields };
      },
    };
    const served = await serve(scriptedModel([{ text: "Hello." }, { text: "Again." }]), { extra });
    const lost = tampered("/runs", (response, n) => (n === 1 ? new Response("", { status: 503 }) : response));
    const client = clientOf(served, { fetch: lost });
    // What names the message stays the client's.
    expect(await client.send("Hi", { extra: { screen: "a card", input: "forged" } })).toBe(true);
    const { sessionId } = await when(client, isIdle);
    await client.send("Bye");
    await when(client, (state) => lastText(state) === "Again.");
    expect(sent).toEqual([{ screen: "a card" }, { screen: "a card" }]);
    const log = await Array.fromAsync(served.store.read(sessionId ?? "", { types: ["user_message"] }));
    expect(log.map(({ data }) => data)).toEqual([
      { message: "Hi", params: { screen: "a card" } },
      { message: "Bye" },
    ]);
  });

  it("K1 K2 K5 shows when tools are running, and separates the text of turns", async () => {
    const gate = Promise.withResolvers<string>();
    const slow = tool({
      name: "slow",
      description: "Takes its time.",
      input: jsonSchema({ type: "object" }),
      execute: () => gate.promise,
    });
    const model = handModel();
    const served = await serve(model, { tools: [slow] });
    const client = clientOf(served);
    const phases = phasesOf(client);
    await client.send("Hi");
    const first = await model.turn();
    first.say("Let me see.");
    first.end([
      { id: "t1", name: "slow", input: {} },
      { id: "t2", name: "slow", input: {} },
    ]);
    const busy = await when(client, ({ runningTools }) => Object.keys(runningTools).length === 2);
    expect(busy.phase).toBe("toolExecuting");
    gate.resolve("found");
    const second = await model.turn();
    second.say("So.");
    second.end();
    const state = await when(client, isIdle);
    expect(lastText(state)).toBe("Let me see.\n\nSo.");
    expect(state.runningTools).toEqual({});
    expect(phases.filter((phase) => phase !== "streaming")).toEqual([
      "idle",
      "submitting",
      "toolExecuting",
      "idle",
    ]);
    await expectSame(served, client);
  });

  it("K1 shows a tool's progress while it runs, and no longer", async () => {
    const gate = Promise.withResolvers<string>();
    const slow = tool({
      name: "slow",
      description: "Takes its time.",
      input: jsonSchema({ type: "object" }),
      execute: (_, { progress }) => {
        progress({ percent: 50 });
        return gate.promise;
      },
    });
    const served = await serve(scriptedModel([{ tools: [{ name: "slow" }] }, { text: "So." }]), {
      tools: [slow],
    });
    const client = clientOf(served);
    await client.send("Hi");
    const parts = () => client.getState().messages.at(-1)?.parts;
    await when(client, () => JSON.stringify(parts()).includes('"percent":50'));
    expect(parts()).toMatchObject([{ type: "tool", phase: "running", progress: { percent: 50 } }]);
    gate.resolve("found");
    await when(client, isIdle);
    await expectSame(served, client);
  });

  it("P1 P2 K3 asks, accepts one answer, and continues", async () => {
    const served = await serve(scriptedModel([{ text: "Well,", tools: [question] }, { text: "Done." }]));
    const client = clientOf(served);
    await client.send("Do it");
    const state = await when(client, isSuspended);
    expect(state.pending).toMatchObject([{ callId: "c1", kind: "confirm", payload: { question: "Sure?" } }]);
    await expectSame(served, client);
    const answers = [true, false, true].map((yes) => client.answer("c1", { yes }));
    expect(client.getState().phase).toBe("submitting");
    expect(await Promise.all(answers)).toEqual([true, false, false]);
    expect(lastText(await when(client, isIdle))).toBe("Well,\n\nDone.");
    expect(await client.answer("c1", { yes: true })).toBe(false);
    await expectSame(served, client);
  });

  it("P4 sends the question's number with an answer: a call may ask again before a repeated answer arrives", async () => {
    const served = await serve(scriptedModel([{ tools: [question] }, { text: "Done." }]));
    const sent: string[] = [];
    const client = clientOf(served, {
      fetch: async (input, init) => {
        if (typeof init?.body === "string") sent.push(init.body);
        return await fetch(input, init);
      },
    });
    await client.send("Do it");
    const { pending } = await when(client, isSuspended);
    await client.answer("c1", { yes: true });
    await when(client, isIdle);
    expect(JSON.parse(sent.at(-1) ?? "")).toMatchObject({
      answers: [{ callId: "c1", question: pending[0]?.seq }],
    });
  });

  it("P4 an `answer` function that was kept answers its own question, never the call's next one", async () => {
    const served = await serve(scriptedModel([{ tools: [question] }, { text: "Done." }]), {
      hooks: [approval({ when: ["confirm"] })],
    });
    const client = clientOf(served);
    await client.send("Do it");
    const { pending } = await when(client, isSuspended);
    const [held] = answerable(pending, client);
    expect(await held?.answer({ approved: true })).toBe(true);
    const { pending: next } = await when(client, (state) => isSuspended(state) && state.pending !== pending);
    expect(next).toMatchObject([{ callId: "c1", kind: "confirm" }]);
    expect(await held?.answer({ yes: false })).toBe(false);
    expect(client.getState()).toMatchObject({ pending: next, error: { code: "unknown_call", callId: "c1" } });
    const [asked] = answerable(next, client);
    expect(await asked?.answer({ yes: true })).toBe(true);
    expect(lastText(await when(client, isIdle))).toContain("Done.");
  });

  it("P2 reports that a tool of the page failed, also through the question itself", async () => {
    const tools = [question, { ...question, id: "c2" }];
    const model = scriptedModel([{ tools }, { text: "A pity." }]);
    const served = await serve(model);
    const client = clientOf(served);
    await client.send("Do it");
    const { pending } = await when(client, (state) => isSuspended(state) && state.pending.length === 2);
    expect(await client.fail("c1", "No camera.")).toBe(true);
    const held = answerable(pending, client).find(({ callId }) => callId === "c2");
    expect(await held?.fail("No light.")).toBe(true);
    await when(client, (state) => isIdle(state) && lastText(state) === "A pity.");
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: "No camera." },
      { is_error: true, content: "No light." },
    ]);
    expect(await client.fail("c1", "Again.")).toBe(false);
    await expectSame(served, client);
  });

  it("P4 takes answers to several questions side by side", async () => {
    const tools = ["c1", "c2", "c3"].map((id) => ({ ...question, id }));
    const served = await serve(scriptedModel([{ tools }, { text: "Done." }]));
    const client = clientOf(served);
    await client.send("Do it");
    await when(client, ({ pending, phase }) => pending.length === 3 && phase === "suspended");
    const answers = await Promise.all(["c3", "c1", "c2"].map((id) => client.answer(id, { yes: true })));
    expect(answers).toEqual([true, true, true]);
    await when(client, (state) => isIdle(state) && lastText(state) === "Done.");
    await expectSame(served, client);
  });

  it("P5 keeps asking when an answer is refused", async () => {
    const served = await serve(scriptedModel([{ tools: [question] }, { text: "Done." }]));
    const client = clientOf(served);
    await client.send("Do it");
    await when(client, isSuspended);
    expect(await client.answer("c1", "perhaps")).toBe(false);
    expect(client.getState()).toMatchObject({
      phase: "suspended",
      error: { code: "invalid_answer", callId: "c1" },
      pending: [{ callId: "c1" }],
    });
    expect(await client.answer("c1", { yes: true })).toBe(true);
    expect((await when(client, isIdle)).error).toBeUndefined();
  });

  it("P6 sends a message while a question is open", async () => {
    const served = await serve(scriptedModel([{ tools: [question] }, { text: "As you like." }]));
    const client = clientOf(served);
    await client.send("Do it");
    await when(client, isSuspended);
    const phases = phasesOf(client);
    await client.send("Something else");
    await when(client, isIdle);
    expect(phases.indexOf("idle")).toBe(phases.length - 1);
    expect(phases.slice(0, 2)).toEqual(["suspended", "submitting"]);
    expect(client.getState().pending).toEqual([]);
    await expectSame(served, client);
  });

  it("L9 stops, also while the message is in flight", async () => {
    const model = handModel();
    const served = await serve(model);
    const client = clientOf(served);
    const sent = client.send("Hi");
    const stopped = client.stop();
    await Promise.all([sent, stopped]);
    await when(client, ({ run }) => run?.stop?.type === "aborted");
    await expectSame(served, client);
  });

  it("is in error after a run that failed, until the next message", async () => {
    expectPrinted("pawl: no model");
    const served = await serve(
      scriptedModel((_, n) => {
        if (n === 0) throw new Error("no model");
        return { text: "There." };
      }),
    );
    const client = clientOf(served);
    await client.send("Hi");
    const state = await when(client, ({ phase }) => phase === "error");
    expect(state.messages.at(-1)?.parts).toMatchObject([{ type: "notice" }]);
    await client.send("Again");
    await when(client, isIdle);
    await expectSame(served, client);
  });
});

describe("sending", () => {
  it("K3 refuses a second message at once while the first is in flight", async () => {
    const served = await serve(scriptedModel([{ text: "Once." }]));
    const client = clientOf(served);
    const results = await Promise.all([client.send("Hi"), client.send("Hi"), client.send("Hi")]);
    expect(results).toEqual([true, false, false]);
    await when(client, isIdle);
    expect(client.getState().messages.filter(({ role }) => role === "user")).toHaveLength(1);
    expect(await client.send("  ")).toBe(false);
  });

  it("removes a refused message and returns its text", async () => {
    const model = handModel();
    const served = await serve(model);
    const client = clientOf(served);
    await client.send("Hi");
    const turn = await model.turn();
    const other = clientOf(served, { sessionId: client.getState().sessionId ?? "" });
    await when(other, ({ messages, connection }) => messages.length === 1 && connection === "open");
    expect(await other.send("Me too")).toBe(false);
    expect(other.getState()).toMatchObject({
      phase: "streaming",
      error: { code: "session_busy", text: "Me too" },
      messages: [{ text: "Hi" }],
    });
    turn.say("Hello.");
    turn.end();
    await when(other, ({ run }) => run?.open === false);
    await when(client, isIdle);
    await expectSame(served, client, other);
  });

  it("shows the actions of other tabs while it is idle", async () => {
    const served = await serve(scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]));
    const one = clientOf(served);
    await one.send("First");
    const { sessionId = "" } = await when(one, isIdle);
    const two = clientOf(served, { sessionId });
    await when(two, ({ connection }) => connection === "open");
    await two.send("Second");
    await when(one, (state) => lastText(state) === "Two." && isIdle(state));
    await one.send("Third");
    for (const tab of [one, two]) await when(tab, (state) => lastText(state) === "Three." && isIdle(state));
    await expectSame(served, one, two);
  });

  it("P4 K3 of two tabs that answer, one wins, and both show the same", async () => {
    for (let round = 0; round < 5; round += 1) {
      const served = await serve(scriptedModel([{ tools: [question] }, { text: "Done." }]), {
        tools: [confirm],
      });
      const one = clientOf(served);
      await one.send("Do it");
      const { sessionId = "" } = await when(one, isSuspended);
      const two = clientOf(served, { sessionId });
      await when(two, isSuspended);
      const results = await Promise.all([one.answer("c1", { yes: true }), two.answer("c1", { yes: false })]);
      expect(results.filter(Boolean)).toHaveLength(1);
      const loser = results[0] ? two : one;
      expect(loser.getState().error).toMatchObject({ code: "already_answered", callId: "c1" });
      for (const client of [one, two])
        await when(client, (state) => lastText(state) === "Done." && !state.run?.open);
      await expectSame(served, one, two);
    }
  });
});
