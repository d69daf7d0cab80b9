import { butIs } from "../base/check-numbers.ts";
import { checkOptions, kindOf, type OptionKinds } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { type Budget, unlimited } from "../log/budget.ts";
import { tool } from "../tools/define-tool.ts";
import { lazyJsonSchema } from "../tools/lazy-json-schema.ts";
import type { Infer, Schema } from "../tools/schema.ts";
import type { Delegate, Tool, ToolContext } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";

/** A delegate with its agent. Every delegate that {@link agentTool} makes has this type. */
interface AgentDelegate extends Delegate {
  readonly agent: Agent;
}

/** Returns the agent of a delegate. */
export function agentOf(delegate: Delegate): Agent {
  return (delegate as AgentDelegate).agent;
}

/** Options of `agentTool()`. `Own` is the agent's name as a type, `Name` the tool's. */
export interface AgentToolOptions<
  I extends Schema,
  Deps,
  Own extends string = string,
  Name extends string = string,
> {
  /** The sub-agent that does the work of a call. */
  agent: Agent<Deps, Own>;
  /** The tool's name. Default: the agent's name. */
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
   * Whether clients of the caller's session see the agent's text while it is written (`agent_delta` events).
   * The text does not enter the caller's log or its model's context. Default: `false`.
   */
  showsText?: boolean;
  /** Texts for the user: `start` while the agent is working, `done` when it has finished. */
  status?: { start?: string; done?: string };
}

const OPTIONS: OptionKinds<AgentToolOptions<Schema, unknown>> = {
  agent: "any!",
  name: "string",
  description: "string!",
  input: "any",
  message: "function",
  limits: "object",
  showsText: "boolean",
  status: "object",
};

/** The default input of an agent as a tool. */
const task = /* @__PURE__ */ lazyJsonSchema<{ task: string }>({
  type: "object",
  properties: {
    task: { type: "string", description: "All that the agent needs to know: it sees nothing else." },
  },
  required: ["task"],
  additionalProperties: false,
});

/**
 * Makes a tool from an agent, so that other agents can give it tasks.
 *
 * - Each call gets its own session, `<session>:<callId>`. The calling model reads the agent's last answer.
 * - If the agent asks the user something, the caller's session gets the question and the answer.
 * - The agent's tokens and cost are charged to the calling run.
 *
 * After a crash, a task continues from its log. When the calling run ends, tasks that still wait are stopped.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { agent, agentTool, memoryStore, runtime } from "@pawl/core";
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
 * ```
 */
export function agentTool<
  Deps = unknown,
  I extends Schema = Schema<{ task: string }>,
  Own extends string = string,
  Name extends string = Own,
>(
  options: AgentToolOptions<I, Deps, Own, Name>,
): Tool<
  Deps,
  {
    name: Name;
    input: I;
    result: string;
    output: never;
    kind: Name;
    payload: never;
    answer: Schema<undefined>;
  }
> {
  checkOptions("agentTool()", options, OPTIONS, { instead: { tools: "Give them to the agent." } });
  if (!(Object(options.agent).tools instanceof Map))
    throw new PawlError(
      "config",
      `\`agent\` of agentTool() must be made by agent(); got ${kindOf(options.agent)}.`,
    );
  const { agent, description, limits = {}, status, showsText = false } = options;
  const name = options.name ?? (agent.name as string as Name);
  const { input = task as unknown as I, message = ({ task }: { task: string }) => task } = options;
  for (const [what, value] of Object.entries(limits)) {
    if (!Object.hasOwn(unlimited, what))
      throw new PawlError(
        "config",
        `limits.${what} of "${name}" is not a limit; use ${Object.keys(unlimited).join(", ")}.`,
      );
    if (!(typeof value === "number" && value > 0))
      throw new PawlError("config", `limits.${what} of "${name}" must be a number above 0${butIs(value)}.`);
  }
  if (options.input !== undefined && options.message === undefined)
    throw new PawlError(
      "config",
      `The tool "${name}" has its own \`input\`, so it needs \`message\`, which turns that input into text.`,
    );
  const below = [...agent.tools.values()].flatMap(({ delegate }) => delegate ?? []);
  const delegate: AgentDelegate = {
    agent: agent as Agent,
    limits,
    budget: { ...agent.limits, ...limits },
    models: [agent.model, ...below.flatMap(({ models }) => models)],
    depth: 1 + Math.max(0, ...below.map(({ depth }) => depth)),
    message: message as Delegate["message"],
    showsText,
  };
  return {
    ...tool({
      name,
      description,
      input,
      ...(status && { status }),
      idempotent: true,
      repeatable: true,
      execute: (_input, _context: ToolContext<Deps>) => "",
    }),
    delegate,
  };
}
