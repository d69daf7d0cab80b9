import { HttpAgent } from "@ag-ui/client-0.0.59";
import type { CopilotKitCore } from "@copilotkit/core";
import { approval, jsonSchema, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it, vi } from "vitest";
import { agUi } from "../../../src/index.ts";
import { type Agent, errorOf, httpAgent, reloaded, run, say, talk } from "../../support/agents.ts";
import { eventually } from "../../support/chat.ts";
import { look, type Served, serve } from "../../support/served.ts";

vi.stubEnv("COPILOTKIT_TELEMETRY_DISABLED", "true");
vi.stubEnv("DO_NOT_TRACK", "1");
const { CopilotKitCore: Core } = await import("@copilotkit/core");

const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: jsonSchema<{ exact?: boolean }>({ type: "object" }),
  runsIn: "client",
  output: jsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  }),
});
const paint = {
  name: "paint",
  description: "Paints the page.",
  parameters: { type: "object", properties: { color: { type: "string" } } },
};
const call = (name: string, input: object = {}, id = `call_${name}`): Reply["tools"] & object => [
  { id, name, input: input as never },
];
const asked: Reply[] = [{ tools: call("locate") }, { text: "Bonn!" }];

async function serving(script: Reply[] = asked, options: Parameters<typeof serve>[1] = {}) {
  const model = scriptedModel(script);
  const served = await serve(model, {
    dialect: agUi(),
    tools: [locate, look],
    clientTools: true,
    ...options,
  });
  return { model, served };
}

const results = async ({ store }: Served) => {
  const [session] = await store.sessions.list({ userId: "ada" });
  const log = await Array.fromAsync(store.read(session?.id ?? "", { types: ["tool_result"] }));
  return log.map(({ data }) => data as { success: boolean; result: unknown });
};

const answer = (agent: Agent, toolCallId: string, content: string) =>
  agent.addMessage({ id: `m-${toolCallId}`, role: "tool", toolCallId, content });

describe.each(["0.0.59", "1.0"] as const)("F12 W2 AG-UI %s runs frontend tools", (version) => {
  it("that the agent declares: a call without a result, no interrupt, answered by a tool message", async () => {
    const { served } = await serving();
    const agent = httpAgent(version, served);
    const events = await say(agent, "Where am I?");
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
    const outcome = version === "1.0" ? { type: "success", pendingToolCallIds: ["call_locate"] } : undefined;
    expect([events.at(-1)?.outcome, agent.pendingInterrupts]).toEqual([outcome, []]);
    answer(agent, "call_locate", '{"city":"Bonn"}');
    await run(agent);
    expect(talk(agent)).toEqual([
      "user Where am I?",
      "assistant locate({})",
      'tool {"city":"Bonn"}',
      "assistant Bonn!",
    ]);
    expect(await results(served)).toMatchObject([{ success: true, result: { city: "Bonn" } }]);
    answer(agent, "call_locate", '{"city":"Rome"}');
    await run(agent);
    expect(await results(served)).toHaveLength(1);
  });

  it("that the page offers, with every message", async () => {
    const { served, model } = await serving([
      { tools: call("paint", { color: "red" }) },
      { text: "Red." },
      { text: "Yes." },
    ]);
    const agent = httpAgent(version, served);
    const tools = [
      paint,
      { ...paint, name: "locate" },
      { name: "bare", description: "No input.", parameters: {} },
    ];
    const parameters = { tools } as never;
    await say(agent, "Paint it red.", parameters);
    answer(agent, "call_paint", "done");
    await run(agent, parameters);
    await say(agent, "Really?", parameters);
    expect(talk(agent).slice(-3)).toEqual(["assistant Red.", "user Really?", "assistant Yes."]);
    expect(await results(served)).toMatchObject([{ success: true, result: "done" }]);
    const sent = model.requests.map((request) => request.tools.map(({ name }) => name).join(" "));
    expect(new Set(sent)).toEqual(new Set(["locate look paint bare"]));
  });

  it("beside an approval in the same turn: first the interrupt, then the tool", async () => {
    const both = { tools: [...call("locate"), ...call("look")] };
    const { served } = await serving([both, { text: "Both." }], { hooks: [approval({ when: ["look"] })] });
    const agent = httpAgent(version, served);
    await say(agent, "Go");
    const [question] = agent.pendingInterrupts;
    expect([agent.pendingInterrupts.length, question?.toolCallId]).toEqual([1, "call_look"]);
    const resume = [{ interruptId: question?.id, status: "resolved", payload: { approved: true } }];
    await run(agent, { resume });
    expect(agent.pendingInterrupts).toEqual([]);
    answer(agent, "call_locate", '{"city":"Bonn"}');
    await run(agent);
    expect(talk(agent).at(-1)).toBe("assistant Both.");
    expect(await results(served)).toMatchObject([{ result: "found nothing" }, { result: { city: "Bonn" } }]);
  });

  it("after a reload: the call has no result and no interrupt", async () => {
    const { served } = await serving();
    const first = httpAgent(version, served, { threadId: "t1" });
    await say(first, "Where am I?");
    const back = await reloaded(version, served, "t1");
    expect([back.pendingInterrupts, talk(back).at(-1)]).toEqual([[], "assistant locate({})"]);
    answer(back, "call_locate", '{"city":"Bonn"}');
    await run(back);
    expect(talk(back).at(-1)).toBe("assistant Bonn!");
  });

  it("whose result is sent again after a lost response, however its JSON is written", async () => {
    const { served, model } = await serving();
    const agent = httpAgent(version, served);
    await say(agent, "Where am I?");
    answer(agent, "call_locate", '{ "city": "Bonn" }');
    const lost: typeof fetch = async (input, init) => {
      await (await fetch(input, init)).text();
      throw new DOMException("The connection is lost.", "AbortError");
    };
    Object.assign(agent, { fetch: lost });
    await run(agent);
    Object.assign(agent, { fetch });
    expect(errorOf(await run(agent))).toBeUndefined();
    expect(talk(agent).slice(-2)).toEqual(['tool {"city":"Bonn"}', "assistant Bonn!"]);
    expect(model.requests).toHaveLength(2);
    answer(agent, "call_locate", '{ "city": "Rome" }');
    expect(errorOf(await run(agent))).toContain("no longer open");
  });

  it("and refuses what a hostile page offers", async () => {
    const { served } = await serving([{ text: "Hi" }]);
    const many = Array.from({ length: 100 }, (_, at) => ({ ...paint, name: `t${at}` }));
    for (const tools of [
      many,
      [{ ...paint, name: "__proto__" }],
      [{ ...paint, parameters: { type: "object", $ref: "#" } }],
    ]) {
      const agent = httpAgent(version, served);
      const said = await say(agent, "Hi", { tools } as never).then(errorOf, (error: Error) => error.message);
      expect(said).toMatch(/at most 64|reserved|leads back/);
    }
  });
});

const color = jsonSchema<{ color: string }>({
  type: "object",
  properties: { color: { type: "string" } },
  required: ["color"],
});
const here = async () => ({ city: "Bonn" });

/** A page with CopilotKit, and its frontend tools. */
function page(served: Served, tools: object[]) {
  const headers = { authorization: "Bearer ada" };
  const agent = new HttpAgent({ url: `${served.url}/runs`, threadId: "t", headers });
  const core: CopilotKitCore = new Core({ agents__unsafe_dev_only: { default: agent as never } });
  for (const one of tools) core.addTool(one as never);
  const own = core.getAgent("default");
  if (own === undefined) throw new Error("CopilotKit has no agent.");
  const shown = own as unknown as Agent;
  const send = async (content: string) => {
    shown.addMessage({ id: crypto.randomUUID(), role: "user", content });
    await core.runAgent({ agent: own });
  };
  return { shown, send };
}

describe("F12 W2 CopilotKit runs frontend tools", () => {
  it("that the page offers: once, with their input, and the follow-up run brings the answer", async () => {
    const { served, model } = await serving([{ tools: call("paint", { color: "red" }) }, { text: "Red." }]);
    const painted: unknown[] = [];
    const handler = async (input: unknown) => {
      painted.push(input);
      return { painted: true };
    };
    const { shown, send } = page(served, [
      { name: "paint", description: "Paints.", parameters: color, handler },
    ]);
    await send("Paint it red.");
    await eventually(
      () => talk(shown).at(-1) === "assistant Red.",
      () => talk(shown),
    );
    expect(painted).toEqual([{ color: "red" }]);
    expect(await results(served)).toMatchObject([{ success: true, result: { painted: true } }]);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["locate", "look", "paint"]);
    expect(model.requests[0]?.tools.at(-1)?.input_schema).toMatchObject({ required: ["color"] });
  });

  it("twice in a row without text between the calls: each with its input", async () => {
    const { served } = await serving([
      { tools: call("paint", { color: "red" }, "p1") },
      { tools: call("paint", { color: "blue" }, "p2") },
      { text: "Both." },
    ]);
    const painted: unknown[] = [];
    const handler = async (input: unknown) => painted.push(input);
    const { shown, send } = page(served, [
      { name: "paint", description: "Paints.", parameters: color, handler },
    ]);
    await send("Paint it red, then blue.");
    await eventually(
      () => talk(shown).at(-1) === "assistant Both.",
      () => talk(shown),
    );
    expect(painted).toEqual([{ color: "red" }, { color: "blue" }]);
  });

  it("that the agent declares, by their names", async () => {
    const { served } = await serving();
    const { shown, send } = page(served, [
      { name: "locate", description: "Here.", parameters: jsonSchema({ type: "object" }), handler: here },
    ]);
    await send("Where am I?");
    await eventually(
      () => talk(shown).at(-1) === "assistant Bonn!",
      () => talk(shown),
    );
    expect(await results(served)).toMatchObject([{ success: true, result: { city: "Bonn" } }]);
  });
});
