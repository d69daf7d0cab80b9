import { agent, type EventStore, memoryStore, runtime, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { handler } from "../../src/index.ts";

const hidden = tool({
  name: "hidden_backdoor",
  description: "Only the model knows of it.",
  input: z.object({}),
  execute: () => "open",
});
const asking = (answer: z.ZodType) =>
  tool({
    name: "ask",
    description: "Asks.",
    input: z.object({}),
    suspends: { answer: answer as z.ZodString },
  });

/** A server with a version of the agent. */
function served(store: EventStore, version: string, answer: z.ZodType) {
  const script = version === "1" ? [{ tools: [{ name: "ask", id: "toolu_q" }] }] : [{ text: "Thanks." }];
  const model = strictModel({ script });
  const tools = version === "1" ? [asking(answer), hidden] : [asking(answer)];
  const coach = agent({ name: "coach", version, model, instructions: "You are a coach.", tools });
  const serve = handler({
    runtime: runtime({ agents: [coach], store }),
    agent: "coach",
    authorize: () => ({ userId: "ada" }),
  });
  const ask = (path: string, body?: object) =>
    serve(
      new Request(`http://localhost${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: { "content-type": "application/json" },
      }),
    );
  return { ask, model };
}

it("F25 W5 a question is answered over HTTP after a deploy by the schema that the page shows", async () => {
  const store = memoryStore();
  const before = served(store, "1", z.string());
  const run = await before.ask("/runs", { input: "Go" });
  const id = run.headers.get("x-pawl-session");
  await run.text();
  const after = served(store, "2", z.object({ yes: z.boolean() }));
  const view = (await (await after.ask(`/sessions/${id}`)).json()) as {
    pending: { answerSchema: unknown }[];
  };
  expect(view.pending).toMatchObject([{ answerSchema: { type: "string" } }]);
  const wrong = { sessionId: id, answers: [{ callId: "toolu_q", value: { yes: true } }] };
  expect((await after.ask("/runs", wrong)).status).toBe(422);
  const answered = await after.ask("/runs", { ...wrong, answers: [{ callId: "toolu_q", value: "Yes" }] });
  const stream = await answered.text();
  expect(stream).toContain("agent_changed");
  expect(stream).toContain("Thanks.");
  expect(stream).not.toContain("backdoor");
  expect(await (await after.ask(`/sessions/${id}/events`)).text()).not.toContain("backdoor");
  expect([...before.model.rejected, ...after.model.rejected]).toEqual([]);
});
