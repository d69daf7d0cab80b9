import { agent, approval, type Hook, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type HandlerOptions, handler } from "../../src/index.ts";

const SECRET = "postgres://admin:s3cret@db.internal/app";

function served(expose?: "all") {
  const query = tool({
    name: "query",
    description: `Queries ${SECRET}.`,
    input: z.object({}),
    execute: () => {
      throw new Error(`connect ${SECRET}\n    at Client.connect (/srv/app/db.js:1:1)`);
    },
  });
  const model = scriptedModel([{ tools: [{ name: "query" }] }, { text: "That did not work." }]);
  const made = agent({ name: "dba", model, instructions: `The database is ${SECRET}.`, tools: [query] });
  const serve = handler({
    runtime: runtime({ agents: [made], store: memoryStore() }),
    agent: "dba",
    authorize: () => ({ userId: "ada" }),
    ...(expose && { expose }),
  });
  const ask = (path: string, init?: RequestInit) => serve(new Request(`http://localhost${path}`, init));
  const post = (path: string, body: object) =>
    ask(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { ask, post };
}

describe("what does not leave the server", () => {
  it("W5 the message of a tool's failure, in the stream, the log and the view; nor prompt and tools", async () => {
    const { ask, post } = served();
    const run = await post("/runs", { input: "How many users?" });
    const id = run.headers.get("x-pawl-session");
    const everything = [
      run,
      await ask(`/sessions/${id}`),
      await ask(`/sessions/${id}/events`),
      await ask("/sessions"),
    ];
    for (const response of everything) {
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).not.toContain("s3cret");
      expect(text).not.toContain("/srv/app");
    }
  });

  it("W5 B9 the parsed input that a question keeps, in its event and in that of the start", async () => {
    const input = z.object({}).transform(() => ({ key: "s3cret" }));
    const suspends = { answer: z.boolean(), payload: () => ({}) };
    const query = tool({ name: "query", description: "Queries.", input, suspends, execute: () => "Done." });
    const model = scriptedModel([{ tools: [{ name: "query", id: "c1" }] }, { text: "Ok." }]);
    const made = agent({ name: "dba", model, instructions: "Look.", tools: [query] });
    const store = memoryStore();
    const pawl = runtime({ agents: [made], store });
    const { sessionId, pending } = await pawl.run(made, { userId: "ada", input: "Go" }).result;
    const answers = [{ callId: "c1", question: pending[0]?.seq ?? 0, value: true }];
    await pawl.run(made, { userId: "ada", sessionId, answers }).result;
    const stored = JSON.stringify(await Array.fromAsync(store.read(sessionId)));
    expect(stored.match(/"about":\{"input":\{"key":"s3cret"/g)).toHaveLength(2);
    const serve = handler({ runtime: pawl, agent: made, authorize: () => ({ userId: "ada" }) });
    for (const path of [`/sessions/${sessionId}`, `/sessions/${sessionId}/events`]) {
      const text = await (await serve(new Request(`http://localhost${path}`))).text();
      expect(text).toContain("query");
      expect(text).not.toContain("s3cret");
    }
  });

  it("W5 F35 the key of a task, which the application writes", async () => {
    const helper = agent({ name: "helper", model: scriptedModel([{ text: "Ok." }]), instructions: "Help." });
    const hook: Hook = {
      name: "briefing",
      beforeRun: async ({ runAgent }) => void (await runAgent(helper, "Go", { key: "about s3cret" })),
    };
    const model = scriptedModel([{ text: "Done." }]);
    const made = agent({ name: "dba", model, instructions: "Look.", hooks: [hook] });
    const pawl = runtime({ agents: [made], store: memoryStore() });
    const { sessionId } = await pawl.run("dba", { userId: "ada", input: "Go" }).result;
    const serve = handler({ runtime: pawl, agent: "dba", authorize: () => ({ userId: "ada" }) });
    const text = await (await serve(new Request(`http://localhost/sessions/${sessionId}/events`))).text();
    expect(text).toContain("task_started");
    expect(text).not.toContain("s3cret");
  });

  it("W5 F21 what a model answered a hook, which the log keeps for a repeated call", async () => {
    const small = scriptedModel([{ text: "s3cret: the user is a fraud." }]);
    const hook: Hook = {
      name: "judge",
      beforeRun: async ({ askModel }) =>
        void (await askModel(small, { prompt: "Who is this?", key: "judge" })),
    };
    const model = scriptedModel([{ text: "Hello." }]);
    const made = agent({ name: "dba", model, instructions: "Be kind.", hooks: [hook] });
    const pawl = runtime({ agents: [made], store: memoryStore() });
    const serve = handler({ runtime: pawl, agent: "dba", authorize: () => ({ userId: "ada" }) });
    const body = JSON.stringify({ input: "Hi" });
    const headers = { "content-type": "application/json" };
    const run = await serve(new Request("http://localhost/runs", { method: "POST", headers, body }));
    const id = run.headers.get("x-pawl-session");
    const streamed = await run.text();
    const log = await serve(new Request(`http://localhost/sessions/${id}/events`));
    for (const text of [streamed, await log.text()]) {
      expect(text).toContain("judge");
      expect(text).not.toContain("s3cret");
    }
  });

  it("W5 a tool's input as hooks changed it, and text for the model alone", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ key: z.string() }),
      execute: () => "ok",
    });
    const model = scriptedModel([{ tools: [{ name: "look", input: { key: "" } }] }, { text: "Done." }]);
    const knows: Hook = {
      name: "knows",
      beforeTool: () => ({ input: { key: SECRET } }),
      beforeTurn: async (_plan, { append, run }) => {
        await append({ type: "note", key: `n:${run.turns}`, data: { text: `The key is ${SECRET}.` } });
      },
    };
    const made = agent({
      name: "a",
      model,
      instructions: "Look.",
      tools: [look],
      hooks: [knows, approval({ when: [] })],
    });
    const pawl = runtime({ agents: [made], store: memoryStore() });
    const serve = handler({ runtime: pawl, agent: "a", authorize: () => ({ userId: "ada" }) });
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: "Go" }),
    };
    const text = await (await serve(new Request("http://localhost/runs", init))).text();
    expect(text).toContain("tool_started");
    expect(text).toContain("Done.");
    expect(text).not.toContain("s3cret");
  });

  const asked = async (expose?: HandlerOptions["expose"]) => {
    const enter = tool({
      name: "enter",
      description: "Enters.",
      input: z.object({}),
      execute: () => ({ entered: true }),
      format: (result) => JSON.stringify({ ...(result as object), guidance: "GUIDANCE-TEXT" }),
    });
    const knows: Hook = {
      name: "knows",
      beforeRun: async ({ append }) => {
        await append({ type: "knowledge", data: { source: "skill:calm", data: "SKILL-TEXT" }, key: "k1" });
        const params = { days_back: 7 };
        await append({ type: "knowledge", data: { source: "goals", data: "GOALS-TEXT", params }, key: "k2" });
      },
    };
    const model = scriptedModel([{ tools: [{ name: "enter" }] }, { text: "Done." }]);
    const made = agent({ name: "a", model, instructions: "Look.", tools: [enter], hooks: [knows] });
    const serve = handler({
      runtime: runtime({ agents: [made], store: memoryStore() }),
      agent: "a",
      authorize: () => ({ userId: "ada" }),
      ...(expose && { expose }),
    });
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: "Go" }),
    };
    const run = await serve(new Request("http://localhost/runs", init));
    const texts = [await run.text()];
    const id = run.headers.get("x-pawl-session");
    for (const path of [`/sessions/${id}/events`, `/sessions/${id}`]) {
      texts.push(await (await serve(new Request(`http://localhost${path}`))).text());
    }
    return { model, texts, all: texts.join("") };
  };

  it("W5 the text of knowledge, and the model's version of a result: clients see sources and results", async () => {
    const { model, texts, all } = await asked();
    const read = JSON.stringify(model.requests.at(-1)?.messages);
    for (const secret of ["SKILL-TEXT", "GOALS-TEXT", "GUIDANCE-TEXT"]) {
      expect(read).toContain(secret);
      expect(all).not.toContain(secret);
    }
    expect(all).not.toContain("days_back");
    for (const text of texts.slice(0, 2)) {
      expect(text).toContain('"data":{"source":"skill:calm","data":""}');
      expect(text).toContain('"result":{"entered":true}');
    }
  });

  it("W5 except the text of sources that the app names, or of all sources if it exposes the log", async () => {
    const { all } = await asked({ knowledge: ["goals"] });
    expect(all).toContain("GOALS-TEXT");
    expect(all).not.toContain("SKILL-TEXT");
    expect(all).not.toContain("GUIDANCE-TEXT");
    const { all: log } = await asked("all");
    for (const text of ["GOALS-TEXT", "SKILL-TEXT", "GUIDANCE-TEXT"]) expect(log).toContain(text);
  });

  it.each(["everything", { knowledge: "goals" }, {}, null])("W5 refuses %j as what to expose", (expose) => {
    const made = agent({ name: "a", model: scriptedModel([]), instructions: "Look." });
    const pawl = runtime({ agents: [made], store: memoryStore() });
    const options = { runtime: pawl, agent: made, authorize: () => null, expose: expose as never };
    expect(() => handler(options)).toThrow(expect.objectContaining({ code: "config" }));
  });

  it("W5 unless the handler is told to show all", async () => {
    const { ask, post } = served("all");
    const run = await post("/runs", { input: "How many users?" });
    expect(await run.text()).toContain("s3cret");
    expect(await (await ask(`/sessions/${run.headers.get("x-pawl-session")}`)).text()).toContain("s3cret");
  });

  it.each(["99999999999", "2147483648", "-1", "1e3", "x"])(
    "W5 answers 400 to the cursor %s",
    async (after) => {
      const { ask, post } = served();
      const run = await post("/runs", { input: "Hi" });
      const id = run.headers.get("x-pawl-session");
      for (const path of ["events", "stream"]) {
        const response = await ask(`/sessions/${id}/${path}?after=${after}`);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: { code: "invalid_input" } });
      }
    },
  );
});
