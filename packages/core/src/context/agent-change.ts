import { isEqualJson, type JsonObject } from "../base/json.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { ToolSpec } from "../model/content.ts";
import type { RunState, SessionState } from "../session/state.ts";

/** The parts of an agent that may differ between its versions while a run is open. */
interface Versioned {
  readonly version: string;
  /** Absent if the run does not need them, or they are not known yet. */
  readonly tools?: ReadonlyMap<string, { readonly spec: ToolSpec }>;
  readonly output?: { readonly spec: ToolSpec };
}

/**
 * Returns the event for a run that continues under another version of its agent, or with other tools than
 * those of its prefix. Returns an empty list if the log already says so.
 */
export function agentChange({ prefix }: SessionState, run: RunState, agent: Versioned): NewEvent[] {
  const { version: from, tools: logged } = run.agentChange ?? {
    version: run.agentVersion,
    tools: { removed: [], changed: [] },
  };
  const tools =
    agent.tools === undefined ? logged : toolChanges(prefix?.tools ?? [], agent.tools, agent.output);
  if (from === agent.version && isEqualJson(tools, logged)) return [];
  return [{ type: "agent_changed", data: { run_id: run.runId, from, to: agent.version, tools } }];
}

/** Returns the tools of a prefix that the agent does not have, or not in the same form. */
function toolChanges(
  specs: readonly ToolSpec[],
  tools: NonNullable<Versioned["tools"]>,
  output: Versioned["output"],
): EventData["agent_changed"]["tools"] {
  const specOf = (name: string) =>
    (tools.get(name) ?? (output?.spec.name === name ? output : undefined))?.spec;
  const removed = specs.filter(({ name }) => specOf(name) === undefined);
  const changed = specs.filter((spec) => {
    const now = specOf(spec.name);
    return now !== undefined && !isEqualJson(spec, now);
  });
  return { removed: removed.map(({ name }) => name), changed: changed.map(({ name }) => name) };
}

/**
 * Returns how requests ask for the run's output: by an output format (`text`), or by the tool `final_answer`
 * (`call`). Returns `undefined` if another version of the agent wrote the prefix and has asked in another
 * form. An output in that form would not match the agent's schema, so the model is asked for JSON in its
 * text.
 */
export function askedOutput(
  { prefix }: SessionState,
  output: { readonly spec: ToolSpec; readonly format?: JsonObject } | undefined,
): "text" | "call" | undefined {
  if (prefix === undefined || output === undefined) return undefined;
  const { outputFormat, tools } = prefix;
  if (outputFormat !== undefined)
    return isEqualJson(outputFormat, output.format ?? null) ? "text" : undefined;
  const sent = tools.find(({ name }) => name === output.spec.name);
  return sent !== undefined && isEqualJson(sent, output.spec) ? "call" : undefined;
}

/** Returns the input schema with which the model was given a tool; `undefined` if it was not. */
export function sentInputSchema({ prefix }: SessionState, toolName: string): JsonObject | undefined {
  return prefix?.tools.find(({ name }) => name === toolName)?.input_schema;
}
