import { agent } from "@pawl/core";
import * as planning from "@pawl/planning";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { said } from "../../../test/support/mistakes.ts";

// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript passes has no types
const js = planning as any;
const model = scriptedModel([]);

it("U6 what JavaScript may pass is refused", async () => {
  expect(
    await said(
      () => js.planning(),
      () => js.planning({ model: "claude" }),
      () => js.planning({ model, tools: [] }),
      () => js.planning({ model, review: true }),
      () => js.planning({ model, review: { every: 3 } }),
      () => js.planning({ model, review: { everyCalls: 0 } }),
      () => js.planning({ model, attempts: 1.5 }),
      () => js.planning({ model, timeoutMs: Number.POSITIVE_INFINITY }),
      () => js.planning({ model, gates: "search" }),
      () => js.planning({ model, docs: "## search" }),
      () => js.planning({ model, docs: {} }),
      () => js.planning({ model, fallback: {} }),
      () => js.planning({ model, retrieve: () => "" }),
      () => js.checkPlan({}, { tool: [] }),
      () => js.checkPlan({}, { maxTasks: Number.NaN }),
      () => js.parseToolDocs(new Uint8Array()),
      () => js.parseToolDocs(""),
      () => js.chooseToolDocs([], {}),
      () => js.chooseToolDocs([], { query: "a", most: -1 }),
      () => js.recordOf(),
      () => js.recordOf(Promise.resolve([])),
      () => js.recordOf("events"),
      () => js.recordOf({ async *[Symbol.asyncIterator]() {} }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "config: planning() takes an object of options with \`model\`; got undefined.",
      "config: \`model\` of planning() must be a ModelClient, e.g. claude("claude-haiku-4-5"); got a string.",
      "config: planning() has no option "tools". Leave it out: planning() reads the agent's own tools.",
      "config: \`review\` of planning() must be an object of options, or false; got a boolean.",
      "config: \`review\` of planning() has no option "every". The options of \`review\` of planning() are model, batches, everyCalls.",
      "config: review.everyCalls of planning() must be a whole number from 1 to 2147483647, not 0.",
      "config: attempts of planning() must be a whole number from 1 to 2147483647, not 1.5.",
      "config: timeoutMs of planning() must be a whole number from 1 to 2147483647, not Infinity.",
      "config: \`gates\` of planning() must be a list; got a string.",
      "config: \`docs\` of planning() must be an object; got a string.",
      "config: \`docs\` of planning() needs \`docs\`, a list.",
      "config: \`fallback\` of planning() needs \`retrieve\`, a function.",
      "config: planning() has no option "retrieve". Use \`fallback: { retrieve }\`.",
      "config: checkPlan() has no option "tool". Did you mean \`tools\`?",
      "config: maxTasks of checkPlan() must be a whole number from 1 to 2147483647, not NaN.",
      "config: \`markdown\` of parseToolDocs() must be a string; got an object.",
      "config: The tool descriptions are not valid. There is no section: begin each tool with a heading, e.g. ## search.",
      "config: chooseToolDocs() needs \`query\`, a string.",
      "config: most of chooseToolDocs() must be a whole number from 1 to 2147483647, not -1.",
      "config: recordOf() takes a list of events, e.g. await Array.fromAsync(store.read(sessionId)); got undefined.",
      "config: recordOf() takes a list of events, e.g. await Array.fromAsync(store.read(sessionId)); got a promise, which needs \`await\`.",
      "config: recordOf() takes a list of events, e.g. await Array.fromAsync(store.read(sessionId)); got a string.",
      "config: recordOf() takes a list of events, e.g. await Array.fromAsync(store.read(sessionId)); got an object.",
    ]
  `);
});

it("U6 an agent without a tool that planning needs is refused", async () => {
  const made = (options: object, hasTools = true) => {
    const { hook, tools } = js.planning({ model, ...options });
    return () =>
      agent({ name: "a", model, instructions: "Help.", tools: hasTools ? tools : [], hooks: [hook] });
  };
  expect(
    await said(
      () => made({})().name,
      made({}, false),
      made({ agents: () => [] }, false),
      made({ gates: ["serch"] }),
      made({ withhold: ["rewrite"] }),
    ),
  ).toMatchInlineSnapshot(`
    [
      "accepted",
      "config: The agent "a" cannot be used: its hook "planning" needs a tool "write_plan", which the agent does not have.",
      "config: The agent "a" cannot be used: its hook "planning" needs a tool "write_plan", which the agent does not have.",
      "config: The agent "a" cannot be used: its hook "planning" needs a tool "serch", which the agent does not have.",
      "config: The agent "a" cannot be used: its hook "planning" needs a tool "rewrite", which the agent does not have.",
    ]
  `);
});
