import type { FileType } from "../files/file-type.ts";

/** The coach's tools, in the order in which the model sees them. */
export const toolNames = [
  "save_file",
  "complete_session",
  "enter_structured_arc",
  "show_pulse_check",
  "show_options",
] as const;

export type ToolName = (typeof toolNames)[number];

/** The tools and files that a session of one type permits. */
export interface SessionRules {
  /** The name that users see. */
  title: string;
  tools: readonly ToolName[];
  /** The types of file that `save_file` may write. */
  writes: readonly FileType[];
  /** The most tokens of one answer, including the files that it writes. */
  maxTokens: number;
}

const memory = ["sage-context", "sage-patterns", "reflection-prompt", "capture"] as const;
const guided = ["save_file", "complete_session", "show_pulse_check", "show_options"] as const;

/** The types of sessions. Arcs are types too: an open conversation can enter an arc and leave it. */
export const sessionTypes = {
  open_conversation: {
    title: "Open conversation",
    tools: toolNames,
    writes: [...memory, "domain", "life-plan", "day-plan", "daily-log"],
    maxTokens: 4_096,
  },
  open_day: { title: "Open the day", tools: guided, writes: [...memory, "day-plan"], maxTokens: 3_072 },
  close_day: { title: "Close the day", tools: guided, writes: [...memory, "daily-log"], maxTokens: 4_096 },
  life_mapping: {
    title: "Life mapping",
    tools: guided,
    writes: [...memory, "domain", "overview", "life-plan"],
    maxTokens: 8_192,
  },
  weekly_checkin: {
    title: "Weekly check-in",
    tools: guided,
    writes: [...memory, "check-in", "weekly-plan", "domain", "overview", "life-plan"],
    maxTokens: 8_192,
  },
  quick_capture: {
    title: "Quick capture",
    tools: ["save_file", "complete_session"],
    writes: ["capture"],
    maxTokens: 2_048,
  },
} as const satisfies Record<string, SessionRules>;

export type SessionType = keyof typeof sessionTypes;

/** The arcs that an open conversation can enter. */
export const arcs = ["open_day", "close_day", "life_mapping", "weekly_checkin"] as const;

export type Arc = (typeof arcs)[number];

/** The type of a session that was begun without a type. */
export const DEFAULT_TYPE: SessionType = "open_conversation";

/**
 * Returns the rules of an effective type: the current arc, or else the type of the session. An unknown type
 * gets the rules with the fewest rights.
 *
 * @example
 * ```ts
 * import { rulesOf } from "@pawl/example-coach";
 *
 * console.log(rulesOf("quick_capture").writes); // [ "capture" ]
 * ```
 */
export function rulesOf(type: string | undefined): SessionRules {
  if (type === undefined) return sessionTypes[DEFAULT_TYPE];
  return isSessionType(type) ? sessionTypes[type] : sessionTypes.quick_capture;
}

export function isSessionType(type: unknown): type is SessionType {
  return typeof type === "string" && Object.hasOwn(sessionTypes, type);
}
