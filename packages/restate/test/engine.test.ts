import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http2";
import type { WokenHandler } from "@pawl/core/store";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  freeAddresses,
  freePort,
  NO_RESTATE,
  RESTATE,
  type RestateServer,
  restateServer,
} from "../../../test/restate/restate-server.ts";
import { type RestateEngine, restateEngine } from "../src/index.ts";

const soon = { timeout: 8_000, interval: 10 };

if (RESTATE === undefined) console.log(`The engine is not tested with Restate: ${NO_RESTATE}.`);

describe.skipIf(RESTATE === undefined)("restateEngine()", () => {
  let server: RestateServer;
  let engine: RestateEngine;
  beforeAll(async () => {
    server = await restateServer();
    engine = restateEngine({ ingress: server.ingress, admin: server.admin, port: await freePort() });
    const worker = await engine.work(async () => undefined, { concurrency: 1 });
    await worker.stop();
  });
  afterAll(async () => {
    await engine?.close();
    await server?.remove();
  });

  /** Works for the engine until the end of the test. */
  const working = async ({ held = [] as readonly string[], concurrency = 4, from = engine } = {}) => {
    const calls: Parameters<WokenHandler>[0][] = [];
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const handler: WokenHandler = async (woken) => {
      calls.push(woken);
      if (held.includes(woken.sessionId)) await gate;
    };
    const worker = await from.work(handler, { concurrency });
    onTestFinished(async () => {
      release();
      await worker.stop();
    });
    return {
      release,
      count: (id: string) => calls.filter(({ sessionId }) => sessionId === id).length,
      signalOf: (id: string) => calls.find(({ sessionId }) => sessionId === id)?.signal,
    };
  };
  const invocations = async (id: string) =>
    await server.query(`SELECT id, target, status FROM sys_invocation WHERE target_service_key = '${id}'`);
  const state = async (id: string) => await server.query(`SELECT key FROM state WHERE service_key = '${id}'`);

  it("Q2 keeps the earliest of several times, in any order, and one timer", async () => {
    const { count } = await working();
    const id = randomUUID();
    for (const ms of [3_600_000, 7_200_000, 2_000, 5_400_000]) await engine.wake(id, { afterMs: ms });
    const timers = async () => (await invocations(id)).map(({ target, status }) => `${target} ${status}`);
    await expect.poll(timers, soon).toEqual([`pawl-wakes/${id}/due scheduled`]);
    expect(count(id)).toBe(0);
    await expect.poll(() => count(id), soon).toBe(1);
  });

  it("Q1 leaves nothing in Restate of a session that has been called or cancelled", async () => {
    const { count } = await working();
    const [called, cancelled] = [randomUUID(), randomUUID()];
    await engine.wake(called);
    await engine.wake(cancelled, { afterMs: 3_600_000 });
    await expect.poll(() => state(cancelled), soon).toEqual([{ key: "due" }]);
    await engine.cancel(cancelled);
    await expect.poll(() => count(called), soon).toBe(1);
    for (const id of [called, cancelled]) {
      await expect.poll(() => invocations(id), soon).toEqual([]);
      // Restate shows the two in tables of their own, one a moment after the other.
      await expect.poll(() => state(id), soon).toEqual([]);
    }
    expect(count(cancelled)).toBe(0);
  });

  it("Q1 gives a session back that finds no place, and calls it once there is one", async () => {
    const [busy, next] = [randomUUID(), randomUUID()];
    const { count, release } = await working({ held: [busy], concurrency: 1 });
    await engine.wake(busy);
    await expect.poll(() => count(busy), soon).toBe(1);
    await engine.wake(next);
    const scheduled = async () => (await invocations(next)).some(({ status }) => status === "scheduled");
    await expect.poll(scheduled, soon).toBe(true);
    expect(count(next)).toBe(0);
    release();
    await expect.poll(() => count(next), soon).toBe(1);
  });

  it("Q2 aborts a call that somebody cancels in Restate, and calls the session at its next wake", async () => {
    const id = randomUUID();
    const { count, signalOf, release } = await working({ held: [id] });
    await engine.wake(id);
    await expect.poll(() => count(id), soon).toBe(1);
    const [call] = await invocations(id);
    await fetch(`${server.admin}/invocations/${call?.id}/cancel`, { method: "PATCH" });
    await expect.poll(() => signalOf(id)?.aborted, soon).toBe(true);
    release();
    await engine.wake(id);
    await expect.poll(() => count(id), soon).toBe(2);
  });

  it("Q2 calls a session again whose call somebody has killed in Restate, a minute later", async () => {
    const id = randomUUID();
    const { count, release } = await working({ held: [id] });
    await engine.wake(id);
    await expect.poll(() => count(id), soon).toBe(1);
    const [call] = await invocations(id);
    await fetch(`${server.admin}/invocations/${call?.id}/kill`, { method: "PATCH" });
    release();
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify({ sentAt: Date.now() + 61_000 });
    await fetch(`${server.ingress}/pawl-wakes/${id}/wake/send`, { ...init, body });
    await expect.poll(() => count(id), soon).toBe(2);
  });

  it("Q1 wakes sessions with ids of any characters, of 1,000 bytes", async () => {
    const ids = ["a/b?c#d%2F e", `${randomUUID()}/`, "🦦".repeat(250)];
    const { count } = await working();
    for (const id of ids) await engine.wake(id);
    await expect.poll(() => ids.map(count), soon).toEqual([1, 1, 1]);
  });

  it("Q1 works at an endpoint of the application's, registered by hand", async () => {
    const own = restateEngine({ ingress: server.ingress, name: "own" });
    const [address = ""] = await freeAddresses(1);
    const endpoint = createServer(createEndpointHandler({ services: own.services, logger: () => undefined }));
    endpoint.listen(Number(address.split(":")[1]), "127.0.0.1");
    await once(endpoint, "listening");
    endpoint.on("session", (session) => onTestFinished(() => session.destroy()));
    onTestFinished(() => void endpoint.close());
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ uri: `http://${address}` });
    await fetch(`${server.admin}/deployments`, { method: "POST", headers, body });
    const { count } = await working({ from: own });
    await own.wake("s1");
    await expect.poll(() => count("s1"), soon).toBe(1);
  });

  it("Q1 keeps one call of a session that waits for a place, however often it is woken", async () => {
    const [busy, waits] = [randomUUID(), randomUUID()];
    const { count, release } = await working({ held: [busy], concurrency: 1 });
    await engine.wake(busy);
    await expect.poll(() => count(busy), soon).toBe(1);
    // A minute after a call, a wake takes it for lost.
    for (const minutes of [0, 2, 4, 6, 8]) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ sentAt: Date.now() + minutes * 60_000 });
      await fetch(`${server.ingress}/pawl-wakes/${waits}/wake/send`, { method: "POST", headers, body });
    }
    const runs = async () =>
      (await invocations(waits)).filter(({ target }) => String(target).endsWith("/run"));
    await expect.poll(async () => (await runs()).length, soon).toBe(5);
    // Each of them waits for 2 seconds in the worker, one after the other.
    await expect.poll(async () => (await runs()).length, { timeout: 20_000, interval: 50 }).toBe(1);
    release();
    await expect.poll(() => count(waits), soon).toBe(1);
  }, 40_000);

  it("Q1 has the first wake wait until this process is registered", async () => {
    const first = restateEngine({
      ingress: server.ingress,
      admin: server.admin,
      port: await freePort(),
      name: "first",
    });
    const started = working({ from: first });
    await first.wake("s1");
    const { count } = await started;
    await expect.poll(() => count("s1"), soon).toBe(1);
  });

  it("U5 says that a worker must be registered first", async () => {
    const unknown = restateEngine({ ingress: server.ingress, name: "unknown" });
    await expect(unknown.wake("s1")).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/unknown-wakes.* A worker must be registered before the first wake\.$/),
    });
  });

  it("U6 names a port that is taken", async () => {
    const [address = ""] = await freeAddresses(1);
    const taken = createServer();
    const port = Number(address.split(":")[1]);
    taken.listen(port, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(async () => {
      taken.close();
      await once(taken, "close");
    });
    const second = restateEngine({ ingress: server.ingress, port });
    await expect(second.work(async () => undefined, { concurrency: 1 })).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(
        `^\`port\` ${port} of restateEngine\\(\\) cannot be used: listen EADDRINUSE`,
      ),
    });
  });

  it("U5 does not work if Restate cannot reach it", async () => {
    const [address = ""] = await freeAddresses(1);
    const port = Number(address.split(":")[1]);
    const lost = restateEngine({
      ingress: server.ingress,
      admin: server.admin,
      port,
      uri: "http://127.0.0.1:1",
    });
    await expect(lost.work(async () => undefined, { concurrency: 1 })).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("http://127.0.0.1:1/"),
    });
    await expect(fetch(`http://${address}`)).rejects.toThrow();
  });
});
