import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { strictModel } from "@pawl/testing";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { describe, expect, it } from "vitest";
import { BACKEND_PATH } from "../src/index.ts";
import { aspEvents, billing, bodyOf, SERVICE_KEY, tokenOf } from "./support/coaching.ts";
import { setUp } from "./support/set-up.ts";

const { coach, newUser } = setUp("planned");
const model = strictModel({ script: [] });
const root = join(import.meta.dirname, "..");

/** Returns the names of all fields in a JSON value. */
function fieldsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(fieldsIn)];
}

describe("X3 the plan that the coach follows", () => {
  it("X3 T10 the backend lists its tools with plain schemas, and runs one for the user of the token", async () => {
    const of = await coach({ model });
    const [ada, bob] = [newUser(), newUser()];
    const listed = await of.call("/tools/schema", undefined, tokenOf(ada));
    expect(listed.status).toBe(200);
    const { tools } = await bodyOf<{ tools: { name: string; input_schema: object }[] }>(listed);
    expect(tools.map(({ name }) => name)).toContain("get_rank_benchmarks");
    expect(tools).toHaveLength(8);
    const keywords = tools.flatMap(({ input_schema }) => fieldsIn(input_schema));
    for (const needless of ["title", "allOf", "$ref", "$defs"]) expect(keywords).not.toContain(needless);
    const execute = async (userId: string, tool_name: string, tool_input: object) => {
      const response = await of.call("/tools/execute", { tool_name, tool_input }, tokenOf(userId));
      return {
        status: response.status,
        body: await bodyOf<{ tool_name: string; result: unknown }>(response),
      };
    };
    const ranks = await execute(ada, "get_rank_benchmarks", { playlist: "doubles", ranks: ["Gold II"] });
    expect(ranks).toMatchObject({ status: 200, body: { tool_name: "get_rank_benchmarks" } });
    expect(JSON.stringify(ranks.body.result)).toContain("Gold II");
    await execute(ada, "save_coaching_note", { topic: "goals", text: "Ada wants Champion I" });
    const notes = async (user: string) =>
      JSON.stringify((await execute(user, "get_coaching_notes", {})).body);
    expect(await notes(ada)).toContain("Ada wants Champion I");
    expect(await notes(bob)).not.toContain("Ada");
  });

  it("X3 W3 the answer is a stream: its first events arrive while the model still writes", async () => {
    const goOn = Promise.withResolvers<void>();
    const answering = billing({ rules: () => ({ thinking: "Short.", text: "Take the small pads." }) });
    const slow: typeof answering.stream = async function* (request, given) {
      for await (const event of answering.stream(request, given)) {
        if (event.type === "message_delta") await goOn.promise;
        yield event;
      }
    };
    const of = await coach({ model: { ...answering, stream: slow } });
    const response = await of.chat({ message: "Hi" }, tokenOf(newUser()));
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const begins = response.clone().body?.getReader();
    let heard = "";
    while (!heard.includes('"type":"text"')) heard += new TextDecoder().decode((await begins?.read())?.value);
    expect(heard).toContain('"type":"ack"');
    expect(heard).not.toContain("message_stop");
    goOn.resolve();
    expect((await aspEvents(response)).at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
  });

  it("X3 T1 the calls of one turn run at the same time, and each result has the id of its call", async () => {
    const calls = [1, 2, 3].map((limit) => ({ name: "get_coaching_notes", input: { limit } }));
    const reading = billing({ rules: (_, { turn }) => (turn === 0 ? { tools: calls } : { text: "Read." }) });
    const all = Promise.withResolvers<void>();
    let running = 0;
    const of = await coach({
      model: reading,
      between: async (request, send) => {
        if (!request.url.endsWith("/tools/execute")) return await send(request);
        running += 1;
        if (running === 3) all.resolve();
        await all.promise;
        return await send(request);
      },
    });
    const events = await aspEvents(await of.chat({ message: "Hi" }, tokenOf(newUser())));
    const idsOf = (wanted: string) =>
      events.flatMap(({ type, tool_use_id }) => (type === wanted ? [String(tool_use_id)] : [])).sort();
    expect(idsOf("tool")).toHaveLength(3);
    expect(idsOf("tool_result")).toEqual(idsOf("tool"));
  });

  it("X3 E10 a request holds its tokens for five minutes, and an abort gives them back at once", async () => {
    const of = await coach({ model });
    const user = newUser();
    const made = await of.call("/chat/preflight", { message: "Hi" }, tokenOf(user));
    const { reservation_id } = await bodyOf(made);
    const use = { reservation_id, tokens_used: 0 };
    const held = await bodyOf<object>(await of.call("/chat/renew", use, SERVICE_KEY));
    expect(held).toMatchObject({ held: true, ttl_ms: 5 * 60_000 });
    expect((await of.budget(user)).held).toBe(100_000);
    expect(await bodyOf<object>(await of.call("/chat/abort", use, SERVICE_KEY))).toMatchObject({
      aborted: true,
      tokens_used: 0,
    });
    expect(await of.budget(user)).toMatchObject({ used: 0, held: 0 });
  });

  it("X3 F18 more messages in a minute than a user may send are refused before anything is reserved", async () => {
    const answering = billing({ rules: () => ({ text: "Hello." }) });
    const rateLimit = new RateLimiterMemory({ points: 2, duration: 60 });
    const of = await coach({ model: answering, rateLimit });
    const [ada, bob] = [newUser(), newUser()];
    for (const status of [200, 200, 429, 429]) {
      const response = await of.chat({ message: "Hi" }, tokenOf(ada));
      expect(response.status).toBe(status);
      await response.text();
    }
    expect(answering.requests).toHaveLength(2);
    expect((await of.budget(ada)).held).toBe(0);
    const { sessions } = await bodyOf(await of.call("/sessions", undefined, tokenOf(ada)));
    expect(sessions).toHaveLength(2);
    expect((await of.chat({ message: "Hi" }, tokenOf(bob))).status).toBe(200);
  });

  it("X3 the backend has no chat of its own: nothing in it knows of a model", async () => {
    const of = await coach({ model });
    expect((await of.call("/chat", { message: "Hi" }, tokenOf(newUser()))).status).toBe(404);
    const files = ["backend", "data", "tools"].flatMap((room) =>
      readdirSync(join(root, "src", room), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => join(root, "src", room, file)),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const file of files)
      expect(readFileSync(file, "utf8"), file).not.toMatch(/anthropic|ModelClient|@pawl\/openai/i);
  });

  it("X3 the README has every route of the backend", async () => {
    const { backend } = await coach({ model });
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const paths = backend.routes
      .map(({ path }) => path.slice(BACKEND_PATH.length + 1))
      .filter((path) => path !== "" && !path.includes("*"));
    const all = [...paths, "tools/schema", "tools/execute"];
    expect(all.length).toBeGreaterThanOrEqual(9);
    for (const path of all) expect(readme, path).toContain(path);
  });
});
