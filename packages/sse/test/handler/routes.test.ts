import { agent, memoryStore, PawlError, runtime, type SessionView } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { aiSdk, handler, type WireError } from "../../src/index.ts";
import { handModel } from "../support/hand-model.ts";
import { allEvents, range, type Served, seqsOf, serve } from "../support/served.ts";

const question = { tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };

async function refused(response: Response): Promise<string> {
  const { error } = (await response.json()) as WireError;
  expect(Object.keys(error)).toEqual(["code", "message"]);
  expect(error.message).not.toMatch(/\bat .*:\d+|\.ts|node_modules|SELECT/);
  return `${response.status} ${error.code}`;
}

async function suspended(served: Served): Promise<string> {
  const response = await served.ask("/runs", { json: { input: "Do it" } });
  expect((await allEvents(response)).at(-1)?.type).toBe("run_suspended");
  return response.headers.get("x-pawl-session") ?? "";
}

describe("POST /runs", () => {
  it("W1 streams a run's events with the headers that proxies need, and ends cleanly", async () => {
    const served = await serve(scriptedModel([{ text: "Hello Ada." }]));
    const response = await served.ask("/runs", { json: { input: "Hi" } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    const sessionId = response.headers.get("x-pawl-session");
    const events = await allEvents(response);
    expect(events[0]).toMatchObject({
      type: "run_started",
      seq: 1,
      sessionId,
      data: { run_id: response.headers.get("x-pawl-run") },
    });
    expect(events.at(-1)?.type).toBe("run_ended");
    expect(seqsOf(events)).toEqual(range(1, seqsOf(events).length));
  });

  it("W1 frames with LF only: a comment at once, id and data for stored events, data alone for live ones", async () => {
    const served = await serve(scriptedModel([{ text: "One\nTwo\u2028Three" }]));
    const text = await (await served.ask("/runs", { json: { input: "Hi" } })).text();
    expect(text).not.toContain("\r");
    const [comment, ...frames] = text.split("\n\n");
    expect(comment).toBe(": pawl heartbeat=5000");
    expect(frames.pop()).toBe("");
    for (const part of frames) {
      expect(part).toMatch(/^(id: \d+\n)?data: \{[^\n]*\}$/);
      const event = JSON.parse(part.slice(part.indexOf("data: ") + 6)) as { seq?: number; type: string };
      expect(part.startsWith("id: ") ? Number(/^id: (\d+)/.exec(part)?.[1]) : undefined).toBe(event.seq);
    }
  });

  it("P1 P2 a question closes the stream, and its answer continues the run in a new one", async () => {
    const served = await serve(scriptedModel([question, { text: "Done." }]));
    const sessionId = await suspended(served);
    const response = await served.ask("/runs", {
      json: { sessionId, answers: [{ callId: "c1", value: { yes: true } }] },
    });
    const events = await allEvents(response);
    expect(events[0]?.type).toBe("tool_answered");
    expect(events.at(-1)?.type).toBe("run_ended");
  });

  it("P6 a message instead of an answer continues the stream beyond the end of the run that it ends", async () => {
    const served = await serve(scriptedModel([question, { text: "As you like." }]));
    const sessionId = await suspended(served);
    const response = await served.ask("/runs", { json: { sessionId, input: "Something else" } });
    const events = await allEvents(response);
    const ends = events.flatMap((event) => (event.type === "run_ended" ? [event.data] : []));
    expect(ends.map(({ stop }) => stop.type)).toEqual(["interrupted", "end_turn"]);
    expect(ends[1]?.run_id).toBe(response.headers.get("x-pawl-run"));
  });

  it("P4 P5 tells a forged call, a wrong shape and a second answer apart", async () => {
    const served = await serve(scriptedModel([question, { text: "Done." }]));
    const sessionId = await suspended(served);
    const answer = (callId: string, value: unknown) =>
      served.ask("/runs", { json: { sessionId, answers: [{ callId, value }] } });
    expect(await refused(await answer("forged", { yes: true }))).toBe("422 unknown_call");
    expect(await refused(await answer("c1", { yes: "perhaps" }))).toBe("422 invalid_answer");
    expect((await answer("c1", { yes: true })).status).toBe(200);
    expect(await refused(await answer("c1", { yes: false }))).toBe("409 already_answered");
  });

  it("P4 of many answers at once exactly one counts", async () => {
    const served = await serve(scriptedModel([question, { text: "Done." }]));
    const sessionId = await suspended(served);
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        served.ask("/runs", {
          json: { sessionId, answers: [{ callId: "c1", value: { yes: n % 2 === 0 } }] },
        }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  it("P4 accepts an answer only for the question that it names", async () => {
    const served = await serve(scriptedModel([question, { text: "Done." }]));
    const sessionId = await suspended(served);
    const { pending } = (await (await served.ask(`/sessions/${sessionId}`)).json()) as SessionView;
    const answer = (seq: unknown) =>
      served.ask("/runs", {
        json: { sessionId, answers: [{ callId: "c1", value: { yes: true }, question: seq }] },
      });
    expect(await refused(await answer("1"))).toBe("400 invalid_input");
    expect(await refused(await answer((pending[0]?.seq ?? 0) - 1))).toBe("409 already_answered");
    expect(await refused(await answer((pending[0]?.seq ?? 0) + 1))).toBe("422 unknown_call");
    expect((await answer(pending[0]?.seq ?? 0)).status).toBe(200);
  });

  it("refuses a message while a run is in progress", async () => {
    const model = handModel();
    const served = await serve(model);
    const first = await served.ask("/runs", { json: { input: "Hi" } });
    const sessionId = first.headers.get("x-pawl-session");
    const turn = await model.turn();
    expect(await refused(await served.ask("/runs", { json: { sessionId, input: "And?" } }))).toBe(
      "409 session_busy",
    );
    turn.end();
    await allEvents(first);
  });

  it("answers a repeated message with the run that it began, in a known session and in a new one", async () => {
    const served = await serve(scriptedModel([{ text: "Once." }, { text: "Twice." }, { text: "To Bob." }]));
    const send = (json: object) => served.ask("/runs", { json });
    const first = await send({ input: "Hi", clientMessageId: "m1" });
    const again = await send({ input: "Hi", clientMessageId: "m1" });
    for (const name of ["x-pawl-session", "x-pawl-run"]) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(seqsOf(await allEvents(again))).toEqual(seqsOf(await allEvents(first)));
    const sessionId = first.headers.get("x-pawl-session");
    const second = await send({ sessionId, input: "More", clientMessageId: "m2" });
    const repeated = await send({ sessionId, input: "More", clientMessageId: "m2" });
    expect(seqsOf(await allEvents(repeated))).toEqual(seqsOf(await allEvents(second)));
    expect(await served.store.sessions.list({ userId: "ada" })).toHaveLength(1);
    expect(await refused(await served.ask("/runs", { json: { sessionId, input: "?" }, as: "bob" }))).toBe(
      "404 not_found",
    );
    const bobs = await served.ask("/runs", { json: { input: "Hi", clientMessageId: "m1" }, as: "bob" });
    expect(bobs.headers.get("x-pawl-session")).not.toBe(sessionId);
  });
});

describe("bodies", () => {
  const bad: [string, unknown][] = [
    ["nothing", {}],
    ["an array", []],
    ["null", null],
    ["both", { sessionId: "s", input: "x", answers: [{ callId: "c", value: 1 }] }],
    ["an empty message", { input: "  " }],
    ["a number as message", { input: 1 }],
    ["an unknown field", { input: "x", userId: "bob" }],
    ["no answers", { sessionId: "s", answers: [] }],
    ["answers without a session", { answers: [{ callId: "c", value: 1 }] }],
    ["an answer without a value", { sessionId: "s", answers: [{ callId: "c" }] }],
    ["an answer with more", { sessionId: "s", answers: [{ callId: "c", value: 1, result: 2 }] }],
    ["a long id", { sessionId: "s".repeat(201), input: "x" }],
    ["a NUL in an id", { input: "x", clientMessageId: "a\0b" }],
    ["a long message", { input: "x".repeat(200_000) }],
  ];
  it.each(bad)("refuses %s", async (_what, json) => {
    const served = await serve(scriptedModel([]));
    expect(await refused(await served.ask("/runs", { json }))).toBe("400 invalid_input");
    expect(await served.store.sessions.list({ userId: "ada" })).toEqual([]);
  });

  it("refuses invalid JSON, another content type, and endless nesting", async () => {
    const served = await serve(scriptedModel([]));
    const send = (body: string, type = "application/json") =>
      served.ask("/runs", { method: "POST", body, headers: { "content-type": type } });
    expect(await refused(await send("{"))).toBe("400 invalid_input");
    expect(await refused(await send(""))).toBe("400 invalid_input");
    expect(await refused(await send('{"input":"x"}', "text/plain"))).toBe("415 invalid_input");
    const deep = `{"sessionId":"s","answers":[{"callId":"c","value":${"[".repeat(1e5)}${"]".repeat(1e5)}}]}`;
    expect(await refused(await send(deep))).toBe("400 invalid_input");
  });

  it("W5 refuses 10 MB without reading it, announced or not, and the next request goes through", async () => {
    const served = await serve(scriptedModel([{ text: "Hello." }]));
    let sent = 0;
    const chunk = new Uint8Array(64_000).fill(32);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.length;
        if (sent >= 10_000_000) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const headers = { "content-type": "application/json" };
    const streamed = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const started = Date.now();
    expect(await refused(await served.ask("/runs", streamed))).toBe("413 too_large");
    expect(sent).toBeLessThan(10_000_000);
    const announced = { method: "POST", headers, body: " ".repeat(10_000_000) };
    expect(await refused(await served.ask("/runs", announced))).toBe("413 too_large");
    expect(Date.now() - started).toBeLessThan(5_000);
    expect((await served.ask("/runs", { json: { input: "Hi" } })).status).toBe(200);
  });
});

describe("sessions", () => {
  it("lists, shows and pages the user's own sessions of this agent", async () => {
    const served = await serve(scriptedModel([question, { text: "Two." }]));
    const first = await suspended(served);
    const second = await served.ask("/runs", { json: { input: "Another" } });
    await allEvents(second);
    await served.store.sessions.create({ id: "elsewhere", userId: "ada", agent: "other" });
    const { sessions } = (await (await served.ask("/sessions")).json()) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toEqual([second.headers.get("x-pawl-session"), first]);
    const shown = await (await served.ask(`/sessions/${first}`)).json();
    const { session, messages, pending, cursor } = await served.runtime.view(first, { userId: "ada" });
    expect(shown).toMatchObject(JSON.parse(JSON.stringify({ session, messages, pending, cursor })));
    expect(shown).toMatchObject({ run: { open: false }, runningTools: {} });
    const page = await (await served.ask(`/sessions/${first}/events?after=${cursor - 2}`)).json();
    expect(page).toMatchObject({ events: [{ seq: cursor - 1 }, { seq: cursor, type: "run_suspended" }] });
  });

  it("shows no redacted content, wherever a reader begins", async () => {
    const served = await serve(scriptedModel([{ text: "Ok." }]));
    const response = await served.ask("/runs", { json: { input: "secret" } });
    const id = response.headers.get("x-pawl-session") ?? "";
    const message = (await allEvents(response)).find(({ type }) => type === "user_message");
    const seq = message !== undefined && "seq" in message ? message.seq : 0;
    await served.runtime.redact(id, seq, { userId: "ada" });
    for (const path of [`/sessions/${id}`, `/sessions/${id}/events`]) {
      const text = await (await served.ask(path)).text();
      expect(text).toContain("[redacted]");
      expect(text).not.toContain("secret");
    }
  });

  const routes: [string, string][] = [
    ["GET", "/sessions/ID"],
    ["GET", "/sessions/ID/events"],
    ["GET", "/sessions/ID/stream"],
    ["POST", "/sessions/ID/stop"],
  ];
  it.each([...routes, ["POST", "/runs"]])(
    "E11 %s %s is 404 for another user, another agent and an unknown id",
    async (method, path) => {
      const served = await serve(scriptedModel([question]));
      const own = await suspended(served);
      await served.store.sessions.create({ id: "elsewhere", userId: "ada", agent: "other" });
      const events = (await served.store.sessions.get(own))?.lastSeq;
      for (const [id, as] of [
        [own, "bob"],
        ["elsewhere", "ada"],
        ["unknown", "ada"],
      ] as const) {
        for (const body of [{ input: "x" }, { answers: [{ callId: "c1", value: { yes: true } }] }]) {
          const json = path === "/runs" ? { sessionId: id, ...body } : undefined;
          const response = await served.ask(path.replace("ID", id), { method, json, as });
          expect(await refused(response)).toBe("404 not_found");
        }
      }
      expect((await served.store.sessions.get(own))?.lastSeq).toBe(events);
      expect(served.errors).toEqual([]);
    },
  );

  it("lists nothing of another user's", async () => {
    const served = await serve(scriptedModel([question]));
    await suspended(served);
    expect(await (await served.ask("/sessions", { as: "bob" })).json()).toEqual({ sessions: [] });
  });

  it.each([...routes, ["GET", "/sessions"], ["POST", "/runs"]])(
    "%s %s is 401 for nobody",
    async (method, path) => {
      const served = await serve(scriptedModel([]));
      expect(await refused(await served.ask(path, { method, as: null }))).toBe("401 unauthorized");
    },
  );

  it("L9 stops a run", async () => {
    const model = handModel();
    const served = await serve(model);
    const response = await served.ask("/runs", { json: { input: "Hi" } });
    (await model.turn()).say("Well, ");
    const id = response.headers.get("x-pawl-session");
    expect((await served.ask(`/sessions/${id}/stop`, { method: "POST" })).status).toBe(202);
    expect((await allEvents(response)).at(-1)).toMatchObject({ data: { stop: { type: "aborted" } } });
  });
});

describe("errors", () => {
  it("answers 404 for an unknown route, 405 with Allow for another method, 400 for an invalid cursor", async () => {
    const served = await serve(scriptedModel([question]));
    const id = await suspended(served);
    expect(await refused(await served.ask("/nothing"))).toBe("404 not_found");
    const wrong = await served.ask("/runs", { method: "DELETE" });
    expect(wrong.headers.get("allow")).toBe("POST");
    expect(await refused(wrong)).toBe("405 method_not_allowed");
    expect((await served.ask("/sessions", { method: "PUT" })).headers.get("allow")).toBe("GET, HEAD");
    expect(await refused(await served.ask(`/sessions/${id}/events?after=-1`))).toBe("400 invalid_input");
    const headers = { "last-event-id": "x" };
    expect(await refused(await served.ask(`/sessions/${id}/stream`, { headers }))).toBe("400 invalid_input");
  });

  it.each([undefined, null, "", 7])("E11 serves nobody whose name got lost: %s", async (userId) => {
    const served = await serve(scriptedModel([{ text: "Hello." }]), {
      authorize: () => ({ userId: userId as never }),
      dialect: aiSdk(),
    });
    const messages = [{ id: "m", role: "user", parts: [{ type: "text", text: "Hi" }] }];
    for (const path of ["/sessions", "/sessions/s1", "/sessions/s1/stream", "/runs/s1"]) {
      expect(await refused(await served.ask(path))).toBe("500 internal");
    }
    expect(await refused(await served.ask("/runs", { json: { id: "c", messages } }))).toBe("500 internal");
    expect(served.errors).toHaveLength(5);
    for (const error of served.errors) expect(error).toMatchObject({ code: "config" });
  });

  it.each([undefined, "ada", {}, { id: "ada" }])(
    "E11 reports what authorize() must return, if it returned something else: %j",
    async (caller) => {
      const served = await serve(scriptedModel([]), { authorize: () => caller as never });
      expect(await refused(await served.ask("/sessions"))).toBe("500 internal");
      expect(served.errors).toMatchObject([
        { code: "config", message: expect.stringContaining("must return { userId }") },
      ]);
    },
  );

  it("logs failures to the console by default, and reveals nothing to the client", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => printed.mockRestore());
    const pawl = runtime({
      agents: [agent({ name: "a", model: scriptedModel([]), instructions: "Help." })],
      store: memoryStore(),
    });
    const authorize = () => {
      throw new Error("The table of users is gone.");
    };
    const response = await handler({ runtime: pawl, agent: "a", authorize })(
      new Request("http://h/sessions"),
    );
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("gone");
    expect(printed.mock.calls).toEqual([["pawl: The table of users is gone."]]);
  });

  it("W5 reveals no internals when the store, or anything else, fails", async () => {
    const store = memoryStore();
    const failure = {
      error: new PawlError("store_unavailable", "SELECT * FROM secret at db.internal:5432") as Error,
    };
    const get = async () => {
      throw failure.error;
    };
    const served = await serve(scriptedModel([]), {
      store: { ...store, sessions: { ...store.sessions, get } },
    });
    const down = await served.ask("/sessions/s1");
    expect(down.headers.get("retry-after")).toBe("1");
    expect(await refused(down)).toBe("503 store_unavailable");
    failure.error = new TypeError("x is undefined at /srv/app.ts:1:2");
    expect(await refused(await served.ask("/sessions/s1"))).toBe("500 internal");
    expect(served.errors).toHaveLength(2);
  });

  it("W5 hides the system prompt and the causes of failures, unless `expose` says otherwise", async () => {
    expectPrinted("pawl: key sk-123 at 10.0.0.1");
    const broken = {
      ...scriptedModel([]),
      id: "broken",
      stream: () => {
        throw new Error("key sk-123 at 10.0.0.1");
      },
    };
    const hidden = await serve(broken);
    const stream = await (await hidden.ask("/runs", { json: { input: "Hi" } })).text();
    expect(stream).not.toMatch(/TOP SECRET|sk-123|10\.0\.0\.1/);
    expect(stream).toContain("run_ended");
    const open = await serve(broken, { expose: "all" });
    const whole = await (await open.ask("/runs", { json: { input: "Hi" } })).text();
    expect(whole).toMatch(/TOP SECRET/);
    expect(whole).toMatch(/sk-123/);
  });
});
