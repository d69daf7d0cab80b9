import { agent, type JsonObject } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import type { CustomAgent } from "../src/index.ts";
import { plans, worldOf } from "./support/world.ts";

function custom(id: string, description: string, domains: string[]): CustomAgent {
  const model = scriptedModel(({ messages }) => ({
    text: `${id} was asked: ${JSON.stringify(messages[0]?.content[0]?.text)}`,
  }));
  const name = id.replaceAll(":", "-");
  return { id, name, description, domains, agent: agent({ name, model, instructions: "Help." }) };
}

const finance = custom("finance", "Knows the budgets and forecasts.", ["drive"]);
const github = custom("mcp::github", "Reads issues and pull requests.", ["github"]);
const ofTeam = ({ caller }: { caller: JsonObject }) =>
  caller.team === "finance" ? [finance, github] : [github];

const list = { tools: [{ name: "list_custom_agents", input: { query: "budget forecast" } }] };
const run = (agent_id: string) => ({
  tools: [{ name: "run_custom_agent", input: { agent_id, query: "The budget?", context: "Q4" } }],
});

describe("custom agents", () => {
  it("F19 M1 are listed for the caller, by relevance, and run by the id in the call", async () => {
    const world = worldOf(
      { small: [plans()], main: [list, run("finance"), { text: "5 M." }] },
      { agents: ofTeam },
    );
    const { actions, sessionId } = await world.say("The budget forecast?", { caller: { team: "finance" } });
    expect(actions[0]?.result).toEqual({
      status: "ok",
      agents: [
        {
          id: "finance",
          name: "finance",
          description: "Knows the budgets and forecasts.",
          domains: ["drive"],
          confidence: 1,
        },
        {
          ...{ id: "mcp::github", name: "mcp--github", description: "Reads issues and pull requests." },
          ...{ domains: ["github"], confidence: 0 },
        },
      ],
    });
    expect(actions[1]?.result).toBe('finance was asked: "The budget?\\n\\nQ4"');
    expect((await world.record(sessionId)).calls.at(-1)?.agent).toBe("finance");
    const prompt = String(world.small.requests[0]?.messages[0]?.content[0]?.text);
    expect(prompt.indexOf("- finance:")).toBeLessThan(prompt.indexOf("- mcp::github:"));
  });

  it("F19 of another caller cannot be run, planned or seen", async () => {
    const own = plans({
      tasks: [{ id: "a", title: "Ask finance", agent: "finance" }],
      candidate_agents: ["finance"],
    });
    const world = worldOf(
      { small: [own, plans({ candidate_agents: ["finance"] })], main: [run("finance"), { text: "No." }] },
      {
        agents: ofTeam,
      },
    );
    const { actions, sessionId } = await world.say("The budget?", { caller: { team: "sales" } });
    expect(JSON.stringify(world.small.requests[1]?.messages)).toContain(
      "is not an agent. The agents are: mcp::github.",
    );
    expect((await world.record(sessionId)).plan?.candidate_agents).toEqual([]);
    expect(actions[0]).toMatchObject({ success: false, result: "There is no such agent." });
  });

  it("M1 a task of an agent is done once the agent has answered", async () => {
    const tasks = [
      { id: "a", title: "Ask finance", agent: "finance" },
      { id: "b", title: "Ask GitHub", agent: "mcp::github" },
    ];
    const world = worldOf(
      { small: [plans({ tasks })], main: [run("mcp::github"), { text: "Ok." }] },
      {
        agents: () => [finance, github],
      },
    );
    const { sessionId } = await world.say("?");
    expect((await world.record(sessionId)).plan?.tasks.map(({ status }) => status)).toEqual([
      "pending",
      "done",
    ]);
  });

  it("M1 T12 tasks of agents are blocked once the tool that runs agents has failed three times", async () => {
    const down = { ...finance, agent: agent({ name: "down", model: scriptedModel([]), instructions: "-" }) };
    const tasks = [
      { id: "a", title: "Ask finance", agent: "finance" },
      { id: "b", title: "Search the mail", tool: "search_gmail" },
    ];
    const ask = (query: string) => ({ name: "run_custom_agent", input: { agent_id: "finance", query } });
    const chat = { name: "search_slack", input: { query: "Budget" } };
    const world = worldOf(
      { small: [plans({ tasks })], main: [{ tools: [ask("1"), ask("2"), ask("3"), chat] }, { text: "No." }] },
      { agents: () => [down] },
      { onError: () => {} },
    );
    const { sessionId } = await world.say("?");
    const { plan, failedTools } = await world.record(sessionId);
    expect(failedTools).toMatchObject([{ tool: "run_custom_agent", count: 3 }]);
    expect(plan?.tasks.map(({ status }) => status)).toEqual(["blocked", "pending"]);
    expect(plan?.tasks[0]).toMatchObject({ note: expect.stringContaining("has failed 3 times") });
  });

  it("M1 if the list fails, the call has an error, and plans can name no agents", async () => {
    const agents = () => {
      throw new Error("The database is down.");
    };
    const planned = plans({ tasks: [{ id: "a", title: "Ask", agent: "finance" }] });
    const world = worldOf({ small: [planned, plans()], main: [list, { text: "No." }] }, { agents });
    const { actions, sessionId } = await world.say("The budget?");
    expect(actions[0]).toMatchObject({
      success: true,
      result: {
        status: "error",
        agents: [],
        error: { code: "failed", message: "The agents cannot be listed now." },
      },
    });
    expect((await world.record(sessionId)).failures).toMatchObject([{ part: "agents", code: "failed" }]);
    expect(JSON.stringify(await world.log(sessionId))).not.toContain("database");
  });
});
