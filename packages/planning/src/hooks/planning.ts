import type { Hook, RunContext, Tool } from "@pawl/core";
import { RETRIEVED_TAG, TAGS } from "../record/tags.ts";
import { listTool, runTool } from "../tools/custom-agents.ts";
import { writePlanTool } from "../tools/write-plan.ts";
import { clarified } from "./clarify.ts";
import { landed } from "./fallback.ts";
import { gate } from "./gate.ts";
import { sayRecord } from "./notes.ts";
import { type PlanningOptions, settingsOf } from "./options.ts";
import { afterTurn } from "./review.ts";
import { HOOK, type Work, workOf } from "./work.ts";

/**
 * What an agent needs to plan. `agent()` refuses the hook without the tools. It cannot see that the hook is
 * missing: then the model can write plans, and nothing follows from them.
 */
export interface Planning<Deps = unknown> {
  /** Plans, asks the user, reviews, and appends notes. List it after hooks that deny requests. */
  hook: Hook<Deps>;
  /** `write_plan`, and with `agents` also `list_custom_agents` and `run_custom_agent`. */
  tools: Tool<Deps>[];
}

/**
 * Makes an agent plan before it acts, ask the user before expensive work, and review what it has found.
 *
 * - **Before the first turn** a small model writes a plan. If it has a question, the user is asked, and a new
 *   plan is made with the answer. The run can wait for days. If `attempts` questions in a row leave the
 *   request unclear, the run ends and says what is missing.
 * - **Calls of tools in `gates`** are skipped until the request is clear.
 * - **After a turn with calls** the plan's tasks are marked as done. A model reviews the turn if a review is
 *   due. It may change the plan, ask the user or end the run.
 * - **The agent's model reads** the plan, the answers, the calls and the reviews in notes. Their tags are
 *   `<Plan>`, `<Clarifications>`, `<ToolCallHistory>` and `<Review>`. Only what is new is appended.
 *
 * Everything is an event of the session. `recordOf()` folds the events into the record of the run. If a part
 * fails, e.g. the planner's model, `planning.failed` is stored and the run continues without that part.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime, tool } from "@pawl/core";
 * import { planning, recordOf } from "@pawl/planning";
 * import { scriptedModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const search = tool({
 *   name: "search_gmail",
 *   description: "Searches the mail.",
 *   input: z.object({ query: z.string() }),
 *   execute: ({ query }) => `Alex wrote about ${query}.`,
 * });
 * const draft = {
 *   goal: "Find what Alex says about Q4",
 *   tasks: [{ id: "mail", title: "Search the mail", tool: "search_gmail" }],
 * };
 * const small = scriptedModel([{ tools: [{ name: "write_plan", input: draft }] }]);
 * const { hook, tools } = planning({ model: small, review: false });
 * const searcher = agent({
 *   name: "searcher",
 *   model: scriptedModel([
 *     { tools: [{ name: "search_gmail", input: { query: "Q4" } }] },
 *     { text: "Alex is optimistic." },
 *   ]),
 *   instructions: "You search. Follow <Plan>.",
 *   tools: [search, ...tools],
 *   hooks: [hook],
 * });
 * const store = memoryStore();
 * const pawl = runtime({ agents: [searcher], store });
 * const { sessionId } = await pawl.run("searcher", { userId: "ada", input: "What about Q4?" }).result;
 * const { plan } = recordOf(await Array.fromAsync(store.read(sessionId)));
 * console.log(plan?.tasks[0]?.status); // done
 * ```
 */
export function planning<Deps = unknown>(options: PlanningOptions<Deps>): Planning<Deps> {
  const work = workOf(settingsOf(options));
  const lists = work.agents === undefined ? [] : [listTool(work), runTool(work)];
  const tools = [writePlanTool(work), ...lists];
  return { hook: hookOf(work, tools), tools };
}

function hookOf<Deps>(work: Work<Deps>, own: readonly Tool<Deps>[]): Hook<Deps> {
  return {
    name: HOOK,
    // So an agent that was given the hook without the tools, or that has none of these, is refused.
    tools: [...own.map(({ name }) => name), ...work.gates, ...work.withhold],
    tags: [...Object.values(TAGS), RETRIEVED_TAG],
    beforeRun: async (context) => (await clarified(work, context, true)).next,
    beforeTurn: async (_plan, context) => await beforeTurn(work, context),
    beforeTool: async (call, context) => await gate(work, call, context),
    afterTurn: async (turn, context) => await afterTurn(work, turn, context),
  };
}

/** Asks the open question of a reviewer or the agent, or appends notes for the model. */
async function beforeTurn<Deps>(work: Work<Deps>, context: RunContext<Deps>) {
  if (context.run.landing !== undefined) {
    const here = { context, ...(await work.readRun(context)) };
    await sayRecord(work, here);
    return await landed(work, here);
  }
  const { here, next } = await clarified(work, context, false);
  if (next === undefined) await sayRecord(work, here);
  return next;
}
