import { wrongValueText } from "../base/check-numbers.ts";
import { checkOptions, kindOf, type OptionKinds, oneOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import type { Instead } from "../base/hints.ts";
import { hintsFor } from "../base/hints-for.ts";
import type { Awaitable } from "../hooks/hook.ts";
import { type Budget, unlimited } from "../log/budget.ts";
import { lazyJsonSchema } from "../schema/lazy-json-schema.ts";
import type { Infer, Schema } from "../schema/schema.ts";
import { tool } from "../tools/define-tool.ts";
import type { TaskAgent } from "../tools/run-agent-types.ts";
import type { NoAnswer } from "../tools/suspends.ts";
import type { Delegate, TaskSource, Tool, ToolContext } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";
import { ownModels } from "./check-tools.ts";

/** A `TaskAgent` that also has the `Agent`. Every delegate that {@link agentTool} makes returns this type. */
interface WholeTaskAgent extends TaskAgent {
  readonly agent: Agent;
}

/** Returns the agent of a task. */
export function agentOf(chosen: TaskAgent): Agent {
  return (chosen as WholeTaskAgent).agent;
}

/**
 * Options of `agentTool()`. Give either `agent` or `agents`. `Own` is the agent's name as a type, `Name` the
 * tool's, `Output` the type of the agent's output.
 */
export interface AgentToolOptions<
  I extends Schema,
  Deps,
  Own extends string = string,
  Name extends string = string,
  Output = unknown,
> {
  /** The sub-agent that does the work of a call. */
  agent?: Agent<Deps, Own, Output>;
  /**
   * Returns the sub-agent that does the work of one call. It gets the call's validated input and the caller.
   *
   * - Return `undefined` for an input for which this caller has no agent, e.g. a name that the model has made
   *   up. The call then fails with "There is no such agent."
   * - The chosen agent's name is stored. The function is called again when another process resumes the task,
   *   and when the task must be stopped. If it then returns an agent of another name, the call fails.
   * - Look names up in a `Map`: the model writes the input.
   */
  agents?(input: Infer<I>, source: TaskSource<Deps>): Awaitable<Agent<Deps> | undefined>;
  /** The tool's name. Required with `agents`. Default: the agent's name. */
  name?: Name;
  /** The description for the calling model: what the agent does and when to use it. */
  description: string;
  /** The schema of the tool's input. Default: `{ task: string }`. */
  input?: I;
  /**
   * Returns the message that the agent gets for an input. Required with your own `input`. Default:
   * `input.task`.
   */
  message?(input: Infer<I>): string;
  /**
   * Limits of one task that override the agent's own. A task never gets more than the remaining budget of the
   * caller, which the tasks of one turn share.
   */
  limits?: Partial<Budget>;
  /**
   * What clients of the caller's session see of the agent's work. Its artifacts are shown in any case.
   * Default: nothing else.
   *
   * - `text`: its text while it is written (`agent_delta` events). It does not enter the caller's log.
   * - `all`: also the calls of its tools, with their status texts and progress, but without inputs and
   *   results. They are progress reports of this call, and parts of the type `data-agent-call` in the
   *   caller's log.
   *
   * The caller's model reads none of this.
   */
  shows?: "text" | "all";
  /**
   * Whether the agent reads the conversation so far, before its task: the texts of the user and the
   * assistant, at most the last 40,000 characters. Tool calls, results and redacted texts are left out.
   * Default: `false`.
   */
  history?: boolean;
  /** Texts for the user: `start` while the agent is working, `done` when it has finished. */
  status?: { start?: string; done?: string };
}

const OPTIONS: OptionKinds<AgentToolOptions<Schema, unknown>> = {
  agent: "any",
  agents: "function",
  name: "string",
  description: "string!",
  input: "any",
  message: "function",
  limits: "object",
  shows: oneOf("text", "all"),
  history: "boolean",
  status: "object",
};

/** The default input schema of `agentTool()`. */
const task = /* @__PURE__ */ lazyJsonSchema<{ task: string }>({
  type: "object",
  properties: {
    task: { type: "string", description: "All that the agent needs to know: it sees nothing else." },
  },
  required: ["task"],
  additionalProperties: false,
});

/**
 * Makes a tool from an agent, so that other agents can give it tasks. With `agents`, the call's input chooses
 * the agent.
 *
 * - Each call gets its own session, `<session>:<callId>`. The calling model reads the agent's last answer, or
 *   its output if it has an `output`.
 * - If the agent asks the user something, the caller's session gets the question and the answer.
 * - The agent's tokens and cost are charged to the calling run.
 *
 * After a crash, a task continues from its log. When the calling run ends, tasks that still wait are stopped.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { agent, agentTool, jsonSchema, memoryStore, runtime } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 *
 * const researcher = agent({
 *   name: "researcher",
 *   model: strictModel({ script: [{ text: "It was in 1969." }] }),
 *   instructions: "You look things up.",
 * });
 * const host = agent({
 *   name: "host",
 *   model: strictModel({
 *     script: [
 *       { tools: [{ name: "researcher", input: { task: "When was the landing?" } }] },
 *       { text: "In 1969." },
 *     ],
 *   }),
 *   instructions: "You answer questions.",
 *   tools: [agentTool({ agent: researcher, description: "Looks things up.", limits: { turns: 3 } })],
 * });
 * const pawl = runtime({ agents: [host], store: memoryStore() });
 * const { actions } = await pawl.run("host", { userId: "u", input: "When?" }).result;
 * console.log(actions[0]?.result); // It was in 1969.
 *
 * // Or one tool for several agents. The model writes the name, so it may be any text.
 * const experts = new Map([["history", researcher]]);
 * agentTool({
 *   name: "ask_expert",
 *   description: "Asks an expert.",
 *   input: jsonSchema<{ expert: string; question: string }>({
 *     type: "object",
 *     properties: { expert: { type: "string" }, question: { type: "string" } },
 *     required: ["expert", "question"],
 *   }),
 *   message: ({ question }) => question,
 *   agents: ({ expert }, { caller }) => (caller.role === "member" ? experts.get(expert) : undefined),
 * });
 * ```
 */
export function agentTool<
  Deps = unknown,
  I extends Schema = Schema<{ task: string }>,
  Own extends string = string,
  Name extends string = Own,
  Output = unknown,
>(
  options: AgentToolOptions<I, Deps, Own, Name, Output> & Instead<"agentTool">,
): Tool<
  Deps,
  {
    name: Name;
    input: I;
    result: unknown extends Output ? string : string | Output;
    output: never;
    kind: Name;
    payload: never;
    answer: NoAnswer;
  }
> {
  checkOptions("agentTool()", options, OPTIONS, { instead: hintsFor("agentTool") });
  checkAgents(options);
  const { agent, agents, description, limits = {}, status, shows, history = false } = options;
  const name = options.name ?? ((agent?.name ?? "") as string as Name);
  const { input = task as unknown as I, message = ({ task }: { task: string }) => task } = options;
  for (const [limit, value] of Object.entries(limits)) {
    if (!Object.hasOwn(unlimited, limit))
      throw new PawlError(
        "config",
        `limits.${limit} of "${name}" is not a limit; use ${Object.keys(unlimited).join(", ")}.`,
      );
    if (!(typeof value === "number" && value > 0))
      throw new PawlError(
        "config",
        `limits.${limit} of "${name}" must be a number above 0${wrongValueText(value)}.`,
      );
  }
  if (options.input !== undefined && options.message === undefined)
    throw new PawlError(
      "config",
      `The tool "${name}" has its own \`input\`, so it needs \`message\`, which turns that input into text.`,
    );
  const fixed = agent && taskAgent(agent as Agent, limits);
  const delegate: Delegate = {
    limits,
    fixed,
    choose: async (callInput, source) => {
      if (agents === undefined) return fixed;
      const chosen: unknown = await agents(callInput as Infer<I>, source);
      if (chosen === undefined) return undefined;
      if (!isAgent(chosen))
        throw new PawlError(
          "config",
          `\`agents\` of agentTool("${name}") must return an agent; got ${kindOf(chosen)}.`,
        );
      return taskAgent(chosen, limits);
    },
    message: message as Delegate["message"],
    shows,
    history,
  };
  return {
    ...tool({
      name,
      description,
      input,
      ...(status && { status }),
      idempotent: true,
      repeatable: true,
      // Never called: the delegate does the work.
      execute: (_input, _context: ToolContext<Deps>) => "",
    }),
    delegate,
  };
}

/** Returns whether a value was made by `agent()`. */
export function isAgent(value: unknown): value is Agent {
  return Object(value).tools instanceof Map;
}

/** Requires either `agent`, or `agents` and a name for the tool. @throws PawlError `config` */
function checkAgents({ agent, agents, name }: { agent?: unknown; agents?: unknown; name?: unknown }): void {
  if (agents === undefined) {
    if (isAgent(agent)) return;
    if (agent === undefined) throw new PawlError("config", "agentTool() needs `agent`, or `agents`.");
    throw new PawlError("config", `\`agent\` of agentTool() must be made by agent(); got ${kindOf(agent)}.`);
  }
  if (agent !== undefined)
    throw new PawlError("config", "agentTool() takes either `agent` or `agents`, not both.");
  if (name === undefined) throw new PawlError("config", "agentTool() with `agents` needs a `name`.");
}

/** Returns an agent with the limits, models and depth of its tasks. */
export function taskAgent(agent: Agent, limits: Partial<Budget>): WholeTaskAgent {
  const delegates = [...agent.tools.values()].flatMap(({ delegate }) => delegate ?? []);
  const depths = delegates.map(({ fixed }) => fixed?.depth ?? 1);
  return {
    agent,
    name: agent.name,
    budget: { ...agent.limits, ...limits },
    models: [...ownModels(agent), ...delegates.flatMap(({ fixed }) => fixed?.models ?? [])],
    // A function `tools` may return sub-agents, which count as one level.
    depth: 1 + Math.max(agent.toolsFor === undefined ? 0 : 1, ...depths),
  };
}
