import type { RunRecord } from "@pawl/planning";
import { toolName } from "../base/sources.ts";
import { clipped } from "../base/words.ts";

/** A node of the run context: a value, or more nodes. */
export interface Node {
  label: string;
  value?: string;
  nodes?: readonly Node[];
}

/** The deepest level, the most nodes on one level, and the most characters of a value. */
const DEEPEST = 6;
const MOST = 200;
const CHARACTERS = 400;

/** The parts of the record, in the order in which the prompt has them. */
const PARTS: readonly (readonly [label: string, of: (record: RunRecord) => unknown])[] = [
  ["Request", ({ messages }) => messages.map(({ text }) => text)],
  ["Caller", ({ caller }) => caller],
  ["Request is clear", ({ ambiguityResolved, plan }) => (plan === undefined ? undefined : ambiguityResolved)],
  ["Answers to questions", ({ clarifications }) => clarifications],
  ["Earlier answers", ({ earlierClarifications }) => earlierClarifications],
  ["Plan", ({ plan }) => plan],
  ["Plan written", ({ planned }) => planned],
  ["Calls", ({ calls }) => calls],
  ["Failing tools", ({ failedTools }) => failedTools],
  ["Found documents", ({ fragments }) => fragments],
  ["Reviews", ({ reviews }) => reviews],
  ["Plain search at the limit", ({ retrieved }) => retrieved],
  ["Failed parts of planning", ({ failures }) => failures],
  ["Ended by planning", ({ stopped }) => stopped],
  ["End", ({ stop }) => stop],
  ["In the prompt", ({ notes }) => notes],
  ["Identity", ({ sessionId, runId, agent, lastSeq }) => ({ sessionId, runId, agent, lastSeq })],
];

/** Returns the record of a run as a tree. What is empty is left out. */
export function treeOf(record: RunRecord): Node[] {
  return PARTS.flatMap(([label, of]) => {
    const value = of(record);
    return isEmpty(value) ? [] : [nodeOf(label, value, 0)];
  });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function nodeOf(label: string, value: unknown, depth: number): Node {
  if (typeof value !== "object" || value === null)
    return { label, value: clipped(String(value), CHARACTERS) };
  if (depth >= DEEPEST) return { label, value: "…" };
  const entries = Object.entries(value).filter(([, one]) => !isEmpty(one));
  const nodes = entries.slice(0, MOST).map(([key, one], at) => {
    const own = Array.isArray(value) ? nameOf(one, at) : key.replaceAll("_", " ");
    return nodeOf(own, one, depth + 1);
  });
  const rest = entries.length - nodes.length;
  const more = rest > 0 ? [{ label: "…", value: `${rest} more` }] : [];
  return { label, value: summaryOf(value, entries.length), nodes: [...nodes, ...more] };
}

/** Names an element of a list by what it is about. */
function nameOf(value: unknown, at: number): string {
  const fields = new Map(Object.entries(typeof value === "object" && value !== null ? value : {}));
  const tool = fields.get("tool");
  const name = typeof tool === "string" ? toolName(tool) : (fields.get("id") ?? fields.get("tag"));
  return `${at + 1}${typeof name === "string" ? `. ${clipped(name, 60)}` : ""}`;
}

function summaryOf(value: object, count: number): string {
  if (Array.isArray(value)) return String(count);
  const status: unknown = new Map<string, unknown>(Object.entries(value)).get("status");
  return typeof status === "string" ? clipped(status, 60) : "";
}
