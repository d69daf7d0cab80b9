import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { PawlError, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../test/support/printed.ts";
import { until } from "../../../test/support/until.ts";
import { agentApi, localIssuer, trainer } from "../src/index.ts";
import { idle, notify, told, workout, world } from "./support/world.ts";

const paths = [
  ["POST", "/chat"],
  ["POST", "/stream"],
  ["GET", "/sessions"],
  ["POST", "/sessions"],
  ["GET", "/sessions/s1"],
  ["GET", "/nothing"],
] as const;

describe("12.7 authentication and the API", () => {
  it("X2 requires a bearer token for every path under /agent: 401 without one", async () => {
    const made = await world();
    for (const [method, path] of paths) {
      const response = await made.ask(path, { method, as: null });
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
    expect(await made.store.sessions.list({ userId: made.userId })).toEqual([]);
  });

  it("X2 answers 401 to tokens that are expired, foreign or malformed", async () => {
    const made = await world();
    const sub = made.userId;
    const { privateKey } = await generateKeyPair("ES256");
    const forged = await new SignJWT({ role: "authenticated" })
      .setProtectedHeader({ alg: "ES256", kid: "k" })
      .setSubject(sub)
      .setIssuer("http://issuer.localhost/auth/v1")
      .setAudience("authenticated")
      .setExpirationTime("1h")
      .sign(privateKey);
    const old = await localIssuer({ now: () => Date.now() - 2 * 3_600_000 });
    const other = await localIssuer();
    const tokens = ["", "nonsense", "a.b.c", forged, await old.issue(sub), await other.issue(sub)];
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await made.ask("/sessions", { headers, as: null });
      expect([token.slice(0, 8), response.status]).toEqual([token.slice(0, 8), 401]);
      expect(await response.text()).not.toContain(token === "" ? "\u0000" : token);
    }
  });

  it("X2 W5 says 503 if the store or the issuer cannot be reached, and not why", async () => {
    const cause = () => Promise.reject(new PawlError("store_unavailable", "connect db.internal:5432"));
    const errors: unknown[] = [];
    const made = await world();
    const { sessions } = made.store;
    for (const name of ["list", "create", "get"] as const) {
      const broken = { ...made.store, sessions: { ...sessions, [name]: cause } };
      const api = agentApi({
        runtime: runtime({
          agents: [trainer({ models: [scriptedModel([])] })],
          store: broken,
          deps: () => ({}) as never,
        }),
        authorize: () => ({ userId: made.userId }),
        models: [],
        onError: (error) => errors.push(error),
      });
      const path = name === "get" ? "/sessions/s1" : "/sessions";
      const method = name === "create" ? "POST" : "GET";
      const response = await api(new Request(`http://localhost/agent${path}`, { method }));
      expect([name, response.status]).toEqual([name, 503]);
      expect(response.headers.get("retry-after")).toBe("1");
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ error: { code: "store_unavailable" } });
      expect(text).not.toContain("internal:");
    }
    expect(errors).toHaveLength(3);
  });

  it("X2 uses the token's sub as the user, who owns the sessions", async () => {
    const made = await world();
    const { session } = (await (await made.ask("/sessions", { method: "POST" })).json()) as {
      session: { user_id: string };
    };
    expect(session.user_id).toBe(made.userId);
  });

  it("X2 chat and stream refuse a request without a message: 400, and nothing is begun", async () => {
    const made = await world();
    const bodies = [
      {},
      { message: "" },
      { message: "  " },
      { message: 5 },
      { message: null },
      [],
      "x",
      { message: "x".repeat(5_000) },
    ];
    for (const path of ["/chat", "/stream"]) {
      for (const json of bodies) expect((await made.ask(path, { json })).status).toBe(400);
      const noJson = await made.ask(path, { method: "POST", body: "message=hi" });
      expect([400, 415]).toContain(noJson.status);
      const packed = await made.ask(path, {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": "gzip" },
        body: gzipSync('{"message":"Hi"}'),
      });
      expect([packed.status, packed.headers.get("accept-encoding")]).toEqual([415, "identity"]);
    }
    expect(await made.store.sessions.list({ userId: made.userId })).toEqual([]);
  });

  it("X2 refuses a model that is not served, and an invalid workout", async () => {
    const made = await world();
    const bad = [
      { model: "gpt-9" },
      { model: 5 },
      { currentWorkout: "x" },
      { currentWorkout: [] },
      { currentWorkout: { exercises: 5 } },
    ];
    for (const more of bad) {
      const response = await made.ask("/chat", { json: { message: "Hi", ...more } });
      expect([more, response.status]).toEqual([more, 400]);
      expect(((await response.json()) as { error: { message: string } }).error.message).toMatch(
        /model|currentWorkout/,
      );
    }
  });

  it("E11 answers 404 for another user's session, when reading it and when continuing it", async () => {
    const made = await world({ script: [notify(), idle] });
    const first = await made.ask("/chat", { json: { message: "Hi" } });
    const { sessionId } = (await first.json()) as { sessionId: string };
    const eve = randomUUID();
    expect((await made.ask(`/sessions/${sessionId}`, { as: eve })).status).toBe(404);
    expect((await made.ask("/chat", { json: { message: "Hi", sessionId }, as: eve })).status).toBe(404);
    expect((await made.ask("/stream", { json: { message: "Hi", sessionId }, as: eve })).status).toBe(404);
    expect(await (await made.ask("/sessions", { as: eve })).json()).toEqual({ sessions: [] });
  });

  it("E11 answers 404 for another agent's session, when reading it and when continuing it", async () => {
    expectPrinted('pawl: A client has asked for a session of the agent "coach", which this runtime lacks.');
    const made = await world({ script: [notify(), idle] });
    const { id } = await made.store.sessions.create({
      id: randomUUID(),
      userId: made.userId,
      agent: "coach",
    });
    expect((await made.ask(`/sessions/${id}`)).status).toBe(404);
    expect((await made.ask("/chat", { json: { message: "Hi", sessionId: id } })).status).toBe(404);
  });

  it("X2 refuses a body that is too deep or too long, also in an open session", async () => {
    const made = await world();
    await made.ask("/sessions", { method: "POST" });
    const headers = { "content-type": "application/json" };
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    for (const field of ["x", "currentWorkout"]) {
      const body = `{"message":"Hi","${field}":${deep}}`;
      expect((await made.ask("/chat", { method: "POST", headers, body })).status).toBe(400);
    }
    let read = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        read += 1;
        if (read === 1_000) controller.close();
        else controller.enqueue(new Uint8Array(100_000).fill(32));
      },
    });
    const sent = { method: "POST", headers, body: endless, duplex: "half" } as RequestInit;
    expect((await made.ask("/chat", sent)).status).toBe(413);
    expect(read).toBeLessThan(100);
  });

  it("X2 lists sessions, newest first, as many as requested", async () => {
    const made = await world();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const { session } = (await (await made.ask("/sessions", { method: "POST" })).json()) as {
        session: { id: string };
      };
      ids.unshift(session.id);
    }
    const list = async (query: string) =>
      ((await (await made.ask(`/sessions${query}`)).json()) as { sessions: { id: string }[] }).sessions.map(
        ({ id }) => id,
      );
    expect(await list("")).toHaveLength(10);
    expect(await list("?limit=3")).toEqual(ids.slice(0, 3));
    for (const limit of ["0", "-1", "x", "1.5", "1000"])
      expect((await made.ask(`/sessions?limit=${limit}`)).status).toBe(400);
  });

  it("X2 shows a session with its recent actions", async () => {
    const made = await world({ script: [workout(), notify(), idle] });
    const first = await made.ask("/chat", { json: { message: "A chest workout" } });
    const { sessionId } = (await first.json()) as { sessionId: string };
    const { session, recentActions } = (await (await made.ask(`/sessions/${sessionId}`)).json()) as {
      session: Record<string, unknown>;
      recentActions: { event_type: string; data: { tool_name: string } }[];
    };
    expect(session).toMatchObject({
      id: sessionId,
      user_id: made.userId,
      status: "completed",
      context_start_sequence: 0,
    });
    expect(recentActions.map(({ event_type, data }) => [event_type, data.tool_name])).toEqual(
      ["generate_workout", "message_notify_user", "idle"].flatMap((name) => [
        ["tool_call", name],
        ["tool_result", name],
      ]),
    );
  });
});

describe("12.6 streaming", () => {
  const stream = async (
    made: Awaited<ReturnType<typeof world>>,
    json: object = { message: "A chest workout" },
  ) => await made.ask("/stream", { json });

  it("X2 W1 W2 is an event stream of statuses, tools, knowledge and a final event, in this order", async () => {
    const made = await world({ script: [workout(), notify("Here."), idle] });
    const response = await stream(made);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("cache-control")).toContain("no-cache");
    const sessionId = response.headers.get("x-pawl-session");
    const events = await told(response);
    expect(
      events.map(({ type, data, status }) => [
        type,
        status ??
          (data as { phase?: string; status?: string })?.phase ??
          (data as { status?: string })?.status,
      ]),
    ).toEqual([
      ["status", "start"],
      ["generate_workout", "running"],
      ["status", "done"],
      ["generate_workout", "done"],
      ["message_notify_user", "running"],
      ["message_notify_user", "done"],
      ["status", "start"],
      ["idle", "running"],
      ["status", "done"],
      ["idle", "done"],
      ["done", undefined],
    ]);
    expect(events.at(-1)).toEqual({ type: "done", sessionId });
  });

  it("X2 T8 sends a tool's arguments at its start, and its result and formatted text at its end", async () => {
    const made = await world({ script: [notify("Hello."), idle] });
    const events = await told(await stream(made));
    const [start, end] = events.filter(({ type }) => type === "message_notify_user");
    expect(start).toEqual({
      type: "message_notify_user",
      data: { status: "running", args: { message: "Hello." } },
    });
    expect(end).toMatchObject({
      data: { success: true, message: "Hello." },
      formatted: expect.any(String),
      status: "done",
    });
  });

  it("X2 E5 includes the artifact in the message that delivers it", async () => {
    const made = await world({
      rules: (request, { n }) => {
        const id = /art_[\w-]+/.exec(JSON.stringify(request.messages))?.[0];
        return [workout(), notify("Here.", id), idle][n] ?? idle;
      },
    });
    const events = await told(await stream(made));
    const delivered = events.find(({ type, status }) => type === "message_notify_user" && status === "done");
    expect(delivered).toMatchObject({
      artifact_id: expect.stringMatching(/^art_/),
      artifact: {
        type: "exercise_list",
        payload: { exercises: [{ exercise_name: "Dumbbell bench press" }] },
      },
    });
  });

  it("X2 W5 a run that fails ends with an error without internal details", async () => {
    const made = await world({ rules: () => ({ fault: { status: 400, message: "secret-host" } }) });
    const events = await told(await stream(made));
    expect(events.at(-1)).toMatchObject({ type: "error", message: expect.any(String) });
    expect(JSON.stringify(events)).not.toContain("secret-host");
  });

  it("X2 L10 W4 does not stop a run when its reader disconnects", async () => {
    const made = await world({
      rules: (_, { n }) => ({ ...([workout(), notify("Here."), idle][n] ?? idle), latencyMs: 30 }),
    });
    const response = await stream(made);
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    await response.body?.cancel();
    const ended = async () => (await made.of(sessionId, "run_ended")).length > 0;
    await until(ended);
    expect((await made.of(sessionId, "run_ended"))[0]?.data).toMatchObject({
      session_status: "completed",
      turns: 3,
    });
  });
});
