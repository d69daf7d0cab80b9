import { canonicalJson, type JsonObject, toJson } from "../base/json.ts";
import type { EventData, NewEvent } from "../log/event.ts";
import type { TextBlock, ToolSpec } from "../model/content.ts";
import type { SessionState } from "../session/state.ts";
import { withoutThinking } from "./project.ts";
import { withoutUnpaired } from "./server-calls.ts";
import { userDataBlock } from "./user-data.ts";

/** The parts of an agent that are in its prefix. */
interface Prefixed {
  readonly instructions: string;
  readonly tools: ReadonlyMap<string, { readonly spec: ToolSpec }>;
  readonly userData?: unknown;
}

/**
 * Returns the events that a new run of `agent` starts with: none if the session's prefix is the same. A
 * changed prefix invalidates the cache and all bound thinking, so it changes only here, between two runs.
 * User data stays in the session's first prefix as it was; if it differs from what the model was last sent,
 * the new data is appended.
 */
export function prefixFor(
  state: SessionState,
  agent: Prefixed,
  newId: () => string,
  userData: string,
): NewEvent[] {
  const { id: _, chars: __, ...current } = state.prefix ?? { id: "", chars: 0, system: [] };
  const first = state.prefix === undefined && userData !== "" ? userDataBlock(userData) : undefined;
  const block = agent.userData === undefined ? undefined : (current.system[1] ?? first);
  const wanted = {
    system: [
      { type: "text" as const, text: agent.instructions.toWellFormed() },
      ...(block === undefined ? [] : [block]),
    ],
    tools: toJson([...agent.tools.values()].map((tool) => tool.spec)) as unknown as ToolSpec[],
  };
  const same = canonicalJson(current as JsonObject) === canonicalJson(wanted);
  const known = state.userData ?? first?.text;
  const told = userData === "" || userDataBlock(userData).text === known;
  return [
    ...(same ? [] : [{ type: "prefix" as const, data: { prefix_id: newId(), ...wanted } }]),
    ...(told ? [] : [{ type: "knowledge" as const, data: { source: USER_DATA, data: userData } }]),
  ];
}

/**
 * Applies a prefix. Thinking is bound to the system prompt and the tools, so earlier thinking is no longer
 * sent. Nor are unfinished calls of the API's own tools.
 */
export function applyPrefix(
  state: SessionState,
  { prefix_id: id, system, tools }: EventData["prefix"],
): void {
  state.prefix = { id, system, tools, chars: JSON.stringify({ system, tools }).length };
  state.userData ??= system[1]?.text;
  state.entries = withoutUnpaired(withoutThinking(state.entries));
  state.hashed = { entries: 0, hash: "" };
}

/** Returns a prefix with the same tools and another id, so that what was sent before may change once. */
export function newPrefix(
  { prefix }: SessionState,
  prefix_id: string,
  system: TextBlock[] = prefix?.system ?? [],
): NewEvent {
  return { type: "prefix", data: { prefix_id, system, tools: prefix?.tools ?? [] } };
}

/** The source of the knowledge that updates user data. */
export const USER_DATA = "user_data";
