import { agent, type JsonObject, memoryStore, runtime } from "@pawl/core";
import { remoteTools } from "@pawl/remote";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { callingApp, hostileMcp, listed } from "../parts/hostile-mcp.ts";
import { standstill } from "../parts/standstill.ts";

/** Each definition names the next one twice, so that validating takes twice the steps for each one more. */
const DEFINITIONS = 19;
const bomb = {
  type: "object",
  properties: { x: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: DEFINITIONS }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, at === DEFINITIONS - 1 ? { type: "string" } : { allOf: [next, next] }];
    }),
  ),
} satisfies JsonObject;
const user = { userId: "ada", input: "Go" };
const input = { x: "s" };

export const attack: Attack = {
  id: "attacks-03",
  title: "A schema of 1.5 kB takes 2^n steps to validate",
  state: "held",
  guard: {
    file: "packages/mcp/test/work.test.ts",
    title: "of an input does not run its regular expressions",
  },
  attempt: () =>
    brokenByAny({
      "input of MCP": () => overMcp({ inputSchema: bomb }),
      "output of MCP": () => overMcp({ outputSchema: bomb }),
      "remote tool": remote,
    }),
};

async function overMcp(schemas: object): Promise<string> {
  const result = { content: [], structuredContent: input };
  const fetch = hostileMcp({ tools: () => [listed(schemas)], call: () => result });
  const { pawl } = callingApp(fetch, { input: () => input });
  return await stood(() => pawl.run("a", user).result);
}

async function remote(): Promise<string> {
  const tools = [{ name: "it", description: "Does it.", input_schema: bomb }];
  const made = agent({
    name: "a",
    instructions: "i",
    model: scriptedModel([{ tools: [{ name: "it", input }] }, { text: "Ok." }]),
    tools: remoteTools({
      url: "https://api.example.com",
      token: false,
      fetch: async (address) =>
        Response.json(new Request(address).url.endsWith("/schema") ? { tools } : { result: "ran" }),
    }),
  });
  const pawl = runtime({ agents: [made], store: memoryStore(), onError: () => undefined });
  return await stood(() => pawl.run("a", user).result);
}

async function stood(work: () => Promise<unknown>): Promise<string> {
  const { longestMs } = await standstill(work);
  return brokenIf(longestMs > 300, `${DEFINITIONS} definitions took ${longestMs} ms at a stretch`);
}
