import type { Agent } from "../../agent/agent.ts";
import { checkItems } from "../../agent/check-agent-options.ts";
import { checkTools } from "../../agent/check-tools.ts";
import { kindOf } from "../../base/check-options.ts";
import { withinDeadline, withTimeLimit } from "../../base/deadline.ts";
import { messageOf, PawlError } from "../../base/errors.ts";
import { anySignal } from "../../base/signals.ts";
import { agentChange } from "../../context/agent-change.ts";
import { prefixFor } from "../../context/prefix.ts";
import type { NewEvent } from "../../log/event.ts";
import { isReplaced } from "../../loop/leg/effective-type.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import { lacksCredentials } from "../../loop/loop.ts";
import type { ToolSpec } from "../../model/content.ts";
import { openRun, type RunState } from "../../session/state.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Host } from "./host.ts";

/**
 * Returns the agent with the tools that its function `tools` returns for the leg's caller, and those that the
 * client offers. A run that can only end or ask for credentials gets no tools if the function fails.
 *
 * @throws PawlError `tools_failed`; `fenced` if another process has taken over the session; `invalid_input`
 * if the run starts and the client offers a tool with the name of one of the agent's tools
 */
export async function readyAgent(leg: Leg, agent: Agent, starts: boolean, offer: Offer): Promise<Agent> {
  const own = await withOwnTools(leg, agent, starts, offer.load);
  const complete = await withOffered(leg, own, starts, offer);
  if (own !== agent && agent.hooks.some(({ guards }) => guards))
    await (await leg.parts.load()).reportUnguarded(leg, complete);
  return hidingCredentials(leg.access.hide, complete);
}

/** The tools that a client offers with its message, and the function that loads the code for tools. */
interface Offer {
  /** Default: the offered tools in the session's prefix. */
  specs?: readonly ToolSpec[] | undefined;
  load: Host["offers"];
}

/** Returns the agent with the tools that its function `tools` returns, as far as they fit into the prompt. */
async function withOwnTools(leg: Leg, agent: Agent, starts: boolean, load: Offer["load"]): Promise<Agent> {
  if (agent.toolsFor === undefined) return agent;
  try {
    const returned = await callTools(leg, agent);
    // Only the tools of a source may be left out.
    const hasSources = Array.isArray(returned) && returned.some((tool) => tool?.source);
    if (!hasSources) return withTools(agent, returned);
    const { tools, toolErrors } = (await load()).toolsThatFit(leg, agent, returned);
    return Object.assign(withTools(agent, tools), { toolErrors });
  } catch (cause) {
    const { life } = leg;
    if (life.lost) throw life.signal.reason;
    const needsNoTools = !starts && (life.signal.aborted || canOnlyEnd(leg));
    if (needsNoTools) return agent;
    const hidden = leg.access.hideInError(cause);
    const message = `The function \`tools\` of agent("${agent.name}") failed: ${messageOf(hidden)}`;
    throw new PawlError("tools_failed", message, { cause: hidden });
  }
}

/**
 * Returns the agent with the tools that the client offers. A run that starts gets those of its message. A run
 * that is resumed gets those of its prefix, even if a later version of the agent has a tool of the same name.
 */
async function withOffered(
  leg: Leg,
  agent: Agent,
  starts: boolean,
  { specs: newSpecs, load }: Offer,
): Promise<Agent> {
  const { tools: sent = [], clientTools = [] } = leg.log.state.prefix ?? {};
  const isOffered = starts && newSpecs !== undefined;
  const specs = isOffered ? newSpecs : sent.filter(({ name }) => clientTools.includes(name));
  if (!agent.clientTools || specs.length === 0) return agent;
  const run = openRun(leg.log.state);
  const isNew = run === undefined || hasMadeNoRequest(leg, run);
  return (await load()).agentWithOffered(agent, specs, { isOffered, isNew });
}

/**
 * Returns the agent with credentials replaced in its instructions, tools and output, as in the stored prefix.
 * Otherwise the agent would differ from that prefix, and each run would store a new one.
 */
function hidingCredentials(hide: Leg["access"]["hide"], agent: Agent): Agent {
  const tools = [...agent.tools].map(([name, tool]) => {
    const spec = hide(tool.spec);
    return [name, spec === tool.spec ? tool : { ...tool, spec: { ...spec, name } }] as const;
  });
  const { output } = agent;
  const hidden = output && { output: { ...output, ...hide(sentOf(output)) } };
  return { ...agent, instructions: hide(agent.instructions), tools: new Map(tools), ...hidden };
}

/** Returns the parts of an agent's output that its model reads. */
function sentOf({ spec, format }: NonNullable<Agent["output"]>) {
  return format === undefined ? { spec } : { spec, format };
}

/** Calls the agent's function `tools`, within its time limit and the life of the leg. */
async function callTools(leg: Leg, { toolsFor, toolsTimeoutMs }: Agent): Promise<unknown> {
  const {
    life,
    run: { session },
    access: { caller, credentials },
  } = leg;
  return await withTimeLimit(life.clock, toolsTimeoutMs, (timeUp) => {
    const signal = anySignal([timeUp, life.signal]);
    const returned = (async () =>
      toolsFor?.({ session, caller, credentials, deps: (await leg.access.makeDeps()) as never, signal }))();
    return withinDeadline({ clock: life.clock, signal }, returned);
  });
}

/**
 * Returns whether the open run can only end or ask for credentials in this leg. Also `true` without a run.
 */
function canOnlyEnd(leg: Leg): boolean {
  const run = openRun(leg.log.state);
  return run === undefined || run.stopRequested || run.ending !== undefined || lacksCredentials(leg);
}

/** Returns whether the open run has sent no request to a model yet. Its prefix may then still be replaced. */
function hasMadeNoRequest({ log: { state } }: Leg, run: RunState): boolean {
  return state.requestSeq <= run.seq;
}

/**
 * Returns the event for an open run that continues under another version of its agent, or with other tools.
 * Tools that a function returns are compared only if the run may still call them and has made a request.
 * Before its first request, {@link storeTools} gives the run its own prefix.
 */
export function changeOnResume(leg: Leg): NewEvent[] {
  const {
    log,
    run: { agent },
  } = leg;
  const run = openRun(log.state);
  if (run === undefined || isReplaced(leg, run)) return [];
  const isWithoutTools = agent.toolsFor !== undefined && (canOnlyEnd(leg) || hasMadeNoRequest(leg, run));
  return agentChange(log.state, run, isWithoutTools ? { version: agent.version } : agent);
}

/** Stores the event of {@link changeOnResume}, if there is one, e.g. after an answer of another caller. */
export async function storeChanges(leg: Leg): Promise<void> {
  const changes = changeOnResume(leg);
  if (changes.length > 0) await leg.log.add(changes);
}

/**
 * Stores a new prefix if the open run has made no request yet and its prefix has other tools than the agent.
 * This is for the run of a queued message. It starts in the append that ends the run before it, so its prefix
 * has that run's tools.
 */
export async function storeTools(leg: Leg): Promise<void> {
  const { state } = leg.log;
  const run = openRun(state);
  if (run === undefined || !hasMadeNoRequest(leg, run) || canOnlyEnd(leg)) return;
  const events = prefixFor(state, leg.run.agent, leg.run.newId, "");
  if (events.length > 0) await leg.log.add([...events, ...(leg.run.agent.toolErrors ?? [])]);
}

/**
 * Returns the agent with the tools that its function has returned.
 *
 * @throws PawlError `config` if they are not a list of tools, or `agent()` would refuse them.
 */
export function withTools(agent: Agent, returned: unknown): Agent {
  const whose = `agent("${agent.name}")`;
  if (!Array.isArray(returned))
    throw new PawlError(
      "config",
      `\`tools\` of ${whose} must return a list of tools; got ${kindOf(returned)}.`,
    );
  checkItems(whose, "tools", returned);
  const tools: readonly Tool[] = returned;
  const complete = { ...agent, tools: new Map(tools.map((tool) => [tool.name, tool])) };
  checkTools(complete, tools);
  return complete;
}
