import { PawlError, withRetry } from "@pawl/core";
import { scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { expectPrinted } from "../../../test/support/printed.ts";
import { settled as quiet } from "../../../test/support/settled.ts";
import { aspClient, bare, expectSame, lastText, serveAsp, settled, when } from "./support/asp.ts";
import { handModel, type Served, serve, tampered } from "./support/clients.ts";

const stopOf = async ({ runtime }: Served, sessionId = "") =>
  (await runtime.view(sessionId, { userId: "ada" })).run?.stop?.type;
const userMessages = async (served: Served, sessionId = "") => {
  const { messages } = await served.runtime.view(sessionId, { userId: "ada" });
  return messages.filter(({ role }) => role === "user").map(({ text }) => text);
};

describe("X3 requests that are refused", () => {
  it("F18 has the body of a 402, gives the text back, and can be sent again", async () => {
    let isSpent = true;
    const served = await serveAsp(strictModel({ script: [{ text: "Hello." }] }), {
      admit: () => (isSpent ? Response.json({ error: "Budget spent", left: 0 }, { status: 402 }) : undefined),
    });
    const client = aspClient(served);
    expect(await client.send("Hi")).toBe(false);
    const { error, messages, phase } = client.getState();
    expect(error).toMatchObject({ status: 402, code: "quota_exceeded", message: "Budget spent", text: "Hi" });
    expect(error?.body).toEqual({ error: "Budget spent", left: 0 });
    expect({ messages, phase }).toEqual({ messages: [], phase: "error" });
    isSpent = false;
    expect(await client.retry()).toBe(true);
    const state = await settled(client);
    expect(state.error).toBeUndefined();
    expect(await userMessages(served, state.sessionId)).toEqual(["Hi"]);
  });

  it.each([
    [401, null, "unauthorized", "sign in"],
    [402, null, "quota_exceeded", "no room left"],
    [403, "no", "forbidden", "access"],
    [429, null, "rate_limited", "wait"],
    [500, null, "network", "500"],
    [402, { error: { code: "preview_used", message: "Your preview is used." } }, "preview_used", "is used"],
    [409, { message: "Busy." }, "network", "Busy."],
  ])("explains a %d with the body %j", async (status, body, code, words) => {
    const headers = { "retry-after": "7" };
    const fetch = async () =>
      body === null ? new Response("<html>", { status, headers }) : Response.json(body, { status, headers });
    const client = aspClient({ url: "http://x" }, { fetch });
    expect(await client.send("Hi")).toBe(false);
    expect(client.getState().error).toMatchObject({ code, status, retryAfterS: 7, text: "Hi" });
    expect(client.getState().error?.message).toContain(words);
  });

  it("explains the handler's own refusals: no user, no session, too many messages, a wrong path", async () => {
    const consume = () => Promise.reject({ msBeforeNext: 2_000 });
    const served = await serveAsp(scriptedModel([]), { rateLimit: { consume } });
    const nobody = aspClient(served, { headers: {} });
    await nobody.send("Hi");
    expect(nobody.getState().error).toMatchObject({ code: "unauthorized", status: 401 });
    const other = aspClient(served, { sessionId: "somebody-elses" });
    expect((await settled(other)).error).toMatchObject({ code: "not_found", status: 404 });
    const eager = aspClient(served);
    await eager.send("Hi");
    expect(eager.getState().error).toMatchObject({ code: "rate_limited", status: 429, retryAfterS: 2 });
    const lost = aspClient({ url: `${served.url}/v2` });
    await lost.send("Hi");
    expect(lost.getState().error?.message).toContain("url");
  });

  it("W4 a message whose response was lost is sent again and counts once", async () => {
    const served = await serveAsp(strictModel({ script: [{ text: "Hello." }] }));
    const fetch = tampered("/runs", (response, n) => {
      if (n === 1) throw new TypeError("network");
      return response;
    });
    const client = aspClient(served, { fetch });
    expect(await client.send("Hi")).toBe(false);
    expect(client.getState().error).toMatchObject({ code: "network", text: "Hi" });
    expect(await client.retry()).toBe(true);
    const { messages, sessionId } = await settled(client);
    expect(messages.map(({ text }) => text)).toEqual(["Hi", "Hello."]);
    expect(await userMessages(served, sessionId)).toEqual(["Hi"]);
  });

  it("names the dialect if the server speaks another one", async () => {
    const served = await serve(scriptedModel([{ text: "Hello." }]));
    const { fetch: send } = globalThis;
    const client = aspClient(served, {
      // The native handler refuses the body of ASP, so it is given its own.
      fetch: (url, init) => send(url, { ...init, ...(init?.body && { body: '{"input":"Hi"}' }) }),
    });
    await client.send("Hi");
    expect((await settled(client)).error).toMatchObject({ code: "protocol" });
    expect(client.getState().error?.message).toContain("asp()");
  });
});

describe("X3 runs that fail, stop and break off", () => {
  it("W4 says that the connection was lost, and reads on with retry()", async () => {
    const model = handModel();
    const served = await serveAsp(model);
    const client = aspClient(served);
    await client.send("Hi");
    const turn = await model.turn();
    turn.say("Well, ");
    await when(client, (state) => lastText(state) === "Well, ");
    for (const socket of served.sockets) socket.destroy();
    const { error, messages } = await settled(client);
    expect(error).toMatchObject({ code: "network", message: expect.stringContaining("try again") });
    expect(messages[1]?.parts).toMatchObject([{ text: "Well, ", open: false }]);
    const retried = client.retry();
    await when(client, ({ phase }) => phase === "streaming");
    turn.say("hello.");
    await when(client, (state) => lastText(state) === "Well, hello.");
    turn.end();
    expect(await retried).toBe(true);
    expect(await settled(client)).toMatchObject({ phase: "idle", error: undefined });
    await expectSame(served, client);
  });

  it("W4 a reloaded page reads a run in progress, with earlier messages and calls", async () => {
    const model = handModel();
    const served = await serveAsp(model);
    const first = aspClient(served);
    await first.send("Hi");
    (await model.turn()).end([{ id: "t1", name: "look", input: { what: "it" } }]);
    const turn = await model.turn();
    turn.say("Found ");
    const { sessionId } = await when(first, (state) => lastText(state) === "Found ");
    const client = aspClient(served, { sessionId });
    const state = await when(client, (now) => lastText(now) === "Found ");
    expect(state).toMatchObject({ phase: "streaming", loading: false });
    expect(bare(state.messages)).toEqual(bare(first.getState().messages));
    turn.say("it.");
    turn.end();
    await settled(first);
    await when(client, ({ phase, loading }) => phase === "idle" && !loading);
    await expectSame(served, client);
    await expectSame(served, first);
  });

  it("L12 runs a failed message again, keeps the results of tools, and stores the message once", async () => {
    expectPrinted("pawl: SECRET");
    const model = handModel();
    const served = await serveAsp(model);
    const client = aspClient(served);
    await client.send("Hi");
    (await model.turn()).end([{ id: "t1", name: "look", input: { what: "it" } }]);
    const turn = await model.turn();
    turn.say("Half");
    await when(client, (state) => lastText(state) === "Half");
    turn.fail(new PawlError("model_error", "SECRET"));
    const failed = await settled(client);
    expect(failed).toMatchObject({ phase: "error", stopReason: "error" });
    expect(failed.messages[1]?.parts.at(-1)).toMatchObject({ type: "notice" });
    expect(JSON.stringify(failed)).not.toContain("SECRET");
    const reloaded = await settled(aspClient(served, { sessionId: failed.sessionId }));
    expect(reloaded).toMatchObject({ phase: "error", stopReason: "error", error: undefined });
    expect(reloaded.messages[1]?.parts.at(-1)).toMatchObject({ type: "notice" });
    const retried = client.retry();
    const again = await model.turn();
    expect(await retried).toBe(true);
    again.say("Whole.");
    again.end();
    const state = await settled(client);
    expect(state).toMatchObject({ phase: "idle", stopReason: "end_turn" });
    expect(state.messages[1]?.parts).toMatchObject([{ callId: "t1", phase: "done" }, { text: "Whole." }]);
    expect(await userMessages(served, state.sessionId)).toEqual(["Hi"]);
    await expectSame(served, client);
    expect(await client.retry()).toBe(true);
    await expectSame(served, client);
  });

  it.each(["continue", "stop"] as const)(
    "L10 stop() ends the run, with onClientGone: %s",
    async (onClientGone) => {
      const model = handModel();
      const served = await serveAsp(model, { onClientGone });
      const client = aspClient(served);
      await client.send("Hi");
      (await model.turn()).say("Part of it");
      await when(client, (state) => lastText(state) === "Part of it");
      await client.stop();
      const { sessionId, phase, stopReason } = await settled(client);
      expect({ phase, stopReason }).toEqual({ phase: "idle", stopReason: "aborted" });
      expect(await stopOf(served, sessionId)).toBe("aborted");
      expect(lastText(client.getState())).toMatch(/^Part of it/);
      const retried = client.retry();
      const again = await model.turn();
      again.say("All of it");
      again.end();
      expect(await retried).toBe(true);
      await settled(client);
      await expectSame(served, client);
    },
  );

  it("L12 text that became void ends the stream, and retry() reads what the model writes instead", async () => {
    const model = handModel();
    const served = await serveAsp(withRetry(model, { sleep: async () => undefined }));
    const client = aspClient(served);
    await client.send("Hi");
    const turn = await model.turn();
    turn.say("Half of");
    await when(client, (state) => lastText(state) === "Half of");
    turn.fail(new PawlError("model_error", "SECRET", { details: { retryable: true } }));
    const next = await model.turn();
    const lost = await settled(client);
    expect(lost.messages[1]?.parts.at(-1)).toMatchObject({ type: "notice" });
    const retried = client.retry();
    next.say("Whole.");
    await when(client, (state) => lastText(state) === "Whole.");
    next.end();
    expect(await retried).toBe(true);
    expect(await settled(client)).toMatchObject({ phase: "idle", stopReason: "end_turn" });
    await expectSame(served, client);
  });

  it("L9 stop() during a request stops the run that it begins", async () => {
    const served = await serveAsp(handModel());
    const client = aspClient(served);
    const sent = client.send("Hi");
    await client.stop();
    expect(await sent).toBe(true);
    const { sessionId, stopReason } = await settled(client);
    expect([stopReason, await stopOf(served, sessionId)]).toEqual(["aborted", "aborted"]);
  });

  it("L10 a question survives the end of its stream, also if clients that are gone stop their runs", async () => {
    const model = strictModel({ script: [{ tools: [{ name: "confirm", input: { question: "Sure?" } }] }] });
    const served = await serveAsp(model, { onClientGone: "stop" });
    const client = aspClient(served);
    await client.send("Hi");
    const { sessionId } = await settled(client);
    await pause(1_500, "longer than a run without a reader continues");
    const { pending } = await served.runtime.view(sessionId ?? "", { userId: "ada" });
    expect(pending).toHaveLength(1);
  });

  it("sends the next message while the response before it has not ended yet", async () => {
    const tails: (() => void)[] = [];
    const fetch = async () => {
      const events = [{ type: "ack" }, { type: "text", text: "Hello." }];
      const end = { type: "message_stop", stop_reason: "end_turn" };
      const frames = (all: object[]) => all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
      const isFirst = tails.length === 0;
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(frames(isFirst ? [...events, end] : events)));
          tails.push(() => {
            const late = isFirst ? { type: "text", text: "Nobody waits for this." } : end;
            controller.enqueue(new TextEncoder().encode(frames([late])));
            controller.close();
          });
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const client = aspClient({ url: "http://x" }, { fetch });
    await client.send("One");
    await settled(client);
    expect(await client.send("Two")).toBe(true);
    await when(client, ({ messages }) => messages.length === 4);
    tails[0]?.();
    await quiet();
    expect(client.getState()).toMatchObject({ phase: "streaming", error: undefined });
    tails[1]?.();
    expect(await settled(client)).toMatchObject({ phase: "idle", error: undefined });
    expect(client.getState().messages.map(({ text }) => text)).toEqual(["One", "Hello.", "Two", "Hello."]);
  });

  it("L10 stop() closes the stream if the server cannot be asked, and close() leaves it", async () => {
    const model = handModel();
    const served = await serveAsp(model, { onClientGone: "stop" });
    const fetch: typeof globalThis.fetch = (url, init) =>
      String(url).endsWith("/stop") ? Promise.reject(new TypeError("no")) : globalThis.fetch(url, init);
    for (const end of ["stop", "close"] as const) {
      const client = aspClient(served, { fetch });
      await client.send("Hi");
      (await model.turn()).say("Part");
      const { sessionId } = await when(client, (state) => lastText(state) === "Part");
      await client[end]();
      await expect.poll(() => stopOf(served, sessionId), { timeout: 10_000 }).toBe("aborted");
      if (end === "stop")
        expect(client.getState()).toMatchObject({ stopReason: "aborted", error: { code: "network" } });
      expect(lastText(client.getState())).toBe("Part");
    }
  });
});
