import { type EventStore, memoryStore, PawlError } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { settled } from "../../../../test/support/settled.ts";
import { createAgentClient, until } from "../../../client/src/index.ts";
import { eventsOf, type Served, serve } from "../support/served.ts";

/** A store whose reads take a while, and that fails once it is closed. */
function closableStore(): EventStore & { close(): void; idle(): boolean } {
  const inner = memoryStore();
  let closed = false;
  let reads = 0;
  const check = async (): Promise<void> => {
    reads += 1;
    await pause(10, "the time that a read of the store takes");
    reads -= 1;
    if (closed) throw new PawlError("store_unavailable", "The database failed: it is closed.");
  };
  return {
    ...inner,
    sessions: {
      ...inner.sessions,
      get: async (id) => {
        await check();
        return await inner.sessions.get(id);
      },
    },
    open: async (wanted) => {
      await check();
      return await inner.open?.(wanted);
    },
    read: async function* (id, options) {
      await check();
      yield* inner.read(id, options);
    },
    close: () => {
      closed = true;
    },
    idle: () => reads === 0,
  };
}

it("U3 reports nothing when it is shut down in the documented order, with a client that has just gone", async () => {
  const store = closableStore();
  const served = await serve(scriptedModel([{ text: "Done." }]), { store });
  const { sessionId } = await served.runtime.run("coach", { userId: "ada", input: "Hi" }).result;
  const client = createAgentClient({
    url: served.url,
    headers: { authorization: "Bearer ada" },
    sessionId,
  });
  await until(client, ({ messages }) => messages.length === 2);
  const reader = await served.ask(`/sessions/${sessionId}/stream`);
  const [, events] = [await eventsOf(reader).next(), Array.fromAsync(eventsOf(reader)).catch(() => [])];

  client.close();
  await served.runtime.drain();
  await new Promise((resolve) => served.server.close(resolve));
  store.close();
  await events;
  await expect.poll(store.idle).toBe(true);
  await settled();
  expect(served.errors).toEqual([]);
});

it("U3 refuses messages while it is shut down, without a report", async () => {
  const served = await serve(scriptedModel([{ text: "Done." }]));
  await served.runtime.drain();
  const response = await served.ask("/runs", { json: { input: "Hi" } });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: { code: "draining" } });
  expect(served.errors).toEqual([]);
});

it("U3 reports no failure of a request whose client has gone", async () => {
  const store = memoryStore();
  const gone = new AbortController();
  let failed = false;
  const fails = async (): Promise<never> => {
    gone.abort();
    await expect.poll(() => served.sockets.size).toBe(0);
    failed = true;
    throw new PawlError("store_unavailable", "The database failed.");
  };
  const served: Served = await serve(scriptedModel([]), {
    store: { ...store, sessions: { ...store.sessions, list: fails } },
  });
  await served.ask("/sessions", { signal: gone.signal }).catch(() => undefined);
  await expect.poll(() => failed).toBe(true);
  await settled();
  expect(served.errors).toEqual([]);
});
