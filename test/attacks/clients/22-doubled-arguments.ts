import { approval, jsonSchema, tool } from "@pawl/core";
import { agUi } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import {
  type Agent,
  connect,
  httpAgent,
  run,
  say,
  type Version,
} from "../../../packages/sse/test/support/agents.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, comesAbout, locate, remove, serve } from "../parts/serve.ts";

const calls = ({ messages }: Agent): string =>
  messages
    .flatMap(({ toolCalls = [] }) =>
      toolCalls.map((call) => `${call.function.name} ${call.function.arguments}`),
    )
    .join(", ");

/** Two turns of one run, each with a call of a tool of the page and nothing else. */
async function inARow(version: Version): Promise<string> {
  const script = [calling("locate", { n: 1 }, "c1"), calling("locate", { n: 2 }, "c2"), { text: "Done." }];
  const served = await serve(scriptedModel(script), { dialect: agUi(), of: { tools: [locate] } });
  const agent = httpAgent(version, served);
  await say(agent, "Go");
  agent.addMessage({ id: "r1", role: "tool", toolCallId: "c1", content: '{"city":"Bonn"}' });
  await run(agent);
  return mustHold(calls(agent) === 'locate {"n":1}, locate {"n":2}', calls(agent));
}

/** A page connects while a tool works, and an approval comes after that. */
async function afterConnect(version: Version): Promise<string> {
  const isOn = Promise.withResolvers<void>();
  const look = tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    execute: async () => {
      await isOn.promise;
      return "seen";
    },
  });
  const script = [{ text: "First.", ...calling("look") }, calling("remove", { path: "/a" }, "c2")];
  const of = { tools: [look, remove], hooks: [approval({ when: ["remove"] })] };
  const served = await serve(scriptedModel(script), { dialect: agUi(), of });
  const agent = httpAgent(version, served);
  const going = say(agent, "Go");
  await comesAbout(() => calls(agent) !== "");
  const page = httpAgent(version, served, { threadId: agent.threadId });
  const connected = connect(page);
  await comesAbout(() => calls(page) !== "");
  isOn.resolve();
  await Promise.all([going, connected]);
  return mustHold(calls(page) === 'look {}, remove {"path":"/a"}', calls(page));
}

export const attack: Attack = {
  id: "clients-22",
  title: "AG-UI: a call's arguments come once more after a snapshot that has them",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-snapshots.test.ts",
    title: "W2 two calls of frontend tools in a row, without text",
  },
  attempt: () =>
    withAgUi((version) =>
      brokenByAny({
        "two page tools in a row": () => inARow(version),
        "an approval after a connect": () => afterConnect(version),
      }),
    ),
};
