import { isEqualJson, type JsonObject } from "../base/json.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { ToolSpec } from "../model/content.ts";
import type { RunState, SessionState } from "../session/state.ts";

/** The parts of an agent that may differ between its versions while a run is open. */
interface Versioned {
  readonly version: string;
  /** Absent if the run does not need its tools, or if they are not known yet. */
  readonly tools?: ReadonlyMap<string, { readonly spec: ToolSpec; readonly annotations?: JsonObject }>;
  readonly output?: { readonly spec: ToolSpec };
}

/**
 * Returns the `agent_changed` event if a run continues under another version of its agent, or with other
 * tools than its prefix has. Returns an empty list if nothing changed, or if the log already has the change.
 */
export function agentChange({ prefix }: SessionState, run: RunState, agent: Versioned): NewEvent[] {
  const { version: from, tools: loggedTools } = run.agentChange ?? {
    version: run.agentVersion,
    tools: { removed: [], changed: [] },
  };
  const tools = agent.tools === undefined ? loggedTools : toolChanges(prefix, agent.tools, agent.output);
  if (from === agent.version && isEqualJson(tools, loggedTools)) return [];
  return [{ type: "agent_changed", data: { run_id: run.runId, from, to: agent.version, tools } }];
}

/**
 * Returns the names of a prefix's tools that the agent no longer has (`removed`), or has with another spec
 * or other annotations (`changed`).
 */
function toolChanges(
  prefix: SessionState["prefix"],
  tools: NonNullable<Versioned["tools"]>,
  output: Versioned["output"],
): EventData["agent_changed"]["tools"] {
  const { tools: specs = [], annotations = [] } = prefix ?? {};
  const claimsThen = (name: string) => annotations.find(({ tool }) => tool === name)?.claims ?? {};
  const currentSpec = (name: string) =>
    (tools.get(name) ?? (output?.spec.name === name ? output : undefined))?.spec;
  const removed = specs.filter(({ name }) => currentSpec(name) === undefined);
  const changed = specs.filter((spec) => {
    const current = currentSpec(spec.name);
    const claims = tools.get(spec.name)?.annotations ?? {};
    return current !== undefined && !isEqualJson([spec, claimsThen(spec.name)], [current, claims]);
  });
  return { removed: removed.map(({ name }) => name), changed: changed.map(({ name }) => name) };
}

/**
 * Returns how requests ask for the run's output: `text` for an output format, `call` for the tool
 * `final_answer`. Returns `undefined` without a prefix or an output. Also returns `undefined` if another
 * version of the agent wrote the prefix with another schema. The model is then asked for JSON in its text.
 */
export function askedOutput(
  { prefix }: SessionState,
  output: { readonly spec: ToolSpec; readonly format?: JsonObject } | undefined,
): "text" | "call" | undefined {
  if (prefix === undefined || output === undefined) return undefined;
  const { outputFormat, tools } = prefix;
  if (outputFormat !== undefined)
    return isEqualJson(outputFormat, output.format ?? null) ? "text" : undefined;
  const sentSpec = tools.find(({ name }) => name === output.spec.name);
  return sentSpec !== undefined && isEqualJson(sentSpec, output.spec) ? "call" : undefined;
}

/**
 * Returns the input schema with which a tool was sent to the model; `undefined` if the prefix does not have
 * the tool.
 */
export function sentInputSchema({ prefix }: SessionState, toolName: string): JsonObject | undefined {
  return prefix?.tools.find(({ name }) => name === toolName)?.input_schema;
}
