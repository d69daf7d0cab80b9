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
  /** `offered` marks a tool that the client of the run offers. */
  readonly tools: ReadonlyMap<
    string,
    { readonly spec: ToolSpec; readonly offered?: true; readonly annotations?: JsonObject }
  >;
  readonly userData?: unknown;
  readonly output?: { readonly spec: ToolSpec; readonly format?: JsonObject };
}

/**
 * Returns the specs of the agent's tools. If the output has no output format, adds the spec of
 * `final_answer`.
 */
function specsOf({ tools, output }: Prefixed): ToolSpec[] {
  const own = [...tools.values()].map((tool) => tool.spec);
  return output === undefined || output.format !== undefined ? own : [...own, output.spec];
}

/**
 * Returns the events with which a new run of `agent` begins:
 *
 * - `prefix` if the system prompt or the tools have changed,
 * - `knowledge` if the user data has changed. `userData` is the current user data.
 *
 * Changes of an agent take effect only through these events, because a new prefix invalidates the cache and
 * removes all earlier thinking. User data that is already in the system prompt stays there unchanged.
 */
export function prefixFor(
  state: SessionState,
  agent: Prefixed,
  newId: () => string,
  userData: string,
): NewEvent[] {
  const { system, tools } = state.prefix ?? NO_PREFIX;
  const current = { system, tools, ...optionalParts(state.prefix) };
  const isFirst = state.prefix === undefined && userData !== "";
  const firstBlock = isFirst ? userDataBlock(userData) : undefined;
  const systemBlock = agent.userData === undefined ? undefined : (current.system[1] ?? firstBlock);
  const offered = [...agent.tools.values()].filter((tool) => tool.offered);
  const annotations = [...agent.tools.values()].flatMap(({ spec: { name: tool }, annotations: claims }) =>
    claims === undefined ? [] : [{ tool, claims }],
  );
  const next = {
    system: [
      { type: "text" as const, text: agent.instructions.toWellFormed() },
      ...(systemBlock === undefined ? [] : [systemBlock]),
    ],
    tools: toJson(specsOf(agent)) as unknown as ToolSpec[],
    ...(agent.output?.format && { output_format: agent.output.format }),
    ...(offered.length > 0 && { client_tools: offered.map(({ spec }) => spec.name) }),
    ...(annotations.length > 0 && { annotations }),
  };
  const isSame = canonicalJson(current as unknown as JsonObject) === canonicalJson(next);
  const lastRead = state.userData ?? firstBlock?.text;
  return [
    ...(isSame ? [] : [{ type: "prefix" as const, data: { prefix_id: newId(), ...next } }]),
    ...newUserData(lastRead, userData),
  ];
}

/**
 * Returns the `knowledge` event for new user data. Returns an empty list if the data is empty or equal to
 * `lastRead`, the block that the model read last.
 */
export function newUserData(lastRead: string | undefined, text: string): NewEvent[] {
  const isKnown = text === "" || userDataBlock(text).text === lastRead;
  return isKnown ? [] : [{ type: "knowledge", data: { source: USER_DATA, data: text } }];
}

/**
 * Applies a prefix to a session's state. Removes earlier thinking, whose signature covers the old prefix, and
 * unfinished calls of the API's own tools.
 */
export function applyPrefix(
  state: SessionState,
  {
    prefix_id: id,
    system,
    tools,
    output_format: outputFormat,
    client_tools,
    annotations,
  }: EventData["prefix"],
): void {
  const chars = JSON.stringify({ system, tools, outputFormat }).length;
  const optional = {
    ...(outputFormat && { outputFormat }),
    ...(client_tools && { clientTools: client_tools }),
    ...(annotations && { annotations }),
  };
  state.prefix = { id, system, tools, chars, ...optional };
  state.userData ??= system[1]?.text;
  state.entries = withoutUnpaired(withoutThinking(state.entries));
  state.hashed = { entries: 0, hash: "" };
}

/**
 * Returns the event of a prefix with a new id and the same tools. Keeps the system prompt by default. Under a
 * new prefix, context that was sent before may change.
 */
export function newPrefix(
  { prefix }: SessionState,
  prefix_id: string,
  system: TextBlock[] = prefix?.system ?? [],
): NewEvent {
  return {
    type: "prefix",
    data: { prefix_id, system, tools: prefix?.tools ?? [], ...optionalParts(prefix) },
  };
}

/** Returns the optional fields of a prefix in the form in which the event stores them. */
function optionalParts(
  prefix: SessionState["prefix"],
): Pick<EventData["prefix"], "output_format" | "client_tools" | "annotations"> {
  const { outputFormat: output_format, clientTools, annotations } = prefix ?? {};
  return {
    ...(output_format && { output_format }),
    ...(clientTools && { client_tools: [...clientTools] }),
    ...(annotations && { annotations }),
  };
}

const NO_PREFIX = { system: [], tools: [] };

/** The `source` of `knowledge` events with new user data. */
export const USER_DATA = "user_data";
