// The rules of the enterprise search that its other tests do not show. README.md lists all of them.
import { describe, expect, it } from "vitest";
import { type CompanySearch, customAgentList, isForSearchAgent, type StoredAgent } from "../src/index.ts";
import { agentWorld, calls, chen, plans, reviews, tasks } from "./support/agent-world.ts";

/** What the searches were asked. */
type Asked = { text: string; sources?: readonly string[] | undefined }[];

function noted(asked: Asked = []): CompanySearch {
  return {
    search: async (_caller, { text, sources }) => {
      asked.push({ text, sources });
      return { status: "ok", hits: [], total: 0, more: false };
    },
    open: async () => undefined,
    people: async () => ({ people: [], total: 0 }),
  };
}

const gmail = (query: string) => calls(["search_gmail", { query }]);
const question = { text: "Which quarter do you mean?", about: "the quarter", choices: ["Q3", "Q4"] };
const unclear = plans({ status: "needs_clarification", question });
const briefing: StoredAgent = {
  ...{ id: "finance-briefing", workspaceId: "", owner: "", sharedWith: "everyone" },
  ...{ name: "Finance briefing", description: "Sums up budgets.", instructions: "Be brief." },
};

describe("the rules of the enterprise search", () => {
  it.each([{ agentic: false }, { webSearch: true }, { deepResearch: true, agentic: true }])(
    "X4 a run that asks for %j is not for this agent, and nothing is planned",
    async (params) => {
      expect(isForSearchAgent(params)).toBe(false);
      const world = agentWorld(noted(), [plans()], () => ({ text: "?" }));
      const { stop } = await world.say("What is new on the web?", chen, params);
      expect(stop).toMatchObject({
        type: "blocked",
        message: expect.stringContaining("switch off web search"),
      });
      expect([world.planner.requests, world.model.requests]).toEqual([[], []]);
      const other = agentWorld(noted(), [plans({ tasks: [] })], () => ({ text: "Hello." }));
      const on = { agentic: true, webSearch: false, deepResearch: false };
      expect((await other.say("Hi", chen, on)).text).toBe("Hello.");
    },
  );

  it("X4 M7 a rewritten query is shown, and neither the message nor a call is changed by it", async () => {
    const asked: Asked = [];
    const words = "How's the fourth quarter looking?";
    const rewritten = "Q4 2026 revenue forecast";
    const world = agentWorld(
      noted(asked),
      [plans({ tasks: tasks.slice(0, 1), rewritten_query: rewritten })],
      (answers) => (answers === 0 ? gmail(words) : { text: "Well." }),
    );
    const { sessionId } = await world.say(words);
    expect(asked).toEqual([{ text: words, sources: ["gmail"] }]);
    expect((await world.of(sessionId, "user_message")).map(({ message }) => message)).toEqual([words]);
    expect((await world.of(sessionId, "tool_call")).map((call) => call.arguments)).toEqual([
      { query: words },
    ]);
    const prompt = JSON.stringify(world.model.requests[0]?.messages);
    expect(prompt).toContain(`Suggested query, not to be used unless the user asks for it: ${rewritten}`);
    // Nothing rewrites by itself: there is no tool for it.
    expect(world.model.requests[0]?.tools?.map(({ name }) => name).join()).not.toMatch(/rewrite/);
  });

  it("X4 M2 M6 three questions that leave the request unclear end the run, and it says what is missing", async () => {
    const world = agentWorld(noted(), [unclear, unclear, unclear, unclear], () => ({ text: "?" }));
    let asked = await world.say("How was the quarter?");
    for (const attempt of [1, 2, 3]) {
      expect(asked.pending[0]?.payload).toMatchObject({ question: question.text, attempt, attempts: 3 });
      asked = await world.answer(asked, { none: true });
    }
    expect(asked.stop).toEqual({
      type: "blocked",
      message:
        "I asked 3 times and still do not know what you mean by “the quarter”. Please write again and include the answer to this: Which quarter do you mean?",
    });
    expect(await world.of(asked.sessionId, "planning.stopped")).toMatchObject([
      { code: "clarification_failed", question: { text: question.text } },
    ]);
    // Nothing expensive has run.
    expect(world.model.requests).toEqual([]);
  });

  it("X4 M5 H2 a turn is reviewed if it had several calls, if the plan asks for it, and after every four calls", async () => {
    const reasons = async (draft: object, turns: readonly number[]) => {
      const world = agentWorld(
        noted(),
        ({ toolChoice }) =>
          Object(toolChoice).name === "review"
            ? reviews({ notes: "Go on." })
            : plans({ tasks: [], ...draft }),
        (answers) => {
          const count = turns[answers];
          if (count === undefined) return { text: "Done." };
          return calls(
            ...Array.from(
              { length: count },
              (_, at) => ["search_gmail", { query: `${answers} ${at}` }] as const,
            ),
          );
        },
      );
      const { sessionId, stop } = await world.say("Q4?");
      expect(stop.type).toBe("end_turn");
      return (await world.record(sessionId)).reviews.map(({ reason }) => reason);
    };
    expect(await reasons({}, [1, 1, 1])).toEqual([]);
    expect(await reasons({}, [2])).toEqual(["batch"]);
    expect(await reasons({}, [1, 1, 1, 1, 1])).toEqual(["every"]);
    expect(await reasons({}, [1, 1, 1, 1, 1, 1, 1, 1])).toEqual(["every", "every"]);
    expect(await reasons({}, [1, 2, 1, 1, 1, 1])).toEqual(["batch", "every"]);
    expect((await reasons({ needs_review: true }, [1]))[0]).toBe("flagged");
  });

  it("X4 M5 the reviewer puts a pending search before the summary", async () => {
    const [mail, chat, sum] = tasks;
    const late = [mail, { ...sum, depends_on: ["mail"] }, chat];
    const world = agentWorld(
      noted(),
      [
        plans({ tasks: late, needs_review: true }),
        reviews({ notes: "Slack is missing.", order: ["mail", "chat", "sum"] }),
      ],
      (answers) => (answers === 0 ? gmail("Q4") : { text: "Done." }),
      { onError: () => {} },
    );
    const { sessionId } = await world.say("Q4?");
    expect((await world.record(sessionId)).plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "mail done",
      "chat pending",
      "sum pending",
    ]);
    const said = JSON.stringify(world.model.requests[1]?.messages);
    expect(said).toMatch(/2\. \[pending\] chat: .*3\. \[pending\] sum/);
    expect(said).toContain("- Slack is missing.");
  });

  it("X4 M5 M2 the reviewer adds a public agent when the mail has nothing, and the gate lets it run", async () => {
    const [mail] = tasks;
    const added = { id: "brief", title: "Ask for a briefing", agent: briefing.id };
    const world = agentWorld(
      noted(),
      [
        plans({ tasks: [mail], needs_review: true }),
        reviews({ notes: "The mail has nothing.", tasks: [{ ...mail, status: "done" }, added] }),
      ],
      (answers, { system }) => {
        if (JSON.stringify(system).includes("a public agent")) return { text: "Q4 is on track." };
        const run = calls(["run_custom_agent", { agent_id: briefing.id, query: "Q4" }]);
        return [gmail("Q4"), run][answers] ?? { text: "It is on track." };
      },
      { agents: customAgentList([briefing]), onError: () => {} },
    );
    const { actions, sessionId } = await world.say("How is Q4?");
    expect(actions.at(-1)).toMatchObject({
      tool: "run_custom_agent",
      success: true,
      result: "Q4 is on track.",
    });
    const { plan, reviews: done } = await world.record(sessionId);
    expect(plan?.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(["mail done", "brief done"]);
    expect(done[0]).toMatchObject({ reason: "flagged", plan: { tasks: [{}, { id: "brief" }] } });
  });

  it("X4 F19 a custom agent has the searches of its sources, and no other tool", async () => {
    const made = async (sources: StoredAgent["sources"]) => {
      const world = agentWorld(
        noted(),
        [plans({ tasks: [] })],
        (answers, { system }) => {
          if (JSON.stringify(system).includes("a public agent")) return { text: "Fine." };
          return answers === 0
            ? calls(["run_custom_agent", { agent_id: briefing.id, query: "Q4" }])
            : { text: "Fine." };
        },
        { agents: customAgentList([sources === undefined ? briefing : { ...briefing, sources }]) },
      );
      await world.say("How is Q4?");
      const own = world.model.requests.find(({ system }) =>
        JSON.stringify(system).includes("a public agent"),
      );
      return own?.tools?.map(({ name }) => name).sort();
    };
    expect(await made(["gmail"])).toEqual(["open_document", "search_gmail"]);
    expect(await made(["drive", "slack"])).toEqual(["open_document", "search_drive", "search_slack"]);
    expect(await made(undefined)).toEqual([
      ...["open_document", "search_calendar", "search_drive"],
      ...["search_gmail", "search_people", "search_slack"],
    ]);
  });

  it("X4 F17 no tool takes a workspace, a user or a caller, and what a model adds is ignored", async () => {
    const workspaces: unknown[] = [];
    const search: CompanySearch = {
      ...noted(),
      search: async (caller) => {
        workspaces.push(caller);
        return { status: "ok", hits: [], total: 0, more: false };
      },
    };
    const seen: unknown[] = [];
    const agents = {
      list: (caller: unknown) => {
        seen.push(caller);
        return [];
      },
    };
    const forged = { workspaceId: "lumen", workspace_id: "lumen", caller: { workspaceId: "lumen" } };
    const world = agentWorld(
      search,
      [plans({ tasks: [] })],
      (answers) =>
        [calls(["search_gmail", { query: "Q4", ...forged }]), calls(["list_custom_agents", forged])][
          answers
        ] ?? { text: "Done." },
      { agents },
    );
    await world.say("Q4?");
    const schemas = JSON.stringify(world.model.requests[0]?.tools?.map((one) => one.input_schema));
    expect(schemas).not.toMatch(/workspace_?id|user_?id|"caller"/i);
    expect(workspaces).toEqual([chen]);
    expect(new Set(seen.map((caller) => JSON.stringify(caller)))).toEqual(new Set([JSON.stringify(chen)]));
  });
});
