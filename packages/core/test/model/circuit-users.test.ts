import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import {
  agent,
  type ModelClient,
  memoryStore,
  resilient,
  runtime,
  summarize,
  tool,
} from "../../src/index.ts";
import { userCircuits } from "../../src/model.ts";
import { nothing } from "../support/tools.ts";

/** Begins a call, and lets it fail or succeed. Returns whose circuit has refused it, or `let through`. */
function world(failures = 3) {
  let time = 0;
  const circuits = userCircuits({
    ...{ failures, coolDownMs: 1_000, now: () => time },
    refused: (_, whose) => new Error(whose),
  });
  const call = (userId: string | undefined, how: "fails" | "ok" | "offline" | "locked" = "ok") => {
    try {
      const one = circuits.begin(userId);
      if (how === "ok") one.succeeded();
      else one.failed(how === "locked" ? Number.POSITIVE_INFINITY : 1, { isShared: how === "offline" });
      one.over();
      return "let through";
    } catch (error) {
      return (error as Error).message;
    }
  };
  return {
    call,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

it("B8 L12 the failures of one user open that user's circuit only, however often", () => {
  const { call, pass } = world();
  for (let n = 0; n < 20; n += 1) {
    call("mallory", "fails");
    pass(1_001);
  }
  call("mallory", "fails");
  expect([call("mallory"), call("ada"), call(undefined)]).toEqual(["user", "let through", "let through"]);
});

it("B8 L12 failures of two users in a row open the circuit of all, and a success between them does not", () => {
  const { call } = world();
  for (const user of ["ada", "ben", "ada"]) call(user, "fails");
  expect(call("cleo")).toBe("all");
  const other = world();
  for (const user of ["ada", "ben"]) other.call(user, "fails");
  other.call("cleo");
  other.call("ada", "fails");
  expect(other.call("cleo")).toBe("let through");
});

it("L12 what no user causes counts for all: a service that is not there, an account without credit", () => {
  const offline = world();
  for (const _ of [1, 2, 3]) offline.call("ada", "offline");
  expect(offline.call("ben")).toBe("all");
  const locked = world();
  locked.call("ada", "locked");
  expect(locked.call("ben")).toBe("all");
});

it("B8 the failures of the last 1,000 users are kept", () => {
  const { call } = world(1);
  call("mallory", "fails");
  expect(call("mallory")).toBe("user");
  for (let n = 0; n < 1_000; n += 1) call(`user ${n}`);
  expect(call("mallory")).toBe("let through");
});

it("B8 L12 a run, its questions to models and its summaries name their user to the model, for its circuit", async () => {
  const users: unknown[] = [];
  const inner = scriptedModel(({ tools, messages }) =>
    tools.length > 0 && !JSON.stringify(messages).includes("tool_result")
      ? { tools: [{ name: "ask", input: {} }] }
      : { text: "Fine." },
  );
  const model: ModelClient = {
    ...inner,
    id: inner.id,
    stream: (request, options) => {
      users.push(options.userId);
      return inner.stream(request, options);
    },
  };
  const ask = tool({
    ...{ name: "ask", description: "Asks.", input: nothing },
    execute: async (_, { askModel }) => (await askModel(model, { prompt: "Well?", maxTokens: 100 })).text,
  });
  const asker = agent({
    ...{ name: "asker", instructions: "i", model: resilient(model), tools: [ask] },
    checkpointWhen: [summarize({ model, whenTokens: 1, keepTurns: 1 })],
  });
  const pawl = runtime({ agents: [asker], store: memoryStore() });
  const { sessionId } = await pawl.run(asker, { userId: "ada", input: "Go ".repeat(500) }).result;
  await pawl.run(asker, { userId: "ada", sessionId, input: "Again" }).result;
  const asked = users.length;
  expect(asked).toBeGreaterThanOrEqual(5);
  expect(users).toEqual(Array.from({ length: asked }, () => "ada"));
});

it("B8 L12 one user's failing runs leave a resilient model to others", async () => {
  const inner = scriptedModel(({ messages }) =>
    JSON.stringify(messages).includes("mallory") ? { fault: { status: 500 } } : { text: "Hello." },
  );
  const model = resilient(inner, { retry: { retries: 0 } });
  const greeter = agent({ name: "greeter", instructions: "i", model });
  const pawl = runtime({ agents: [greeter], store: memoryStore(), onError: () => undefined });
  const say = async (userId: string) =>
    (await pawl.run(greeter, { userId, input: `I am ${userId}.` }).result).stop;
  for (let n = 0; n < 20; n += 1) await say("mallory");
  expect(inner.requests).toHaveLength(5);
  expect((await say("ada")).type).toBe("end_turn");
});
