import {
  agent,
  type Json,
  jsonSchema,
  memoryReservations,
  memoryStore,
  runtime,
  type ToolContext,
  tool,
} from "@pawl/core";
import { scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { coach } from "../../src/dialects.ts";
import {
  admitReservation,
  agUi,
  aiSdk,
  type Dialect,
  handler,
  native,
  type Wanted,
} from "../../src/index.ts";
import { handModel } from "../support/hand-model.ts";
import { serve } from "../support/served.ts";

const post = (json: object) => ({ method: "POST", json });
const chat = (text: string) => ({
  id: "c1",
  trigger: "submit-message",
  messages: [{ id: "m1", role: "user", parts: [{ type: "text", text }] }],
});
const agUiBody = {
  threadId: "c1",
  runId: "r1",
  state: {},
  messages: [{ id: "m1", role: "user", content: "Hi" }],
  tools: [],
  context: [],
  forwardedProps: {},
};
const bodies: [name: string, dialect: Dialect, body: object][] = [
  ["native", native(), { input: "Hi" }],
  ["AI SDK", aiSdk(), chat("Hi")],
  ["AG-UI", agUi(), agUiBody],
];

describe("F18 `admit`", () => {
  it.each(bodies)(
    "answers with the application's own response in %s, and nothing is stored",
    async (_, dialect, body) => {
      const model = strictModel({ script: [{ text: "Hello." }] });
      const own = () =>
        Response.json({ error: { code: "no_plan", message: "Choose a plan." } }, { status: 402 });
      const at = await serve(model, { dialect, admit: own });
      const response = await at.ask("/runs", post(body));
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 402,
        body: { error: { code: "no_plan", message: "Choose a plan." } },
      });
      expect(await at.store.sessions.list({ userId: "ada" })).toEqual([]);
      expect(model.requests).toEqual([]);
    },
  );

  it("is told the caller and what the request begins", async () => {
    const asked: [unknown, Wanted][] = [];
    const model = strictModel({
      script: [{ tools: [{ name: "confirm", input: { question: "Sure?" } }] }, { text: "Done." }],
    });
    const at = await serve(model, {
      authorize: () => ({ userId: "ada", caller: { roles: ["admin"] } }),
      admit: (_request, caller, wanted) => {
        asked.push([caller, wanted]);
        return undefined;
      },
    });
    const first = await at.ask("/runs", post({ input: "Hi" }));
    await first.text();
    const sessionId = decodeURIComponent(first.headers.get("x-pawl-session") ?? "");
    const { pending } = await at.runtime.view(sessionId, { userId: "ada" });
    const answers = [{ callId: pending[0]?.callId, value: { yes: true } }];
    await (await at.ask("/runs", post({ sessionId, answers }))).text();
    const caller = { userId: "ada", caller: { roles: ["admin"] } };
    expect(asked).toEqual([
      [caller, { begins: "message" }],
      [caller, { begins: "answers", sessionId }],
    ]);
  });

  it("is not asked for reading", async () => {
    const at = await serve(strictModel({ script: [{ text: "Hello." }] }), {
      admit: (_request, _caller, { begins }) => {
        if (begins !== "message") throw new Error("asked");
        return undefined;
      },
    });
    const first = await at.ask("/runs", post({ input: "Hi" }));
    await first.text();
    const sessionId = first.headers.get("x-pawl-session") ?? "";
    const read = await at.ask(`/sessions/${sessionId}`);
    expect({ status: read.status, errors: at.errors }).toEqual({ status: 200, errors: [] });
  });

  it("answers 500 if it throws, and nothing is stored", async () => {
    const at = await serve(strictModel({ script: [] }), {
      admit: () => {
        throw new Error("the billing service is down: key sk-ant-1234567890");
      },
    });
    const response = await at.ask("/runs", post({ input: "Hi" }));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("sk-ant");
    expect(await at.store.sessions.list({ userId: "ada" })).toEqual([]);
  });
});

it("F18 W6 a client that disconnects while `admit` hangs leaves its place to the user's next stream", async () => {
  const hanging = Promise.withResolvers<void>();
  const at = await serve(strictModel({ script: [{ text: "Hello." }] }), {
    maxStreams: 1,
    admit: (request) => {
      if (request.headers.get("x-slow") === null) return undefined;
      hanging.resolve();
      return new Promise<undefined>(() => undefined);
    },
  });
  const gone = new AbortController();
  const slow = at.ask("/runs", {
    ...post({ input: "Hi" }),
    headers: { "x-slow": "1" },
    signal: gone.signal,
  });
  await hanging.promise;
  expect((await at.ask("/runs", post({ input: "Hi" }))).status).toBe(429);
  gone.abort();
  await expect(slow).rejects.toThrow();
  const status = async () => {
    const response = await at.ask("/runs", post({ input: "Hi" }));
    await response.text();
    return response.status;
  };
  await expect.poll(status).toBe(200);
});

describe("F18 a mistake in `admit` or `authorize` is a 500 whose error says what to do", () => {
  const sent = Response.json({}, { status: 402 });
  const cases: [name: string, answer: () => unknown, says: RegExp][] = [
    ["null", () => null, /Response or undefined; got null/],
    ["an object that is no Response", () => ({ headers: {} }), /Response or undefined; got type object/],
    ["a Response for all requests", () => sent, /admit\(\) .* Make a new Response for each request/],
    ["a thrown Response", () => thrown(Response.json({}, { status: 402 })), /return it instead/],
    ["a thrown text", () => thrown("no"), /no Error was thrown/],
    ["nothing that is thrown", () => thrown(undefined), /no Error was thrown/],
  ];
  const thrown = (value: unknown) => {
    throw value;
  };

  it.each(cases)("%s", async (_, answer, says) => {
    await sent.text().catch(() => undefined);
    const at = await serve(strictModel({ script: [] }), { admit: answer as () => undefined });
    const response = await at.ask("/runs", post({ input: "Hi" }));
    expect([response.status, at.errors.length]).toEqual([500, 1]);
    expect(at.errors[0]).toMatchObject({ message: expect.stringMatching(says) });
    expect(await at.store.sessions.list({ userId: "ada" })).toEqual([]);
  });

  it("`authorize` throws a Response, or returns one for all requests", async () => {
    const answers = [() => thrown(Response.json({}, { status: 401 })), () => sent];
    for (const authorize of answers) {
      const at = await serve(strictModel({ script: [] }), { authorize });
      expect((await at.ask("/sessions")).status).toBe(500);
      expect(at.errors).toMatchObject([{ message: expect.stringMatching(/return it instead|new Response/) }]);
    }
  });
});

/** Bodies that send one first message twice, in each dialect, and where the dialect names a session later. */
const twice: [name: string, dialect: Dialect, body: object][] = [
  ["native", native(), { input: "Hi", clientMessageId: "m1" }],
  ["coach", coach(), { message: "Hi", clientMessageId: "m1" }],
  ["AI SDK", aiSdk(), chat("Hi")],
  ["AG-UI", agUi(), agUiBody],
];

describe("F18 what is stored is not asked about again", () => {
  /** Admits one request, and refuses every other. */
  async function once(dialect: Dialect) {
    let asked = 0;
    const model = strictModel({ script: [{ text: "Hello." }, { text: "Again." }] });
    const at = await serve(model, {
      dialect,
      admit: () => {
        asked += 1;
        return asked === 1 ? undefined : Response.json({}, { status: 402 });
      },
    });
    return { at, model, asked: () => asked };
  }

  it.each(twice)("K3 a message that is sent again joins its run (%s)", async (_, dialect, body) => {
    const { at, model, asked } = await once(dialect);
    const first = await at.ask("/runs", post(body));
    await first.text();
    const again = await at.ask("/runs", post(body));
    expect([again.status, again.headers.get("x-pawl-session")]).toEqual([
      200,
      first.headers.get("x-pawl-session"),
    ]);
    expect(await again.text()).toContain("Hello.");
    expect([asked(), model.requests.length]).toEqual([1, 1]);
  });

  it("K3 a message of a session that is sent again joins its run", async () => {
    const { at, asked } = await once(native());
    const { id: sessionId } = await at.store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
    const body = { sessionId, input: "Hi", clientMessageId: "m1" };
    await (await at.ask("/runs", post(body))).text();
    expect(await (await at.ask("/runs", post(body))).text()).toContain("Hello.");
    expect(asked()).toBe(1);
    const other = await at.ask("/runs", post({ ...body, clientMessageId: "m2" }));
    expect([other.status, asked()]).toEqual([402, 2]);
  });

  it("a message under an id that another user has used is asked about", async () => {
    const { at, asked } = await once(native());
    const body = { input: "Hi", clientMessageId: "m1" };
    await (await at.ask("/runs", post(body))).text();
    const other = await at.ask("/runs", { ...post(body), as: "bob" });
    expect([other.status, asked()]).toEqual([402, 2]);
  });

  it("a message that begins another session under the same id is asked about", async () => {
    const { at, asked } = await once(aiSdk());
    await at.runtime.run("coach", { userId: "ada", input: "Hi", clientMessageId: "m1" }).result;
    expect((await at.ask("/runs", post(chat("Hi")))).status).toBe(200);
    expect((await at.ask("/runs", post({ ...chat("Hi"), id: "c2" }))).status).toBe(402);
    expect(asked()).toBe(2);
  });

  it("a retry that is sent again joins the retry", async () => {
    expectPrinted("pawl: invalid_request_error");
    const asked: Wanted["begins"][] = [];
    const model = strictModel({ script: [{ fault: { status: 400 } }, { text: "Better." }] });
    const at = await serve(model, {
      admit: (_request, _caller, { begins }) => {
        asked.push(begins);
        return undefined;
      },
    });
    const first = await at.ask("/runs", post({ input: "Hi" }));
    await first.text();
    const sessionId = first.headers.get("x-pawl-session") ?? "";
    const retry = first.headers.get("x-pawl-run");
    for (const _ of [1, 2]) {
      expect(await (await at.ask("/runs", post({ sessionId, retry }))).text()).toContain("Better.");
    }
    expect(asked).toEqual(["message", "retry"]);
  });
});

it("F18 L17 a retry of a run that is open joins the run, and is not asked about", async () => {
  const asked: Wanted["begins"][] = [];
  const model = handModel();
  const at = await serve(model, {
    admit: (_request, _caller, { begins }) => {
      asked.push(begins);
      return undefined;
    },
  });
  const first = await at.ask("/runs", post({ input: "Hi" }));
  const turn = await model.turn();
  const sessionId = first.headers.get("x-pawl-session") ?? "";
  const retry = first.headers.get("x-pawl-run");
  const joined = await at.ask("/runs", post({ sessionId, retry }));
  turn.say("Hello.");
  turn.end();
  expect([joined.status, joined.headers.get("x-pawl-run")]).toEqual([200, retry]);
  expect(await joined.text()).toContain("Hello.");
  expect(asked).toEqual(["message"]);
});

describe("E11 F18 `admit` is not asked about the session of another user", () => {
  const foreign: [name: string, dialect: Dialect, body: (sessionId: string) => object][] = [
    ["native message", native(), (sessionId) => ({ sessionId, input: "Hi" })],
    ["native answers", native(), (sessionId) => ({ sessionId, answers: [{ callId: "c1", value: 1 }] })],
    ["native retry", native(), (sessionId) => ({ sessionId, retry: "r1" })],
    ["coach", coach(), (sessionId) => ({ sessionId, message: "Hi" })],
  ];

  it.each(foreign)("%s", async (_, dialect, body) => {
    const asked: Wanted[] = [];
    const at = await serve(strictModel({ script: [] }), {
      dialect,
      admit: (_request, _caller, wanted) => {
        asked.push(wanted);
        return Response.json({}, { status: 402 });
      },
    });
    await at.store.sessions.create({ id: "hers", userId: "ada", agent: "coach" });
    await at.store.sessions.create({ id: "other-agent", userId: "bob", agent: "other" });
    for (const id of ["hers", "other-agent", "unknown"]) {
      const response = await at.ask("/runs", { ...post(body(id)), as: "bob" });
      // "other-agent" is bob's own.
      const message =
        id === "other-agent" ? "This session belongs to another agent." : "There is no such session.";
      const answered = [response.status, await response.json()];
      expect(answered).toEqual([404, { error: { code: "not_found", message } }]);
    }
    expect(asked).toEqual([]);
  });
});

describe("F18 `admitReservation()`", () => {
  const budget = { reservations: memoryReservations(), account: () => "w1" };
  const request = new Request("http://localhost/runs", { method: "POST" });
  const caller = { userId: "ada" };

  it("admits while the budget has room, counting what other runs have set aside", async () => {
    const reservations = memoryReservations();
    const admit = admitReservation({ reservations, account: () => "w1", limit: 100, amount: 60 });
    expect(await admit(request, caller, { begins: "message" })).toBeUndefined();
    await reservations.reserve({ account: "w1", id: "r1", amount: 41, limit: 100 });
    expect((await admit(request, caller, { begins: "message" }))?.status).toBe(402);
    expect(await admit(request, caller, { begins: "answers", sessionId: "s1" })).toBeUndefined();
  });

  it("counts US dollars as `reservation()` does", async () => {
    const reservations = memoryReservations();
    await reservations.reserve({ account: "w1", id: "r1", amount: 600_000, limit: 1_000_000 });
    const admit = (amountUsd: number) =>
      admitReservation({ reservations, account: () => "w1", limitUsd: 1, amountUsd })(request, caller, {
        begins: "message",
      });
    expect(await admit(0.4)).toBeUndefined();
    expect((await admit(0.41))?.status).toBe(402);
  });

  it.each([
    ["no amount", { limit: 5 }],
    ["two units", { limit: 5, amount: 5, limitUsd: 1, amountUsd: 1 }],
    ["an unknown option", { limit: 5, amount: 5, amout: 1 }],
  ])("refuses %s", (_, numbers) => {
    expect(() => admitReservation({ ...budget, ...numbers })).toThrow(
      expect.objectContaining({ code: "config" }),
    );
  });
});

describe("F17 over HTTP", () => {
  const token = "tok_4f2c9a7e1b8d6053";

  it("the caller's roles reach a tool and no client", async () => {
    const seen: Json[] = [];
    const whoami = tool({
      name: "whoami",
      description: "Says the name of the user.",
      input: jsonSchema({ type: "object" }),
      execute: (_input, { caller, credentials }: ToolContext) => {
        seen.push({ caller, credentials } as Json);
        throw new Error(`refused for ${token}`);
      },
    });
    const model = strictModel({ script: [{ tools: [{ name: "whoami", input: {} }] }, { text: "Ok." }] });
    const at = await serve(model, {
      tools: [whoami],
      authorize: () => ({ userId: "ada", caller: { roles: ["secret-role"] }, credentials: { token } }),
    });
    const response = await at.ask("/runs", post({ input: "Hi" }));
    const sent = await response.text();
    expect(seen).toEqual([{ caller: { roles: ["secret-role"] }, credentials: { token } }]);
    expect([sent.includes("secret-role"), sent.includes(token)]).toEqual([false, false]);
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    const read = await (await at.ask(`/sessions/${sessionId}/events`)).text();
    expect([read.includes("secret-role"), read.includes(token)]).toEqual([false, false]);
  });

  it("a client cannot claim to be somebody else", async () => {
    const at = await serve(strictModel({ script: [{ text: "Hello." }] }));
    for (const forged of [{ caller: { roles: ["admin"] } }, { credentials: { token } }, { userId: "bob" }]) {
      const response = await at.ask("/runs", post({ input: "Hi", ...forged }));
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(Object.keys(forged)[0]);
    }
  });

  it("refuses a caller that is no object", async () => {
    const serving = handler({
      runtime: runtime({
        agents: [agent({ name: "a", model: scriptedModel([]), instructions: "Help." })],
        store: memoryStore(),
      }),
      agent: "a",
      authorize: () => ({ userId: "ada", caller: ["admin"] as never }),
      onError: () => undefined,
    });
    expect((await serving(new Request("http://localhost/sessions"))).status).toBe(500);
  });
});
