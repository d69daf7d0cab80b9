import { agent, memoryStore, runtime, tool } from "@pawl/core";
import { handler } from "@pawl/sse";
import { coach } from "@pawl/sse/dialects";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";

const post = (body: object) =>
  new Request("http://app/runs", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Texts that are JSON as well. */
const WORDS = ["forty-two", "42", "true", "null", "[1]", '"quoted"'];

export const attack: Attack = {
  id: "text-answers",
  title: "A text that looks like JSON is refused as the answer to a question for a text",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/base/text-answers.test.ts",
    title: "is the text if the question accepts a text: %s",
  },
  attempt: () => brokenByAny(Object.fromEntries(WORDS.map((words) => [words, () => answered(words)]))),
};

async function answered(words: string): Promise<string> {
  const ask = tool({
    name: "ask",
    description: "Asks.",
    input: z.object({}),
    suspends: { answer: z.string() },
    execute: (_, { answer }) => answer,
  });
  const model = scriptedModel([{ tools: [{ name: "ask", id: "c1", input: {} }] }, { text: "Thanks." }]);
  const agents = [agent({ name: "a", instructions: "i", model, tools: [ask] })];
  const pawl = runtime({ agents, store: memoryStore() });
  const authorize = () => ({ userId: "u" });
  const serve = handler({ runtime: pawl, agent: "a", authorize, dialect: coach() });
  const first = await serve(post({ message: "Hi" }));
  const sessionId = first.headers.get("x-pawl-session");
  await first.text();
  const second = await serve(post({ sessionId, toolResults: [{ toolUseId: "c1", result: words }] }));
  const body = await second.text();
  return brokenIf(second.status !== 200, `${second.status} ${body.slice(0, 80)}`);
}
