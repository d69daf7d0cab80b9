import { jsonSchema, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it, vi } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { aspClient, lastText, settled, when } from "../../../client/test/support/asp.ts";
import { asp, coach, metrics, trainer } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, type HandlerOptions } from "../../src/index.ts";
import { errorOf, httpAgent, say, talk } from "../support/agents.ts";
import { chat, eventually, textOf } from "../support/chat.ts";
import { type Served, serve } from "../support/served.ts";

const words = "word ".repeat(60).trimEnd();
const slowly = () => scriptedModel(() => ({ text: words, deltas: 60, delayPerEventMs: 15 }));
const SIGNED_OUT = "You are not signed in any more. Please sign in again.";

/** Serves in a dialect to a user who can be signed out, and back in. */
async function servedTo(dialect: Dialect, options: Partial<HandlerOptions> = {}) {
  const user = { isSignedIn: true };
  const authorize = vi.fn<HandlerOptions["authorize"]>(() => (user.isSignedIn ? { userId: "ada" } : null));
  const served = await serve(slowly(), { dialect, reauthorizeMs: 150, authorize, ...options });
  return { served, user, authorize };
}

const saying = ({ ask }: Served) => ask("/runs", { json: { message: "go" } });

const hold = tool({
  name: "hold",
  description: "Lasts until the run is stopped.",
  input: jsonSchema({ type: "object" }),
  execute: (_input, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
});

describe.each([6, 7] as const)("a long stream of the AI SDK %i", (version) => {
  it("B5 W2 is authorized again now and then, and lasts as long as its run", async () => {
    const { served, authorize } = await servedTo(aiSdk());
    const page = chat(version, served);
    await page.sendMessage({ text: "go" });
    expect([page.error, textOf(page.messages.at(-1))]).toEqual([undefined, words]);
    expect(authorize.mock.calls.length).toBeGreaterThan(3);
    expect(new Set(authorize.mock.calls.map(([request]) => request)).size).toBe(1);
    expect(served.errors).toEqual([]);
  });

  it("B5 W2 ends with an error for a user who was signed out, and is read on after the next sign-in", async () => {
    const { served, user } = await servedTo(aiSdk());
    const page = chat(version, served);
    const sending = page.sendMessage({ text: "go" });
    await eventually(() => textOf(page.messages.at(-1)).includes("word"));
    user.isSignedIn = false;
    await sending;
    expect([page.status, page.error?.message]).toEqual(["error", SIGNED_OUT]);
    expect(textOf(page.messages.at(-1)).length).toBeLessThan(words.length - 50);
    user.isSignedIn = true;
    await page.resumeStream();
    expect(textOf(page.messages.at(-1))).toBe(words);
    expect(served.errors).toEqual([]);
  });
});

describe.each(["0.0.59", "1.0"] as const)("a long stream of AG-UI %s", (version) => {
  it("B5 W2 lasts while its user is signed in, and ends with an error afterwards", async () => {
    const { served, user, authorize } = await servedTo(agUi());
    const agent = httpAgent(version, served);
    expect(errorOf(await say(agent, "go"))).toBeUndefined();
    expect(talk(agent).at(-1)).toBe(`assistant ${words}`);
    expect(authorize.mock.calls.length).toBeGreaterThan(3);
    const answer = say(agent, "once more");
    await eventually(
      () => talk(agent).at(-1)?.startsWith("assistant word word") === true && talk(agent).length > 3,
    );
    user.isSignedIn = false;
    const events = await answer;
    expect(errorOf(events)).toBe(SIGNED_OUT);
    expect(events.find(({ type }) => type === "RUN_ERROR")?.code).toBe("unauthorized");
    expect(talk(agent).at(-1)?.length).toBeLessThan(words.length - 50);
    expect(served.errors).toEqual([]);
  });
});

describe("a long stream of ASP v2", () => {
  it("B5 W2 ends with an error for a user who was signed out, and is read on after the next sign-in", async () => {
    const { served, user } = await servedTo(asp());
    const client = aspClient(served);
    await client.send("go");
    await when(client, (state) => lastText(state).includes("word"));
    user.isSignedIn = false;
    const { phase, messages } = await settled(client);
    expect([phase, messages.at(-1)?.parts.at(-1)]).toMatchObject(["error", { text: SIGNED_OUT }]);
    user.isSignedIn = true;
    await client.retry();
    expect(lastText(await settled(client))).toBe(words);
  });
});

describe("a stream whose user was signed out", () => {
  const lasts: [Dialect, string][] = [
    [asp(), JSON.stringify({ type: "error", message: SIGNED_OUT })],
    [metrics(), JSON.stringify({ type: "error", code: "unauthorized", message: SIGNED_OUT })],
    [trainer(), JSON.stringify({ type: "error", message: SIGNED_OUT })],
    [coach(), `${JSON.stringify({ error: SIGNED_OUT })}\n\ndata: [DONE]`],
  ];

  it.each(lasts.map(([dialect, last]) => [dialect.name, dialect, last] as const))(
    "B5 W2 has the error of its dialect as its last event: %s",
    async (_, dialect, last) => {
      const { served, user } = await servedTo(dialect);
      const response = await saying(served);
      user.isSignedIn = false;
      expect((await response.text()).endsWith(`data: ${last}\n\n`)).toBe(true);
    },
  );

  it.each([
    ["another user", () => ({ userId: "eve" })],
    ["a response", () => new Response(null, { status: 403 })],
  ])("B5 ends too if authorize() returns %s", async (_, refuse) => {
    const { served, authorize } = await servedTo(asp());
    const response = await saying(served);
    authorize.mockImplementation(refuse);
    expect(await response.text()).toContain(SIGNED_OUT);
  });

  it("B5 ends while its run is silent, and so does a stream that only reads", async () => {
    const model = scriptedModel([{ tools: [{ name: "hold", input: {} }] }, { text: "Done." }]);
    let isSignedIn = true;
    const authorize = () => (isSignedIn ? { userId: "ada" } : null);
    const served = await serve(model, { dialect: asp(), tools: [hold], reauthorizeMs: 150, authorize });
    const first = await saying(served);
    const sessionId = first.headers.get("x-pawl-session") ?? "";
    const second = await served.ask(`/runs/${sessionId}/stream`);
    isSignedIn = false;
    for (const response of [first, second]) expect(await response.text()).toContain(SIGNED_OUT);
    await served.runtime.stop(sessionId, { userId: "ada" });
  });

  it("B5 breaks off in a dialect without such an error", async () => {
    const dialect = asp();
    const encoder: Dialect["encoder"] = (context) => {
      const { begin, encode, end } = dialect.encoder(context);
      return { begin, encode, end };
    };
    const { served, user } = await servedTo({ ...dialect, encoder });
    const response = await saying(served);
    user.isSignedIn = false;
    expectPrinted("The stream broke off.");
    await expect(response.text()).rejects.toThrow();
    expect(served.errors).toEqual([]);
  });
});

describe("a long stream whose user cannot be authorized", () => {
  it("B5 breaks off if authorize() fails, which is reported", async () => {
    const { served, authorize } = await servedTo(asp());
    const response = await saying(served);
    const failure = new Error("The issuer is down.");
    authorize.mockRejectedValue(failure);
    expectPrinted("The stream broke off.");
    await expect(response.text()).rejects.toThrow();
    expect(served.errors).toEqual([failure]);
  });

  it("B5 sends nothing while authorize() is pending", async () => {
    const { served, authorize } = await servedTo(asp());
    const { promise, resolve } = Promise.withResolvers<null>();
    const response = await saying(served);
    const asked = Promise.withResolvers<void>();
    authorize.mockImplementation(() => {
      asked.resolve();
      return promise;
    });
    const text = response.text();
    await asked.promise;
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    await eventually(
      async () => (await served.runtime.view(sessionId, { userId: "ada" })).run?.open === false,
    );
    resolve(null);
    expect((await text).split("word").length).toBeLessThan(55);
  });

  it("B5 is not authorized again if `reauthorizeMs` is Infinity", async () => {
    const { served, authorize } = await servedTo(aiSdk(), { reauthorizeMs: Number.POSITIVE_INFINITY });
    await chat(7, served).sendMessage({ text: "go" });
    expect(authorize).toHaveBeenCalledTimes(1);
  });

  it("B5 is not authorized again if nobody reads it, as after HEAD", async () => {
    const { served, authorize } = await servedTo(asp(), { reauthorizeMs: 20 });
    const response = await saying(served);
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    await response.text();
    authorize.mockClear();
    await served.ask(`/runs/${sessionId}/stream`, { method: "HEAD" });
    await pause(100, "five times as long as a stream lives");
    expect(authorize).toHaveBeenCalledTimes(1);
  });

  it("B5 does not stop the run of a user who may come back", async () => {
    const { served, user } = await servedTo(asp(), { onClientGone: "stop" });
    const response = await saying(served);
    user.isSignedIn = false;
    await response.text();
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    const run = async () => (await served.runtime.view(sessionId, { userId: "ada" })).run;
    await eventually(async () => (await run())?.open === false);
    expect((await run())?.stop?.type).toBe("end_turn");
  });
});
