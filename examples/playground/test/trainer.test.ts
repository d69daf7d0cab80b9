import { claude } from "@pawl/anthropic";
import { type RuntimeOptions, runtime } from "@pawl/core";
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
import { playgroundApp } from "../server/app.ts";

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

async function served(points = 20): Promise<Hono> {
  const data = await trainerData(store.db);
  const model = claude("claude-haiku-4-5", { apiKey: "simulator", baseURL: api.url });
  const options: RuntimeOptions<TrainerDeps> = {
    agents: [trainer({ models: [model] })],
    store,
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
  });
}

/** A browser: it keeps its cookie. */
function browser(app: Hono) {
  let cookie = "";
  return async (path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Response> => {
    const init = {
      ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
      headers: { "content-type": "application/json", cookie, ...headers },
    };
    const response = await app.fetch(new Request(`http://localhost:4321${path}`, init));
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    return response;
  };
}

describe("the trainer in the playground", () => {
  it("X2 gives a browser a person, the page a conversation with it, and the API the same by a token", async () => {
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
    const past = (await (await ask("/api/past-sessions?agent=trainer")).json()) as {
      sessions: { title: string }[];
    };
    expect(past.sessions).toMatchObject([{ title: "A short chest session, please" }]);
    expect(await (await elsewhere("/api/past-sessions?agent=trainer")).json()).toEqual({ sessions: [] });
  });

  it("W6 leaves no cookie with those who bring a token, and no person of a browser's", async () => {
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
    // A browser without a cookie gets one with its token: both are the same person.
    const first = await ask("/agent/token", {});
    expect(first.headers.getSetCookie()).toHaveLength(1);
  });

  it("X2 has ten weeks to draw, and moves them when a workout is logged", async () => {
    const ask = browser(await served());
    const progress = async () =>
      (await (await ask("/api/trainer/progress")).json()) as {
        weeks: { sets: number }[];
        muscles: unknown[];
      };
    const before = await progress();
    expect(before.weeks).toHaveLength(10);
    expect(before.muscles.length).toBeGreaterThan(5);
    const run = await ask("/api/trainer/runs", { input: "A chest workout" });
    await run.text();
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

  it("W6 lets nobody talk without end", async () => {
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
