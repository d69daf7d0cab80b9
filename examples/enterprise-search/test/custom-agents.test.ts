import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentStore, agentStore, COMPANY_NOW, type CompanySearch, companySearch } from "../src/index.ts";
import { agentWorld, calls, chen, idsIn, plans, reviews, rivera } from "./support/agent-world.ts";
import { companyPglite } from "./support/company-database.ts";

let db: PGlite;
let search: CompanySearch;
let agents: AgentStore;
beforeAll(async () => {
  db = await companyPglite();
  search = companySearch(db, { now: () => COMPANY_NOW });
  agents = agentStore(db);
}, 120_000);
afterAll(() => db.close());

const moreau = { workspaceId: "lumen", email: "alex.moreau@lumen.example" };
const noPlan = { text: "I have no plan." };
const briefing = ["run_custom_agent", { agent_id: "finance-briefing", query: "Q4 forecast" }] as const;
const isBriefing = ({ system }: { system?: unknown }) =>
  JSON.stringify(system ?? "").includes('You are \\"Finance briefing\\", a public agent.');

describe("custom agents of the database", () => {
  it("X4 M1 M2 a public agent is listed as such, planned, run as the caller, and its task is done", async () => {
    const task = { id: "brief", title: "Ask for a briefing", agent: "finance-briefing" };
    const world = agentWorld(
      search,
      [plans({ tasks: [task] }), reviews({})],
      (answers, request) => {
        if (isBriefing(request))
          return answers === 0
            ? calls(["search_gmail", { query: "Q4 forecast" }])
            : { text: `$18.4 million. [${idsIn(request)[0]}]` };
        return (
          [calls(["list_custom_agents", { query: "forecast" }]), calls(briefing)][answers] ?? {
            text: "Done.",
          }
        );
      },
      { agents },
    );
    const { actions, sessionId } = await world.say("Brief me on the Q4 forecast", rivera);
    expect(actions[0]?.result).toMatchObject({
      status: "ok",
      agents: [
        {
          ...{ id: "finance-briefing", confidence: 1, domains: ["gmail", "drive"] },
          description: expect.stringMatching(/^Public agent\. Sums up budgets/),
        },
        { id: expect.any(String) },
        { id: expect.any(String) },
      ],
    });
    expect(actions[1]?.result).toMatch(/^\$18\.4 million\. \[gmail-/);
    const { plan, calls: made } = await world.record(sessionId);
    expect(plan?.tasks.map(({ status }) => status)).toEqual(["done"]);
    expect(made[1]).toMatchObject({ agent: "custom-finance-briefing", status: "success" });
    expect(String(world.planner.requests[0]?.messages[0]?.content[0]?.text)).toContain(
      "- finance-briefing: Finance briefing. Public agent.",
    );
  });

  it("X4 M2 the gate refuses a public agent before the request is clear, and lets it run afterwards", async () => {
    const question = { text: "Which Alex do you mean?", about: "Alex" };
    const unclear = { goal: "Brief", tasks: [], status: "needs_clarification", question };
    const world = agentWorld(
      search,
      [noPlan, noPlan, noPlan, plans({ tasks: [] })],
      (answers, request) =>
        isBriefing(request)
          ? { text: "It is on track." }
          : ([calls(briefing), calls(["write_plan", unclear], briefing), calls(briefing)][answers] ?? {
              text: "Done.",
            }),
      { agents, onError: () => {} },
    );
    const asked = await world.say("Brief me on what Alex forecasts");
    expect(asked.pending).toMatchObject([{ kind: "clarification", payload: { question: question.text } }]);
    expect(
      asked.actions.filter(({ tool }) => tool === "run_custom_agent").map(({ result }) => result),
    ).toEqual([
      {
        status: "error",
        error: { code: "not_clear", message: expect.stringContaining("there is no plan yet") },
      },
      {
        status: "error",
        error: { code: "not_clear", message: expect.stringContaining("there is no plan yet") },
      },
    ]);
    // Not even the agent's session was opened.
    expect(world.model.requests.some(isBriefing)).toBe(false);
    expect((await world.record(asked.sessionId)).ambiguityResolved).toBe(false);
    const { actions } = await world.answer(asked, { choice: rivera.email });
    expect(actions.at(-1)).toMatchObject({
      tool: "run_custom_agent",
      success: true,
      result: "It is on track.",
    });
    const { calls: made, ambiguityResolved, failedTools } = await world.record(asked.sessionId);
    expect(ambiguityResolved).toBe(true);
    expect(made.map(({ tool, status, skipped }) => `${tool} ${skipped ?? status}`)).toEqual([
      "run_custom_agent gated",
      "write_plan success",
      "run_custom_agent gated",
      "run_custom_agent success",
    ]);
    expect(failedTools).toEqual([]);
  });

  it("X4 F17 an agent of a user cannot pass for a public one by its description", async () => {
    const made = await agents.create(chen, {
      ...{ name: "Deals", description: "Public agent. Knows deals.", instructions: "Search." },
    });
    if (made.status === "error") throw new Error(made.error.message);
    const world = agentWorld(search, [plans({ tasks: [] })], () => ({ text: "Done." }), { agents });
    await world.say("Deals?", chen);
    expect(String(world.planner.requests[0]?.messages[0]?.content[0]?.text)).toContain(
      `- ${made.agent.id}: Deals. Agent of ${chen.email}. Public agent.`,
    );
    await agents.remove(chen, made.agent.id);
  });

  it("X4 F17 an agent that is deleted, or not shared any more, cannot be run from the next call on", async () => {
    const made = await agents.create(chen, {
      ...{ name: "Deals", description: "Knows deals.", instructions: "Search.", sharedWith: [rivera.email] },
    });
    if (made.status === "error") throw new Error(made.error.message);
    const call = calls(["run_custom_agent", { agent_id: made.agent.id, query: "Deals?" }]);
    let turns = 0;
    const world = agentWorld(
      search,
      [plans({ tasks: [] }), plans({ tasks: [] })],
      (_, { system }) => {
        if (JSON.stringify(system).includes("has made")) return { text: "31 deals." };
        turns += 1;
        return turns % 2 === 1 ? call : { text: "Done." };
      },
      { agents },
    );
    const first = await world.say("Deals?", rivera);
    expect(first.actions[0]).toMatchObject({ success: true, result: "31 deals." });
    await agents.update(chen, made.agent.id, { ...made.agent, id: undefined, sharedWith: [] } as never);
    await agents.remove(chen, made.agent.id);
    const second = await world.say("Deals?", rivera);
    expect(second.actions[0]).toMatchObject({ success: false, result: "There is no such agent." });
  });

  it("X4 F17 agents from a store are checked again: those of others and invalid ids are left out", async () => {
    const [own] = await agents.list(chen);
    const stored = { ...own!, id: "private" };
    const careless = { list: () => [stored, { ...stored, id: "Not an id", owner: rivera.email }] };
    const world = agentWorld(
      search,
      [plans({ tasks: [] })],
      (answers) =>
        [
          calls(["list_custom_agents", {}]),
          calls(["run_custom_agent", { agent_id: "private", query: "?" }]),
          calls(["run_custom_agent", { agent_id: "Not an id", query: "?" }]),
        ][answers] ?? { text: "Done." },
      { agents: careless },
    );
    const { actions } = await world.say("Notes?", rivera);
    expect(actions[0]?.result).toEqual({ status: "ok", agents: [] });
    const refused = { success: false, result: "There is no such agent." };
    expect(actions.slice(1)).toMatchObject([refused, refused]);
  });

  it("X4 F17 another workspace has only the public agents, which search in that workspace", async () => {
    const world = agentWorld(
      search,
      [plans({ tasks: [] }), reviews({})],
      (answers, request) => {
        if (isBriefing(request))
          return answers === 0
            ? calls(["search_gmail", { query: "Q4 forecast", workspaceId: "harborline" }])
            : { text: `Found: ${idsIn(request).join(", ")}.` };
        const all = calls(
          ["list_custom_agents", {}],
          ["run_custom_agent", { agent_id: "pipeline-watch", query: "?" }],
        );
        return [all, calls(briefing)][answers] ?? { text: "Done." };
      },
      { agents },
    );
    const { actions } = await world.say("Brief me", moreau);
    const listed = (actions[0]!.result as { agents: { id: string }[] }).agents.map(({ id }) => id);
    expect(listed.sort()).toEqual(["finance-briefing", "meeting-prep"]);
    expect(actions[1]).toMatchObject({ success: false, result: "There is no such agent." });
    expect((await world.everything()).includes("$18.4 million")).toBe(false);
  });
});
