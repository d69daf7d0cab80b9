import { PawlError } from "../base/errors.ts";
import { type Budget, unlimited } from "../log/budget.ts";
import { type Infer, jsonSchema, type Schema } from "../tools/schema.ts";
import { type Delegate, type Tool, tool } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";

/** A delegate with its agent. {@link agentTool} makes no others. */
interface AgentDelegate extends Delegate {
  readonly agent: Agent;
}

/** The agent that does the work. */
export function agentOf(delegate: Delegate): Agent {
  return (delegate as AgentDelegate).agent;
}

/** Options of `agentTool()`. */
export interface AgentToolOptions<I extends Schema, Deps> {
  agent: Agent<Deps>;
  /** The agent's name when absent. */
  name?: string;
  /** For the model that hands tasks over: what this agent is for. */
  description: string;
  /** `{ task: string }` when absent. */
  input?: I;
  /**
   * The task in words; `input.task` when absent, which an `input` of your own may not have: then give both.
   */
  message?(input: Infer<I>): string;
  /**
   * What one task may use up, in place of the agent's own limits. Never more than what the caller has left,
   * shared with the other tasks of the same turn.
   */
  limits?: Partial<Budget>;
  /**
   * Whoever reads the caller's session sees what the agent writes, as it writes it (`agent_delta`). The
   * caller's log and its model know nothing of it. Default: `false`.
   */
  showsText?: boolean;
  /** Lines for the user while the agent works and when it is done. */
  status?: { start?: string; done?: string };
}

/** What an agent is given to do when nothing else is said. */
const task = jsonSchema<{ task: string }>({
  type: "object",
  properties: {
    task: { type: "string", description: "All that the agent needs to know: it sees nothing else." },
  },
  required: ["task"],
  additionalProperties: false,
});

/**
 * An agent as a tool of another one. Each call is a session of its own, `<session>:<callId>`, with its own
 * log; the caller reads the last answer. What the agent asks its user becomes a question of this call, and is
 * answered there. Its tokens and cost are counted to the run that called it. A task that was cut off goes on
 * where it was; one that still waits when that run ends is stopped with it.
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
export function agentTool<Deps = unknown, I extends Schema = Schema<{ task: string }>>(
  options: AgentToolOptions<I, Deps>,
): Tool<Deps> {
  if (typeof options.agent?.name !== "string") throw new PawlError("config", "agentTool() needs an agent().");
  const { agent, name = agent.name, description, limits = {}, status, showsText = false } = options;
  const { input = task as unknown as I, message = ({ task }: { task: string }) => task } = options;
  for (const [what, value] of Object.entries(limits)) {
    if (!Object.hasOwn(unlimited, what))
      throw new PawlError("config", `limits.${what} of "${name}" is no limit.`);
    if (!(typeof value === "number" && value > 0))
      throw new PawlError("config", `limits.${what} of "${name}" must be a number above 0, not ${value}.`);
  }
  if (options.input !== undefined && options.message === undefined)
    throw new PawlError(
      "config",
      `"${name}" has an input of its own and no message that puts it into words.`,
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
    ...tool<I, Schema, Deps>({
      name,
      description,
      input,
      ...(status && { status }),
      idempotent: true,
      repeatable: true,
      execute: () => undefined,
    }),
    delegate,
  };
}
