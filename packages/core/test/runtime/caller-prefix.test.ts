import { expect, it } from "vitest";
import { jsonSchema, tool } from "../../src/index.ts";
import { type Options, setup, user } from "../support/setup.ts";

const URL = "https://api.example.com/w1/4f2c9a7e1b8d6053";
const from = { ...user, credentials: { url: URL } };
const look = tool({
  name: "look",
  description: `Looks at ${URL}.`,
  input: jsonSchema({ type: "object", description: `For ${URL}` }),
  execute: () => "looked",
});

it.each<[name: string, options: Options]>([
  ["user data", { userData: { read: () => `The API is ${URL}.` } }],
  ["instructions", { instructions: `The API is ${URL}.` }],
  ["tools", { tools: [look] }],
  ["tools that a function returns", { tools: () => [look] }],
])("F17 F19 %s that repeat a credential are stored without it, and once", async (_name, options) => {
  const script = [{ tools: [{ name: "look", input: {} }] }, { text: "Done." }, { text: "Again." }];
  const { pawl, log, of } = setup(script, { tools: [look], ...options });
  const first = pawl.run("tester", { ...from, input: "Go" });
  const { sessionId } = await first.started;
  await first.result;
  await pawl.run("tester", { ...from, sessionId, input: "And?" }).result;
  expect((await of(sessionId, "run_ended")).map(({ data }) => data.stop.type)).toEqual([
    "end_turn",
    "end_turn",
  ]);
  expect((await of(sessionId, "tool_result")).map(({ data }) => data.result)).toEqual(["looked"]);
  const known = (await log(sessionId)).filter(({ type }) => ["prefix", "knowledge"].includes(type));
  expect(known.map(({ type }) => type)).toEqual(["prefix"]);
  expect(JSON.stringify(known)).not.toContain(URL);
});
