import { type EventStore, PawlError } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { until } from "../../../../test/support/until.ts";
import { agUi, aiSdk, type Dialect } from "../../src/index.ts";
import { handModel } from "../support/hand-model.ts";
import { type Served, serve } from "../support/served.ts";
import { watchedReads } from "../support/watched-reads.ts";

const hello = (times = 20) => scriptedModel(Array.from({ length: times }, () => ({ text: "Hello." })));

/** A server with a session of each user, and the ids of these. */
async function withSessions(users: readonly string[], options: Parameters<typeof serve>[1] = {}) {
  const watched = watchedReads();
  const served = await serve(hello(), { ...options, store: watched.store });
  const ids = new Map<string, string>();
  for (const userId of users) {
    const { sessionId } = await served.runtime.run("coach", { userId, input: "Hi" }).result;
    // A replay reads its last run again, page by page, as its client takes it.
    await served.runtime.run("coach", { userId, sessionId, input: "Hi" }).result;
    ids.set(userId, sessionId);
  }
  watched.count.whole = 0;
  watched.count.mostAtOnce = 0;
  const id = (user = "ada") => ids.get(user) ?? "";
  return { ...served, ...watched, id };
}

/** Appends messages without runs until the log has so many bytes. */
async function fill(store: EventStore, sessionId: string, bytes: number): Promise<void> {
  const words = "lorem ipsum dolor sit amet ".repeat(4_000);
  for (let written = 0; written < bytes; written += words.length)
    await store.append(sessionId, [{ type: "user_message", data: { message: `${written} ${words}` } }], {
      appendId: crypto.randomUUID(),
    });
}

const USERS = ["ada", "eve", "eli", "ida", "bob", "joe"];

const ROUTES: readonly (readonly [string, (id: string) => string, Dialect | undefined])[] = [
  ["events", (id) => `/sessions/${id}/events`, undefined],
  ["a view", (id) => `/sessions/${id}`, undefined],
  ["a page", (id) => `/sessions/${id}?last=50`, undefined],
  ["a history", (id) => `/runs/${id}`, aiSdk()],
  ["a page of a history", (id) => `/runs/${id}?last=50`, aiSdk()],
  ["a replay", (id) => `/runs/${id}/stream`, aiSdk()],
];

describe.each(ROUTES)("B7 reads of %s", (_, path, dialect) => {
  it("are at most so many at once; one user has half, and the others wait in order", async () => {
    const served = await withSessions(USERS, { workLimits: { sessions: 4 }, ...(dialect && { dialect }) });
    const { ask, id, gate, count } = served;
    const read = (as: string) => ask(path(id(as)), { as }).then((response) => response.text());
    gate.isOpen = false;
    const hers = [1, 2, 3, 4].map(() => read("ada"));
    await until(() => count.atOnce === 2);
    const others = USERS.map(read);
    await until(() => count.atOnce === 4);
    await settled();
    gate.isOpen = true;
    const bodies = await Promise.all([...hers, ...others]);
    for (const body of bodies) expect(body).toContain("Hello.");
    expect(count.mostAtOnce).toBe(4);
    expect(count.whole).toBe(bodies.length);
  });

  it("are refused after a while, with the time to wait", async () => {
    const workLimits = { sessions: 1, waitMs: 200 };
    const { ask, id, gate, count, errors } = await withSessions(USERS, {
      workLimits,
      ...(dialect && { dialect }),
    });
    gate.isOpen = false;
    const first = ask(path(id()));
    await until(() => count.atOnce === 1);
    const refused = await ask(path(id("eve")), { as: "eve" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({ error: { code: "overloaded" } });
    expect(errors).toMatchObject([{ code: "overloaded" }]);
    gate.isOpen = true;
    expect(await (await first).text()).toContain("Hello.");
    expect((await ask(path(id("eve")), { as: "eve" })).status).toBe(200);
  });

  it("leave the line with their client", async () => {
    const { ask, id, gate, count, server } = await withSessions(USERS, {
      workLimits: { sessions: 1 },
      ...(dialect && { dialect }),
    });
    gate.isOpen = false;
    const first = ask(path(id()));
    await until(() => count.atOnce === 1);
    let arrived = 0;
    server.on("request", () => {
      arrived += 1;
    });
    const gone = new AbortController();
    const left = ask(path(id("bob")), { as: "bob", signal: gone.signal }).catch(() => "left");
    await until(() => arrived === 1);
    const next = ask(path(id("eve")), { as: "eve" });
    await until(() => arrived === 2);
    await settled();
    gone.abort();
    expect(await left).toBe("left");
    await settled();
    gate.isOpen = true;
    expect(await (await first).text()).toContain("Hello.");
    expect(await (await next).text()).toContain("Hello.");
    expect(count.whole).toBe(2);
  });

  it("leave their place if the store fails", async () => {
    const { ask, id, gate } = await withSessions(["ada"], {
      workLimits: { sessions: 1, waitMs: 200 },
      ...(dialect && { dialect }),
    });
    gate.error = new PawlError("store_unavailable", "down");
    for (let times = 0; times < 3; times += 1) expect((await ask(path(id()))).status).toBe(503);
    delete gate.error;
    expect(await (await ask(path(id()))).text()).toContain("Hello.");
  });

  it("W6 count towards their own rate limit, and not towards that of messages", async () => {
    const { ask, id, store, gate } = await withSessions(["ada", "eve"], {
      rateLimitReads: new RateLimiterMemory({ points: 2, duration: 60 }),
      rateLimit: new RateLimiterMemory({ points: 1, duration: 60 }),
      ...(dialect && { dialect }),
    });
    expect([store, gate]).toBeDefined();
    for (let times = 0; times < 2; times += 1) expect((await ask(path(id()))).status).toBe(200);
    const refused = await ask(path(id()));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(50);
    expect((await ask(path(id("eve")), { as: "eve" })).status).toBe(200);
    // A message may still be sent.
    expect((await ask("/runs", { json: {} })).status).toBe(400);
  });
});

describe("a large answer", () => {
  it.each(ROUTES.slice(0, 4))("B7 of %s counts until its client has it", async (_, path, dialect) => {
    const workLimits = { sessionBytes: 12_000_000, waitMs: 100 };
    const served = await withSessions(USERS, { workLimits, ...(dialect && { dialect }) });
    const { ask, id, store } = served;
    for (const user of ["ada", "eve"]) await fill(store, id(user), 12_000_000);
    const open: Response[] = [];
    for (const user of ["ada", "eve"]) open.push(await ask(path(id(user)), { as: user }));
    expect((await ask(path(id("eli")), { as: "eli" })).status).toBe(503);
    expect((await ask(path(id("eli")), { as: "eli" })).status).toBe(503);
    await open[0]?.body?.cancel();
    await until(async () => (await ask(path(id("eli")), { as: "eli" })).status === 200);
    const body = (await open[1]?.json()) as { [field: string]: unknown[] };
    expect(Object.values(body).flat().length).toBeGreaterThan(100);
    // HEAD has no body that anybody could take.
    for (let times = 0; times < 3; times += 1) await ask(path(id("ada")), { method: "HEAD" });
    expect((await ask(path(id("eli")), { as: "eli" })).status).toBe(200);
  });

  it.each([
    ["session", ""],
    ["page", "?last=50"],
  ])("B7 of a %s is remembered, so that two large ones are not read at once", async (_, query) => {
    const { ask, id, store, gate, count } = await withSessions(USERS, {
      workLimits: { sessionBytes: 3_000_000 },
    });
    for (const user of ["ada", "eve"]) await fill(store, id(user), 2_000_000);
    const read = (as: string) =>
      ask(`/sessions/${id(as)}${query}`, { as }).then((response) => response.text());
    gate.isOpen = false;
    const unknown = ["ada", "eve"].map(read);
    await until(() => count.atOnce === 2);
    gate.isOpen = true;
    await Promise.all(unknown);
    gate.isOpen = false;
    const known = ["ada", "eve"].map(read);
    await until(() => count.atOnce === 1);
    await settled();
    expect(count.atOnce).toBe(1);
    gate.isOpen = true;
    await Promise.all(known);
  });
});

describe("a stream", () => {
  it.each([
    [
      "AI SDK",
      aiSdk(),
      { id: "c1", messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
    ],
    [
      "AG-UI",
      agUi(),
      {
        ...{ threadId: "c1", runId: "r1", state: {}, tools: [], context: [], forwardedProps: {} },
        messages: [{ id: "m1", role: "user", content: "Hi" }],
      },
    ],
  ])("B7 of the %s keeps no place while it follows a run", async (_, dialect, json) => {
    const { store, count } = watchedReads();
    const model = handModel();
    const served: Served = await serve(model, {
      dialect,
      store,
      workLimits: { sessions: 1, waitMs: 200 },
    });
    const first = await served.ask("/runs", { json });
    expect(first.status).toBe(200);
    const readers: Response[] = [];
    for (let times = 0; times < 5; times += 1) readers.push(await served.ask("/runs/c1/stream"));
    expect(readers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await served.ask("/runs/c1")).status).toBe(200);
    expect(count.mostAtOnce).toBe(1);
    for (const reader of [first, ...readers]) await reader.body?.cancel();
  });
});

describe("a message in a dialect that replays", () => {
  const text = (id: string, words: string) => ({ id, role: "user", parts: [{ type: "text", text: words }] });

  it("B7 reads its session once, and so does a page that comes back", async () => {
    const { store, count } = watchedReads();
    const { ask } = await serve(hello(), { dialect: aiSdk(), store });
    const say = async (messages: object[]) =>
      await (await ask("/runs", { json: { id: "c1", messages } })).text();
    await say([text("m1", "Hi")]);
    count.whole = 0;
    await say([text("m2", "And now?")]);
    expect(count.whole).toBe(1);
    expect(await (await ask("/runs/c1/stream")).text()).toContain("Hello.");
    expect(count.whole).toBe(2);
  });

  it("B7 W4 that is sent again reads its session again, and gets the same answer", async () => {
    const { store } = watchedReads();
    const { ask } = await serve(hello(), { dialect: aiSdk(), store });
    const say = async (messages: object[]) =>
      await (await ask("/runs", { json: { id: "c1", messages } })).text();
    const ids = (stream: string) => [...stream.matchAll(/"messageId":"([^"]+)"/g)].map(([, id]) => id);
    const first = await say([text("m1", "Hi")]);
    await say([text("m2", "And now?")]);
    await say([text("m3", "And then?")]);
    expect(ids(await say([text("m1", "Hi")]))).toEqual(ids(first));
  });
});
