import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import {
  clientOf,
  expectSame,
  isIdle,
  type Served,
  serve,
  serversMessages,
  when,
} from "./support/clients.ts";

/** A session in which the user has sent so many messages. */
async function talked(count: number): Promise<{ served: Served; sessionId: string }> {
  let turn = 0;
  const served = await serve(scriptedModel(() => ({ text: `Answer ${turn++}` })));
  let sessionId = "";
  for (let n = 0; n < count; n += 1) {
    const options = { userId: "ada", input: `Message ${n}`, ...(sessionId !== "" && { sessionId }) };
    ({ sessionId } = await served.runtime.run("coach", options).result);
  }
  return { served, sessionId };
}

const isOpen = ({ connection }: { connection: string }) => connection === "open";

/** A `fetch` that holds responses with older messages until they are released, and counts the requests. */
function heldOlder() {
  const held: (() => void)[] = [];
  const asked: string[] = [];
  let isHolding = true;
  const send: typeof fetch = async (input, init) => {
    const url = String(input);
    if (!url.includes("before=")) return await fetch(input, init);
    asked.push(url);
    const response = await fetch(input, init);
    if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
    return response;
  };
  const arrived = async () => await expect.poll(() => held.length).toBeGreaterThan(0);
  const release = async () => {
    await arrived();
    isHolding = false;
    for (const go of held) go();
  };
  return { send, asked, arrived, release };
}

/** A client whose requests for older messages do not reach the server until `repair()` is called. */
async function withoutOlder() {
  const { served, sessionId } = await talked(2);
  let isDown = true;
  const send: typeof fetch = async (input, init) => {
    if (isDown && String(input).includes("before=")) throw new TypeError("down");
    return await fetch(input, init);
  };
  const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
  await when(client, isOpen);
  const repair = () => {
    isDown = false;
  };
  return { client, served, repair };
}

describe("R5 a session opens with its last messages", () => {
  it("and older ones are put before them, each once, and nothing that is shown changes", async () => {
    const { served, sessionId } = await talked(5);
    const client = clientOf(served, { sessionId, pageSize: 4 });
    const opened = await when(client, isOpen);
    expect(opened.messages.map(({ text }) => text)).toEqual([
      "Message 3",
      "Answer 3",
      "Message 4",
      "Answer 4",
    ]);
    expect(opened).toMatchObject({ hasOlder: true, loadingOlder: false });
    expect(await client.loadOlder()).toBe(true);
    const { messages } = client.getState();
    expect(messages).toHaveLength(8);
    for (const [at, message] of opened.messages.entries()) expect(messages[at + 4]).toBe(message);
    expect(await client.loadOlder()).toBe(true);
    expect(client.getState()).toMatchObject({ hasOlder: false, loadingOlder: false });
    expect(await client.loadOlder()).toBe(false);
    await expectSame(served, client);
  });

  it("50 of them by default", async () => {
    const { served, sessionId } = await talked(26);
    const client = clientOf(served, { sessionId });
    expect((await when(client, isOpen)).messages).toHaveLength(50);
    expect(await client.loadOlder()).toBe(true);
    await expectSame(served, client);
  });

  it("and a new one has no older ones", async () => {
    const { served } = await talked(1);
    const client = clientOf(served);
    expect(await client.loadOlder()).toBe(false);
    await client.send("Hi");
    await when(client, isIdle);
    expect(client.getState().hasOlder).toBe(false);
  });

  it("once, however often they are asked for at the same time", async () => {
    const { served, sessionId } = await talked(3);
    const { send, asked, release } = heldOlder();
    const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
    await when(client, isOpen);
    const both = [client.loadOlder(), client.loadOlder()];
    await when(client, ({ loadingOlder }) => loadingOlder);
    both.push(client.loadOlder());
    await release();
    expect(await Promise.all(both)).toEqual([true, true, true]);
    expect(asked).toHaveLength(1);
    expect(client.getState()).toMatchObject({ loadingOlder: false, hasOlder: true });
    expect(client.getState().messages).toHaveLength(4);
  });

  it("also while the next run is in progress", async () => {
    const { served, sessionId } = await talked(3);
    const { send, release } = heldOlder();
    const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
    await when(client, isOpen);
    const loading = client.loadOlder();
    await client.send("Another");
    await when(client, ({ messages, phase }) => phase === "idle" && messages.length === 4);
    await release();
    expect(await loading).toBe(true);
    await client.loadOlder();
    await expectSame(served, client);
    expect(client.getState().messages).toHaveLength(8);
  });

  it("without what was redacted after the server had read them", async () => {
    const { served, sessionId } = await talked(3);
    const { send, arrived, release } = heldOlder();
    const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
    await when(client, isOpen);
    const loading = client.loadOlder();
    await arrived();
    const [, , older] = await serversMessages(served, sessionId);
    await served.runtime.redact(sessionId, older?.seq ?? 0, { userId: "ada" });
    const { lastSeq } = (await served.store.sessions.get(sessionId)) ?? { lastSeq: 0 };
    await when(client, ({ cursor }) => cursor === lastSeq);
    await release();
    expect(await loading).toBe(true);
    expect(client.getState().messages[0]?.text).toBe("[redacted]");
    await client.loadOlder();
    await expectSame(served, client);
  });

  it("and redactions reach those that are shown", async () => {
    const { served, sessionId } = await talked(3);
    const client = clientOf(served, { sessionId, pageSize: 2 });
    await when(client, isOpen);
    await client.loadOlder();
    await client.loadOlder();
    await served.runtime.redact(sessionId, client.getState().messages[0]?.seq ?? 0, { userId: "ada" });
    await when(client, ({ messages }) => messages[0]?.text === "[redacted]");
    await expectSame(served, client);
  });

  it("and not in another session that was opened meanwhile", async () => {
    const { served, sessionId } = await talked(3);
    const other = await served.runtime.run("coach", { userId: "ada", input: "Elsewhere" }).result;
    const { send, arrived, release } = heldOlder();
    const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
    await when(client, isOpen);
    const loading = client.loadOlder();
    await arrived();
    client.open(other.sessionId);
    expect(client.getState().loadingOlder).toBe(false);
    await release();
    expect(await loading).toBe(false);
    const { messages } = await when(client, isOpen);
    expect(messages.map(({ text }) => text)[0]).toBe("Elsewhere");
    await expectSame(served, client);
  });

  it("and again after it was closed and opened while they were being loaded", async () => {
    const { served, sessionId } = await talked(3);
    const { send, arrived, release } = heldOlder();
    const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
    await when(client, isOpen);
    const loading = client.loadOlder();
    await arrived();
    client.close();
    client.open(sessionId);
    const again = client.loadOlder();
    await release();
    expect(await loading).toBe(false);
    expect(await again).toBe(true);
    expect(client.getState()).toMatchObject({ loadingOlder: false });
    expect(client.getState().messages).toHaveLength(4);
  });

  it("and the next call tries again if the server could not be reached", async () => {
    const { client, served, repair } = await withoutOlder();
    expect(await client.loadOlder()).toBe(false);
    expect(client.getState()).toMatchObject({
      error: { code: "network" },
      hasOlder: true,
      loadingOlder: false,
      connection: "open",
    });
    repair();
    expect(await client.loadOlder()).toBe(true);
    await expectSame(served, client);
  });

  it("and a failure to load older ones is no failure of the conversation", async () => {
    const { client } = await withoutOlder();
    await client.loadOlder();
    expect(client.getState()).toMatchObject({ error: { code: "network" }, phase: "idle" });
  });

  it("and the next call clears the failure of the last one", async () => {
    const { client, repair } = await withoutOlder();
    await client.loadOlder();
    repair();
    await client.loadOlder();
    expect(client.getState().error).toBeUndefined();
  });

  it("and the failure of another request stays while older ones are loaded", async () => {
    const { client, repair } = await withoutOlder();
    await client.loadOlder();
    expect(await client.retry()).toBe(false);
    const { error } = client.getState();
    repair();
    await client.loadOlder();
    expect(error).toMatchObject({ code: "invalid_input" });
    expect(client.getState()).toMatchObject({ error, phase: "error" });
  });

  it("and a response that is no page is refused", async () => {
    const { served, sessionId } = await talked(2);
    const send: typeof fetch = async (input, init) =>
      String(input).includes("before=")
        ? Response.json({ messages: [{}], cursor: 1 })
        : await fetch(input, init);
    const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
    await when(client, isOpen);
    expect(await client.loadOlder()).toBe(false);
    expect(client.getState()).toMatchObject({ error: { code: "protocol" }, hasOlder: true });
    expect(client.getState().messages).toHaveLength(2);
  });

  it("of a server that knows no pages, all of them", async () => {
    const { served, sessionId } = await talked(3);
    const send: typeof fetch = async (input, init) =>
      await fetch(String(input).replace(/\?last=.*/, ""), init);
    const client = clientOf(served, { sessionId, pageSize: 2, fetch: send });
    expect(await when(client, isOpen)).toMatchObject({ hasOlder: false });
    await expectSame(served, client);
  });
});
