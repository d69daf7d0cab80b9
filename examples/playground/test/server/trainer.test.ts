import { claude } from "@pawl/anthropic";
import { memoryFiles, type RuntimeOptions, runtime } from "@pawl/core";
import {
  localIssuer,
  type TrainerDeps,
  trainer,
  trainerData,
  trainerModels,
  trainerRules,
} from "@pawl/example-trainer";
import { type EmbeddedStore, embeddedStore } from "@pawl/postgres/embedded";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import type { Hono } from "hono";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paintedPng } from "../../../../test/support/painted-png.ts";
import { playgroundApp } from "../../server/app.ts";

let api: MessagesApi;
let store: EmbeddedStore;

beforeAll(async () => {
  api = await messagesApi({ rules: trainerRules({ speed: Number.POSITIVE_INFINITY }) });
  store = await embeddedStore();
});

afterAll(async () => {
  await api.close();
  await store.close();
});

async function served(points = 20, seeded: string[] = [], trustProxy = false): Promise<Hono> {
  const all = await trainerData(store.db);
  const seed = async (userId: string) => {
    seeded.push(userId);
    await all.seed(userId);
  };
  const data = { ...all, seed };
  const model = claude("claude-haiku-4-5", { apiKey: "simulator", baseURL: api.url });
  const options: RuntimeOptions<TrainerDeps> = {
    // The initializer reads the messages too.
    agents: [trainer({ models: [model], initializer: model })],
    store,
    files: memoryFiles(),
    deps: () => ({ trainer: data }),
  };
  return playgroundApp({
    runtime: runtime(options),
    agents: [],
    trainer: {
      data,
      models: trainerModels,
      rateLimit: new RateLimiterMemory({ points, duration: 60 }),
      ...(await localIssuer()),
    },
    info: { model: model.id, simulated: true },
    host: "127.0.0.1",
    webDir: import.meta.dirname,
    trustProxy,
  });
}

/** Creates a browser, which keeps its cookie. */
function browser(app: Hono) {
  let cookie = "";
  return async (path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Response> => {
    const init = {
      ...(json !== undefined && {
        method: "POST",
        body: json instanceof Uint8Array ? Uint8Array.from(json) : JSON.stringify(json),
      }),
      headers: { "content-type": "application/json", cookie, ...headers },
    };
    const response = await app.fetch(new Request(`http://localhost:4321${path}`, init));
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    return response;
  };
}

describe("the trainer in the playground", () => {
  it("X2 gives each browser a user, for the page and, with a token, for the API", async () => {
    const app = await served();
    const ask = browser(app);
    expect(await (await ask("/api/info")).json()).toMatchObject({
      agents: [{ name: "trainer", title: "Trainer" }],
    });
    const run = await ask("/api/trainer/runs", { input: "A short chest session, please" });
    expect(run.status).toBe(200);
    await run.text();
    const { access_token } = (await (await ask("/agent/token", {})).json()) as { access_token: string };
    const authorization = `Bearer ${access_token}`;
    const elsewhere = browser(app);
    const { sessions } = (await (
      await elsewhere("/agent/sessions", undefined, { authorization })
    ).json()) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toEqual([run.headers.get("x-pawl-session")]);
    expect((await elsewhere("/agent/sessions")).status).toBe(401);
    const past = (await (await ask("/api/trainer/sessions")).json()) as {
      sessions: { title: string }[];
    };
    expect(past.sessions).toMatchObject([{ title: "A short chest session, please" }]);
    expect(await (await elsewhere("/api/trainer/sessions")).json()).toEqual({ sessions: [] });
  });

  it("F1 X2 says what reached it of a picture, with and without a text, and still does what a text asks for", async () => {
    const ask = browser(await served());
    await ask("/api/info");
    const picture = paintedPng({ width: 33, height: 44 });
    const headers = { "content-type": "application/octet-stream" };
    const uploaded = await ask("/api/trainer/files", picture, headers);
    const { id } = (await uploaded.json()) as { id: string };
    const file = { type: "file", id, name: "machine.png" };
    const say = async (...texts: string[]) => {
      const parts = texts.map((text) => ({ type: "text", text }));
      return await (await ask("/api/trainer/runs", { input: [file, ...parts] })).text();
    };
    expect(await say()).toContain("33 × 44");
    expect(await say("What do you see here?")).toContain("33 × 44");
    expect(await say("A short chest session on this machine, please")).toContain("generate_workout");
    expect(api.rejected).toEqual([]);
  });

  it("sets no cookie and creates no browser user for requests with a token", async () => {
    const app = await served();
    const { access_token } = (await (await browser(app)("/agent/token", {})).json()) as {
      access_token: string;
    };
    const ask = async (path: string, json?: unknown, headers: Record<string, string> = {}) =>
      await browser(app)(path, json, headers);
    const authorization = `Bearer ${access_token}`;
    const began = await ask("/agent/sessions", {}, { authorization });
    const { session } = (await began.clone().json()) as { session: { id: string } };
    const answers = [
      began,
      await ask("/agent/chat", { message: "A short chest session" }, { authorization }),
      await ask("/agent/stream", { message: "And now?" }, { authorization }),
      await ask("/agent/sessions", undefined, { authorization }),
      await ask(`/agent/sessions/${session.id}`, undefined, { authorization }),
      await ask("/agent/sessions"),
      await ask("/agent/nothing", undefined, { authorization }),
    ];
    for (const answer of answers) await answer.text();
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 401, 404]);
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
    // A browser without a cookie gets a cookie with its token. Both belong to the same user.
    const first = await ask("/agent/token", {});
    expect(first.headers.getSetCookie()).toHaveLength(1);
  });

  it("X2 returns ten weeks of progress, which change when a workout is logged", async () => {
    const ask = browser(await served());
    const progress = async () =>
      (await (await ask("/api/trainer/progress")).json()) as {
        weeks: { sets: number }[];
        muscles: unknown[];
      };
    // A visitor without messages has no data.
    expect(await progress()).toMatchObject({ weeks: { length: 10 }, muscles: [] });
    const run = await ask("/api/trainer/runs", { input: "A chest workout" });
    await run.text();
    const before = await progress();
    expect(before.weeks).toHaveLength(10);
    expect(before.muscles.length).toBeGreaterThan(5);
    const sessionId = run.headers.get("x-pawl-session");
    await (
      await ask("/api/trainer/runs", {
        input: "Please log this workout: I did all of it as planned",
        sessionId,
      })
    ).text();
    const sets = ({ weeks }: typeof before) => weeks.reduce((sum, week) => sum + week.sets, 0);
    expect(sets(await progress())).toBeGreaterThan(sets(before));
  });

  it("X2 creates sample data with a visitor's first message, and not before", async () => {
    const seeded: string[] = [];
    const app = await served(20, seeded);
    for (const path of ["/api/info", "/api/trainer/sessions", "/api/trainer/progress"])
      await (await browser(app)(path)).text();
    const { access_token } = (await (await browser(app)("/agent/token", {})).json()) as {
      access_token: string;
    };
    const authorization = `Bearer ${access_token}`;
    await (await browser(app)("/agent/sessions", undefined, { authorization })).text();
    expect(seeded).toEqual([]);
    await (await browser(app)("/agent/chat", { message: "Hi" }, { authorization })).text();
    expect(seeded).toHaveLength(1);
    await (await browser(app)("/api/trainer/runs", { input: "Hi" })).text();
    expect(new Set(seeded).size).toBe(2);
  });

  it("W6 limits by address too, so that new visitors from one address share one limit", async () => {
    const seeded: string[] = [];
    const app = await served(2, seeded, true);
    const from = async (address: string) => {
      const headers = { "x-forwarded-for": `10.9.9.9, ${address}` };
      const response = await browser(app)("/api/trainer/runs", { input: "Hi" }, headers);
      await response.text();
      return response.status;
    };
    expect([await from("192.0.2.1"), await from("192.0.2.1"), await from("192.0.2.1")]).toEqual([
      200, 200, 429,
    ]);
    // One client can use all addresses of its network.
    const network = ["2001:db8::1", "2001:db8:0:0:ffff::2", "2001:0db8::9:8:7:6", "2001:db8:0:1::1"];
    const statuses: number[] = [];
    for (const address of network) statuses.push(await from(address));
    expect(statuses).toEqual([200, 200, 429, 200]);
    expect(seeded).toHaveLength(5);
    const elsewhere = await served(2);
    const forged: number[] = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      const headers = { "x-forwarded-for": address };
      forged.push((await browser(elsewhere)("/api/trainer/runs", { input: "Hi" }, headers)).status);
    }
    expect(forged).toEqual([200, 200, 429]);
  });

  it("W6 limits the messages of a user", async () => {
    const ask = browser(await served(1));
    await (await ask("/api/trainer/runs", { input: "A chest workout" })).text();
    expect((await ask("/api/trainer/runs", { input: "Another one" })).status).toBe(429);
    const { access_token } = (await (await ask("/agent/token", {})).json()) as { access_token: string };
    const chat = await ask(
      "/agent/chat",
      { message: "Another one" },
      { authorization: `Bearer ${access_token}` },
    );
    expect([chat.status, Number(chat.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect((await ask("/agent/sessions", {}, { authorization: `Bearer ${access_token}` })).status).toBe(429);
  });
});
