import { type Hook, type JsonObject, jsonSchema, type StoredEvent, systemClock } from "@pawl/core";
import { remoteTools } from "@pawl/remote";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Answer, backend, front, look, looks, sendJson, TOKEN } from "../support/backend.ts";

const fine = sendJson({ result: 1 });
const listing = (...tools: unknown[]) => sendJson({ tools });

/** Answers with an ETag, and 304 to those who know it. */
const tagged = (tag: () => string, ...tools: unknown[]): Answer => {
  return (got, response) =>
    got.headers["if-none-match"] === tag()
      ? response.writeHead(304, { etag: tag() }).end()
      : sendJson({ tools }, 200, { etag: tag() })(got, response);
};

async function refusalOf(schema: Answer, more = {}, run = {}): Promise<string> {
  const { url } = await backend(fine, schema);
  const { run: begin, store } = front({ url, schemaTimeoutMs: 500, ...more });
  const error = await begin(run).result.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toMatchObject({ code: "tools_failed" });
  expect(await store.sessions.list({ userId: "ada" })).toMatchObject([{ lastSeq: 0 }]);
  const text = String(error) + JSON.stringify(error) + String((error as Error).cause);
  expect(text).not.toContain(TOKEN);
  return (error as Error).message
    .replace(url, "URL")
    .replace(/^The function `tools` of agent\("coach"\) failed: /, "");
}

describe("T10 a list of tools", () => {
  it("is simplified, also where the server does not do so", async () => {
    const input_schema = {
      title: "LookInput",
      type: "object",
      properties: { at: { allOf: [{ $ref: "#/$defs/At" }], title: "At" } },
      $defs: { At: { title: "At", type: "string" } },
    };
    const { url } = await backend(fine, listing({ ...look, input_schema }));
    const { run, model } = front({ url });
    await run().result;
    expect(model.requests[0]?.tools?.[0]?.input_schema).toEqual({
      type: "object",
      properties: { at: { type: "string" } },
    });
  });

  it.each<[string, Answer, string]>([
    [
      "is no JSON",
      (_got, response) => response.end("<html>"),
      "the list of tools is not valid: it must be a JSON object with a list `tools`.",
    ],
    [
      "is another shape",
      sendJson([look]),
      "the list of tools is not valid: it must be a JSON object with a list `tools`.",
    ],
    [
      "has a nameless tool",
      listing({ description: "?" }),
      "the list of tools is not valid: its tool number 1 has no name.",
    ],
    [
      "has a wrong name",
      listing({ ...look, name: "look at" }),
      'the list of tools is not valid: its tool "look at" cannot be used: "look at" is not a valid tool name: use 1 to 64 letters, digits, _ or -.',
    ],
    ["has twins", listing(look, look), 'the list of tools is not valid: it has two tools named "look".'],
    [
      "has no schema",
      listing({ name: "look" }),
      'the list of tools is not valid: its tool "look" cannot be used: `input_schema` must be a JSON Schema, an object.',
    ],
    [
      "has a schema that is no object's",
      listing({ ...look, input_schema: { type: "string" } }),
      'the list of tools is not valid: its tool "look" cannot be used: The input schema of the tool "look" must describe an object.',
    ],
    [
      "has a broken schema",
      listing({ ...look, input_schema: { type: "object", properties: { a: { type: "text" } } } }),
      'the list of tools is not valid: its tool "look" cannot be used: The schema of the tool "look" is not valid JSON Schema: #/properties/a has the unknown type "text".',
    ],
    [
      "has a reference to nothing",
      listing({ ...look, input_schema: { type: "object", properties: { a: { $ref: "#/$defs/A" } } } }),
      expect.stringContaining('its tool "look" cannot be used'),
    ],
    [
      "has a schema with too many values, even if most are titles",
      listing({ ...look, input_schema: { type: "object", anyOf: Array(10_000).fill({ title: "a" }) } }),
      expect.stringContaining("`input_schema` may have at most 20000 values"),
    ],
    [
      "has a wrong limit",
      listing({ ...look, timeout_ms: "5" }),
      expect.stringContaining('"look" cannot be used: `timeout_ms` must be'),
    ],
    [
      "has a wrong flag",
      listing({ ...look, idempotent: "yes" }),
      expect.stringContaining("`idempotent` must be true or false"),
    ],
    [
      "has too many",
      listing(...Array.from({ length: 200 }, (_, n) => ({ ...look, name: `t${n}` }))),
      "the list of tools is not valid: it has 200 tools, and at most 128 are used. Choose some with `include`.",
    ],
    [
      "is too long",
      listing({ ...look, description: "x".repeat(1_000_000) }),
      "the list of tools has more than 1000000 bytes (`maxResultBytes`).",
    ],
    [
      "is refused",
      sendJson({ error: { message: "no" } }, 401),
      "the tool's server did not accept the user's credentials. The user has to sign in again.",
    ],
    [
      "is forbidden, with the token",
      ({ headers }, response) =>
        sendJson({ detail: `no ${headers.authorization}` }, 403)({} as never, response),
      "this user may not do that: no Bearer …",
    ],
    [
      "is elsewhere",
      (_got, response) => response.writeHead(307, { location: "https://evil.example" }).end(),
      "the tool's server redirects to another address, which is not followed.",
    ],
    ["cannot be had", sendJson({}, 500), "the tool's server failed (500)."],
    ["takes too long", () => undefined, "the tool's server has not answered within 500 ms."],
  ])("that %s refuses the run, and nothing is stored", async (_, schema, message) => {
    const said = await refusalOf(schema);
    expect(said.replace("remoteTools() for URL: ", "")).toEqual(message);
  });

  it("F17 is not asked for without a token", async () => {
    expect(await refusalOf(fine, {}, { credentials: undefined })).toBe(
      "remoteTools() for URL: there is no token for the tools' server. Pass `credentials: { token }` to run(), return them from `authorize`, or set `token` of remoteTools().",
    );
    expect(await refusalOf(fine, {}, { credentials: { token: `${TOKEN}\n` } })).toMatch(
      "the token has characters",
    );
  });

  it.each<[string, object, JsonObject | string | undefined, string | undefined]>([
    ["a text as credentials", {}, "abc", "Bearer abc"],
    ["a text", { token: "own" }, undefined, "Bearer own"],
    [
      "a function of the caller",
      { token: ({ userId }: { userId: string }) => `for-${userId}` },
      undefined,
      "Bearer for-ada",
    ],
    ["no token", { token: false }, { token: "kept" }, undefined],
    ["headers", { token: false, headers: { authorization: "Basic eA" } }, undefined, "Basic eA"],
  ])("F17 is asked for with %s", async (_, more, credentials, header) => {
    const { url, got } = await backend(fine);
    await front({ url, ...more }).run({ credentials }).result;
    expect(got.map(({ headers }) => headers.authorization)).toEqual([header, header]);
  });

  it("has the tools in `include` only, and a warning names those that are not there", async () => {
    const broken = { name: "broken" };
    const { url } = await backend(fine, listing(broken, look));
    const { run, model, warnings } = front({ url, include: ["look", "gone"] });
    await run().result;
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["look"]);
    expect(warnings).toEqual([`remoteTools() for ${url}: the server does not have the tools gone.`]);
  });

  it("B7 is in a prompt up to `maxToolChars`, and a warning and the log name the tools that are left out", async () => {
    const tools = ["look", "b", "c"].map((name) => ({ ...look, name, description: "d".repeat(1_000) }));
    const { url } = await backend(fine, listing(...tools));
    const { run, model, warnings, logOf } = front({ url, maxToolChars: 1_500 }, { script: looks(2) });
    const { sessionId } = await run().result;
    await run({ sessionId }).result;
    expect(model.requests.map((request) => request.tools?.map(({ name }) => name))).toEqual(
      Array(4).fill(["look"]),
    );
    const why = `the tools of "${url}" may have at most 1500 characters together`;
    expect(warnings).toEqual([`remoteTools() for ${url}: tools are left out, because ${why}: b, c.`]);
    expect((await logOf(sessionId)).filter(({ type }) => type === "error")).toMatchObject(
      Array(2).fill({ data: { code: "tools_left_out", context: { source: url, tools: ["b", "c"] } } }),
    );
  });

  it("B7 is in a prompt up to 200,000 characters", async () => {
    const tools = Array.from({ length: 50 }, (_, at) => ({
      ...look,
      name: at === 0 ? "look" : `t${at}`,
      description: "d".repeat(10_000),
    }));
    const { url } = await backend(fine, listing(...tools));
    const { run, model, warnings } = front({ url });
    await run().result;
    expect(model.requests[0]?.tools).toHaveLength(19);
    expect(warnings).toEqual([expect.stringMatching(/200000 characters together: t19, .* and 11 more\.$/)]);
  });
});

describe("T10 lists are kept", () => {
  it("for a while, then asked for again with their ETag", async () => {
    const { url, lists } = await backend(
      fine,
      tagged(() => '"v1"', look),
    );
    const now = vi.spyOn(systemClock, "now").mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    const { run } = front({ url, cacheMs: 100 }, { script: looks(3) });
    await run().result;
    await run().result;
    expect(lists()).toHaveLength(1);
    now.mockReturnValue(1_110);
    expect((await run().result).actions[0]?.success).toBe(true);
    expect(lists().map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"v1"']);
  });

  it("and read once for runs that begin together", async () => {
    const { url, lists } = await backend(fine, (got, response) => {
      globalThis.setTimeout(() => listing(look)(got, response), 30);
    });
    const script = Array.from({ length: 10 }, () => ({ text: "Hi." }));
    const { run } = front({ url }, { script });
    await Promise.all(Array.from({ length: 10 }, () => run().result));
    expect(lists()).toHaveLength(1);
  });

  it("F19 for each user and caller, or for all", async () => {
    const { url, lists } = await backend(fine);
    const runs = async (more: object) => {
      const { run } = front({ url, ...more }, { script: looks(3) });
      for (const who of [{}, { userId: "bo" }, { caller: { role: "coach" } }]) await run(who).result;
    };
    await runs({});
    expect(lists()).toHaveLength(3);
    await runs({ perUser: false });
    expect(lists()).toHaveLength(4);
  });

  it("and used while the server is down, but not if it refuses the user", async () => {
    const { url, routes, lists } = await backend(fine);
    const { run, warnings } = front({ url, cacheMs: 0, retries: 0 }, { script: looks(2) });
    await run().result;
    routes.schema = sendJson({}, 503);
    expect((await run().result).actions[0]?.success).toBe(true);
    expect(warnings).toEqual([
      `remoteTools() for ${url}: the last list of tools is used, because the tool's server failed (503).`,
    ]);
    routes.schema = sendJson({}, 401);
    await expect(run().result).rejects.toMatchObject({ code: "tools_failed" });
    routes.schema = sendJson({}, 503);
    await expect(run().result).rejects.toMatchObject({ code: "tools_failed" });
    expect(lists()).toHaveLength(4);
  });

  /** The tools of a server for a user, without a run. `hand` answers the requests. */
  function handed(hand: (path: string, init: RequestInit) => Response, more = {}) {
    const sent: Headers[] = [];
    const tools = remoteTools({
      url: "http://h",
      token: false,
      retries: 0,
      onWarning: () => undefined,
      fetch: async (input, init = {}) => {
        sent.push(new Headers(init.headers));
        return hand(String(input), init);
      },
      ...more,
    });
    const signal = new AbortController().signal;
    const listFor = async (userId: string) =>
      await tools({
        session: { id: "s", userId },
        caller: {},
        credentials: undefined,
        deps: undefined,
        signal,
      });
    return { sent, listFor };
  }

  it("and used for 5 seconds while the server is down, although lists are kept for longer", async () => {
    const clock = vi.spyOn(systemClock, "now");
    onTestFinished(() => clock.mockRestore());
    let isDown = false;
    const { sent, listFor } = handed(() =>
      isDown ? Response.json({}, { status: 503 }) : Response.json({ tools: [look] }),
    );
    const start = Date.now();
    for (const [at, down, requests] of [
      [0, false, 1],
      [59_999, false, 1],
      [60_001, true, 2],
      [65_000, true, 2],
      [65_002, true, 3],
      [70_003, false, 4],
      [130_002, false, 4],
    ] as const) {
      clock.mockReturnValue(start + at);
      isDown = down;
      expect([at, (await listFor("ada")).length, sent.length]).toEqual([at, 1, requests]);
    }
  });

  it("for the last 1,000 users", async () => {
    const { sent, listFor } = handed(() => Response.json({ tools: [look] }, { headers: { etag: '"1"' } }));
    for (let n = 0; n <= 1_000; n += 1) await listFor(`u${n}`);
    await listFor("u1");
    expect(sent).toHaveLength(1_001);
    await listFor("u0");
    expect(sent).toHaveLength(1_002);
    expect(sent.at(-1)?.get("if-none-match")).toBeNull();
  });

  it("F17 another token is tried if the one of a run that began before is refused", async () => {
    const { url, lists } = await backend(fine, (got, response) => {
      const isOld = got.headers.authorization === "Bearer old";
      globalThis.setTimeout(() => (isOld ? sendJson({}, 401) : listing(look))(got, response), 30);
    });
    const { run } = front({ url }, { script: [{ text: "Hi." }] });
    const [old, fresh] = await Promise.allSettled([
      run({ credentials: "old" }).result,
      run({ credentials: "new" }).result,
    ]);
    expect([old.status, fresh.status, lists().length]).toEqual(["rejected", "fulfilled", 2]);
  });
});

const toolsOf = (log: StoredEvent[], type: string) =>
  log.filter((event) => event.type === type).map(({ data }) => (data as { tools: unknown }).tools);

describe("F25 a server that changes its tools", () => {
  const other = { ...look, name: "gaze" };

  it("between two turns: the call fails, and the next run begins with a new prefix", async () => {
    const { url, routes, lists } = await backend(
      sendJson({ error: { code: "unknown_tool", message: "?" } }, 404),
    );
    const { run, logOf, model } = front({ url }, { script: [...looks(), { text: "Hi." }] });
    routes.schema = listing(look);
    const { actions, sessionId } = await run().result;
    expect(actions[0]?.result).toBe("Not run: the tool's server does not have this tool any more.");
    routes.schema = listing(other);
    await run({ sessionId }).result;
    expect(lists()).toHaveLength(2);
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["look"],
      ["look"],
      ["gaze"],
    ]);
    expect(toolsOf(await logOf(sessionId), "prefix")).toMatchObject([[{ name: "look" }], [{ name: "gaze" }]]);
    expect(model.rejected).toEqual([]);
  });

  const asks: Hook = {
    name: "asks",
    beforeTool: ({ answer }) =>
      answer === undefined
        ? { ask: { kind: "sure", payload: null, answer: jsonSchema({ type: "boolean" }) } }
        : undefined,
  };

  it.each<[string, object, object, string]>([
    [
      "removes one",
      other,
      { removed: ["look"], changed: [] },
      'The tool "look" is not available any more. The user had answered: true',
    ],
    [
      "changes one",
      { ...look, input_schema: { type: "object", properties: { at: { type: "number" } } } },
      { removed: [], changed: ["look"] },
      "This tool has changed since you were given it. Its input must now match this schema",
    ],
  ])(
    "while a question waits, and %s: the log says so, and the prefix stays",
    async (_, now, tools, result) => {
      const { url, routes, calls } = await backend(fine);
      const { run, logOf, model, pawl } = front({ url, cacheMs: 0 }, { hooks: [asks] });
      const { sessionId, pending } = await run().result;
      routes.schema = listing(now);
      const answers = [{ callId: pending[0]?.callId ?? "", value: true }];
      const end = await pawl.run("coach", { userId: "ada", sessionId, answers, credentials: TOKEN }).result;
      const log = await logOf(sessionId);
      expect(toolsOf(log, "agent_changed")).toEqual([tools]);
      expect(toolsOf(log, "prefix")).toHaveLength(1);
      const stored = log.find(({ type }) => type === "tool_result")?.data as { result: string };
      expect(stored.result).toContain(result);
      expect([end.stop.type, calls(), model.rejected]).toEqual(["end_turn", [], []]);
    },
  );
});
