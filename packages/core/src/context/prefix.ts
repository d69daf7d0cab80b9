import { canonicalJson, type JsonObject, toJson } from "../base/json.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { TextBlock, ToolSpec } from "../model/content.ts";
import type { SessionState } from "../session/state.ts";
import { withoutThinking } from "./project.ts";
import { withoutUnpaired } from "./server-calls.ts";
import { userDataBlock } from "./user-data.ts";

/** The parts of an agent that are in its prefix. */
interface Prefixed {
  readonly instructions: string;
  readonly tools: ReadonlyMap<string, { readonly spec: ToolSpec; readonly offered?: true }>;
  readonly userData?: unknown;
  readonly output?: { readonly spec: ToolSpec; readonly format?: JsonObject };
}

/** Returns the tools that the model is given: the agent's, and the one for its output, if it needs one. */
function specsOf({ tools, output }: Prefixed): ToolSpec[] {
  const own = [...tools.values()].map((tool) => tool.spec);
  return output === undefined || output.format !== undefined ? own : [...own, output.spec];
}

/**
 * Returns the events with which a new run of `agent` begins: a `prefix` if the system prompt or the tools
 * have changed, and `knowledge` if the user data have changed. Changes of an agent take effect only through
 * these events, because a new prefix invalidates the cache and removes all earlier thinking. User data that
 * is already in the system prompt stays there unchanged.
 */
export function prefixFor(
  state: SessionState,
  agent: Prefixed,
  newId: () => string,
  userData: string,
): NewEvent[] {
  const { system, tools } = state.prefix ?? NO_PREFIX;
  const current = { system, tools, ...moreOf(state.prefix) };
  const first = state.prefix === undefined && userData !== "" ? userDataBlock(userData) : undefined;
  const block = agent.userData === undefined ? undefined : (current.system[1] ?? first);
  const offered = [...agent.tools.values()].filter((tool) => tool.offered);
  const wanted = {
    system: [
      { type: "text" as const, text: agent.instructions.toWellFormed() },
      ...(block === undefined ? [] : [block]),
    ],
    tools: toJson(specsOf(agent)) as unknown as ToolSpec[],
    ...(agent.output?.format && { output_format: agent.output.format }),
    ...(offered.length > 0 && { client_tools: offered.map(({ spec }) => spec.name) }),
  };
  const same = canonicalJson(current as unknown as JsonObject) === canonicalJson(wanted);
  const known = state.userData ?? first?.text;
  return [
    ...(same ? [] : [{ type: "prefix" as const, data: { prefix_id: newId(), ...wanted } }]),
    ...newUserData(known, userData),
  ];
}

/**
 * Returns the event for new user data. Returns an empty list if the data are empty or equal to `known`, the
 * block that the model read last.
 */
export function newUserData(known: string | undefined, text: string): NewEvent[] {
  const isKnown = text === "" || userDataBlock(text).text === known;
  return isKnown ? [] : [{ type: "knowledge", data: { source: USER_DATA, data: text } }];
}

/**
 * Applies a prefix to a session's state. Removes unfinished calls of the API's own tools, and earlier
 * thinking, because its signature covers the old prefix.
 */
export function applyPrefix(
  state: SessionState,
  { prefix_id: id, system, tools, output_format: outputFormat, client_tools }: EventData["prefix"],
): void {
  const chars = JSON.stringify({ system, tools, outputFormat }).length;
  const more = { ...(outputFormat && { outputFormat }), ...(client_tools && { clientTools: client_tools }) };
  state.prefix = { id, system, tools, chars, ...more };
  state.userData ??= system[1]?.text;
  state.entries = withoutUnpaired(withoutThinking(state.entries));
  state.hashed = { entries: 0, hash: "" };
}

/**
 * Returns a prefix with the same tools and a new id. Under a new prefix, context that was sent before may
 * change.
 */
export function newPrefix(
  { prefix }: SessionState,
  prefix_id: string,
  system: TextBlock[] = prefix?.system ?? [],
): NewEvent {
  return { type: "prefix", data: { prefix_id, system, tools: prefix?.tools ?? [], ...moreOf(prefix) } };
}

/** Returns the parts of a prefix that few agents have, as they are stored. */
function moreOf(prefix: SessionState["prefix"]): Pick<EventData["prefix"], "output_format" | "client_tools"> {
  const { outputFormat: output_format, clientTools } = prefix ?? {};
  return { ...(output_format && { output_format }), ...(clientTools && { client_tools: [...clientTools] }) };
}

const NO_PREFIX = { system: [], tools: [] };

/** The `source` of `knowledge` events with new user data. */
export const USER_DATA = "user_data";
