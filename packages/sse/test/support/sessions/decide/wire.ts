import type { Json, StoredEvent } from "@pawl/core";
import { decidedIn } from "./decided.ts";

/** What a reader says of a call, as far as it says it. */
export interface Said {
  input?: Json | undefined;
  outcome?: string | undefined;
  role?: string | undefined;
}

/** What the streams of a dialect have sent, as JSON. */
export type Frames = readonly { readonly [field: string]: unknown }[];

/** What the frames of a dialect say of calls, by the calls' ids. */
export type WireReader = (frames: Frames) => Map<string, Said>;

class Calls extends Map<string, Said> {
  say(id: unknown, said: Said): void {
    this.set(String(id), { ...this.get(String(id)), ...said });
  }
}

export const inNative: WireReader = (frames) => {
  const calls = new Calls();
  // Streams that come at the same time have the same events.
  const events = new Map((frames as unknown as StoredEvent[]).map((event) => [event.seq, event]));
  const stored = [...events.values()].filter(({ seq }) => seq !== undefined);
  const inOrder = stored.toSorted((one, other) => one.seq - other.seq);
  for (const { callId, written, edit, outcome, role } of decidedIn(inOrder))
    calls.say(callId, { input: edit?.input ?? written, outcome, role });
  return calls;
};

const AI_SDK: ReadonlyMap<unknown, string> = new Map([
  ["tool-output-available", "done"],
  ["tool-output-error", "error"],
  ["tool-output-denied", "denied"],
]);

export const inAiSdk: WireReader = (frames) => {
  const calls = new Calls();
  let role: string | undefined;
  for (const { type, toolCallId, input, data } of frames) {
    if (type === "start-step") role = undefined;
    if (type === "data-role") ({ role } = Object(data));
    if (type === "tool-input-start") calls.say(toolCallId, { role });
    if (type === "tool-input-available") calls.say(toolCallId, { input: input as Json });
    if (AI_SDK.has(type)) calls.say(toolCallId, { outcome: AI_SDK.get(type) });
  }
  return calls;
};

export const inAgUi: WireReader = (frames) => {
  const calls = new Calls();
  const texts = new Map<unknown, string>();
  let role: string | undefined;
  for (const { type, name, value, toolCallId, delta, messages } of frames) {
    if (type === "CUSTOM" && name === "role") role = String(value);
    if (type === "TOOL_CALL_START") {
      texts.set(toolCallId, "");
      calls.say(toolCallId, { role });
    }
    if (type === "TOOL_CALL_ARGS") texts.set(toolCallId, `${texts.get(toolCallId)}${delta}`);
    if (type === "TOOL_CALL_END") calls.say(toolCallId, { input: JSON.parse(texts.get(toolCallId) ?? "") });
    if (type === "TOOL_CALL_RESULT") calls.say(toolCallId, { outcome: "over" });
    if (type === "CUSTOM" && name === "tool_skipped")
      calls.say(Object(value).toolCallId, { outcome: "skipped" });
    if (type === "MESSAGES_SNAPSHOT") inSnapshot(calls, messages as Frames);
  }
  return calls;
};

function inSnapshot(calls: Calls, messages: Frames): void {
  for (const { role, toolCallId, toolCalls = [] } of messages) {
    if (role === "tool") calls.say(toolCallId, { outcome: calls.get(String(toolCallId))?.outcome ?? "over" });
    for (const call of toolCalls as { id: string; function: { arguments: string } }[])
      calls.say(call.id, { input: JSON.parse(call.function.arguments) });
  }
}

export const inAsp: WireReader = (frames) => {
  const calls = new Calls();
  for (const { type, tool_use_id: id, input, is_error, skipped } of frames) {
    if (type === "tool" || type === "tool_input") calls.say(id, { input: input as Json });
    const outcome = skipped !== undefined ? "skipped" : is_error === true ? "failed" : "done";
    if (type === "tool_result") calls.say(id, { outcome });
  }
  return calls;
};

export const inMetrics: WireReader = (frames) => {
  const calls = new Calls();
  for (const { type, callId, arguments: input, status } of frames)
    if (type === "metric") calls.say(callId, { input: input as Json, outcome: String(status) });
  return calls;
};

/** The trainer's events do not name calls: these are the tools and their outcomes, in order. */
export function inTrainer(frames: Frames): string[] {
  const isOver = ({ type, status }: Frames[number]) =>
    // The hook that asks before the first run is no tool.
    (status === "done" || status === "failed") && type !== "clarify";
  const over = frames.filter(isOver);
  return over.map(({ type, status }) => `${type} ${status}`).toSorted();
}
