import type { JsonObject } from "../base/json.ts";
import { hooksWith } from "../loop/hooks/call-hooks.ts";
import type { AnswerGate, Attempt } from "../loop/leg/attempt.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { isToolUse } from "../model/content.ts";
import { type LivePart, type PartialBlock, textSoFar } from "../model/live-part.ts";
import type { ModelEvent } from "../model/model-client.ts";
import { newReply, type Reply, takeEvent } from "../model/reply.ts";
import {
  type AnswerJudge,
  answerJudge,
  isBesideText,
  isTextKind,
  partKindOf,
  valueOfJson,
  wholeLength,
} from "./judge-part.ts";

/** An event of one block. */
type BlockEvent = Extract<ModelEvent, { index: number }>;
type StartEvent = Extract<ModelEvent, { type: "content_block_start" }>;
type DeltaEvent = Extract<ModelEvent, { type: "content_block_delta" }>;

/** The share of an answer that must be new when text is judged again: each time, hooks get the whole text. */
const JUDGED_SHARE = 1 / 64;

/** The state of a gate. */
interface Gate {
  readonly leg: Leg;
  /** What the hooks have let through. */
  readonly answer: Reply;
  readonly received: Reply;
  readonly judge: AnswerJudge;
  /** Settles when the hooks have let the answer begin. */
  readonly started: Promise<unknown>;
  /** How many characters of text are judged at a time, and held back; `Infinity`: blocks are judged whole. */
  readonly every: number;
  /** The events of the block that is being received. */
  held: BlockEvent[];
  /** The text of this block that was let through. */
  shown: string;
  /** How many characters of its text no hook has judged yet. */
  unjudged: number;
  /** Whether a hook has changed the text of a block. */
  isMasked: boolean;
}

/**
 * Makes the gate of an attempt, through which an answer reaches readers and the log. The hooks judge each
 * block when it is complete. If all of them have an `every`, they also judge text and thinking each time that
 * so many characters have arrived; the last `every` characters stay held back.
 */
export function answerGate(leg: Leg, attempt: Attempt): AnswerGate {
  const judge = answerJudge(leg);
  const started = judge.part({ kind: "start", text: "", complete: false }, { field: undefined });
  // Without this, a rejection before anything awaits the promise would end the process.
  started.catch(() => undefined);
  return gateOf(leg, attempt, judge, started);
}

function gateOf(leg: Leg, { answer }: Attempt, judge: AnswerJudge, started: Promise<unknown>): AnswerGate {
  const judges = hooksWith(leg, "duringModel");
  const isWhole = judges.length === 0 || judges.some((hook) => hook.every === undefined);
  const every = isWhole ? Number.POSITIVE_INFINITY : Math.max(...judges.map((hook) => hook.every ?? 1));
  const received = newReply();
  // If a hook that guards gets the whole answer, readers do not get it before.
  const holdsAll = hooksWith(leg, "afterModel").some(({ guards }) => guards);
  const passed = holdsAll ? newReply(answer.output) : answer;
  const gate: Gate = {
    ...{ leg, answer: passed, received, judge, started, every },
    ...{ held: [], shown: "", unjudged: 0, isMasked: false },
  };
  return {
    received,
    get refused() {
      return judge.refused;
    },
    take: (event) =>
      holdsAll && event.type === "message_stop"
        ? takeThrough(gate, event)?.then(() => void Object.assign(answer, passed))
        : takeThrough(gate, event),
    end: async () => void (await started),
    next: (attempt) => gateOf(leg, attempt, judge, started),
  };
}

/** Takes an event of the model. Returns a promise only if something is judged or shown. */
function takeThrough(gate: Gate, event: ModelEvent): Promise<void> | undefined {
  const { answer, received, judge } = gate;
  takeEvent(received, event);
  // The hooks may refuse the messages while the model writes: nothing more is read then.
  if (judge.refused !== undefined) return gate.started.then(() => undefined);
  switch (event.type) {
    case "content_block_start":
      Object.assign(gate, { held: [event], shown: "", unjudged: 0 });
      return gate.isMasked && event.content_block.type === "thinking"
        ? judge.fail("duringModel has changed text before a block of thinking, which is signed with it.")
        : undefined;
    case "content_block_delta":
      gate.held.push(event);
      return takeTextDelta(gate, event);
    case "content_block_stop":
      gate.held.push(event);
      return letBlockThrough(gate, event.index);
    case "message_stop":
      return gate.started.then(() => takeEvent(answer, event));
    case "message_delta":
      if (gate.isMasked && event.delta.stop_reason === "pause_turn")
        return judge.fail("duringModel has changed an answer that the model has paused.");
      takeEvent(answer, event);
      return undefined;
    default:
      takeEvent(answer, event);
      return undefined;
  }
}

/** Judges text and thinking once enough characters have arrived. */
function takeTextDelta(gate: Gate, { index, delta }: DeltaEvent): Promise<void> | undefined {
  const { part } = gate.received.blocks[index] as PartialBlock;
  if (part === undefined || !isTextKind(partKindOf(gate.answer, part))) return undefined;
  gate.unjudged += (delta.text ?? delta.thinking ?? "").length;
  return gate.unjudged >= Math.max(gate.every, gate.received.chars * JUDGED_SHARE)
    ? letTextThrough(gate, index)
    : undefined;
}

/** Lets a complete block through. */
async function letBlockThrough(gate: Gate, index: number): Promise<void> {
  const { part } = gate.received.blocks[index] as PartialBlock;
  if (part !== undefined && isTextKind(partKindOf(gate.answer, part)))
    return await letTextThrough(gate, index);
  if (part !== undefined) return await letValueThrough(gate, index, part);
  await gate.started;
  passHeld(gate);
}

/** Lets through what the hooks allow of a block's text so far. */
async function letTextThrough(gate: Gate, index: number): Promise<void> {
  const { part, complete } = gate.received.blocks[index] as PartialBlock;
  const kind = (part as LivePart).kind as "text" | "thinking";
  // The block as it began: citations and the signature follow with its end.
  const { content_block: started } = gate.held[0] as StartEvent;
  const text = textSoFar(part as LivePart);
  gate.unjudged = 0;
  await gate.started;
  const field = kind === "text" ? "text" : undefined;
  const judged = await gate.judge.part({ kind, text, complete }, { field, shown: gate.shown });
  gate.isMasked ||= judged.text !== text;
  const end = complete ? judged.text.length : wholeLength(judged.text, judged.text.length - gate.every);
  if (gate.shown === "" && (complete || end > 0))
    takeEvent(gate.answer, { type: "content_block_start", index, content_block: { ...started, [kind]: "" } });
  if (end > gate.shown.length) {
    const delta = { type: `${kind}_delta`, [kind]: judged.text.slice(gate.shown.length, end) };
    takeEvent(gate.answer, { type: "content_block_delta", index, delta });
    gate.shown = judged.text.slice(0, end);
  }
  if (!complete) return;
  // Citations quote the text, so a changed text has none.
  if (judged.text === text)
    for (const event of gate.held) if (isBesideText(event)) takeEvent(gate.answer, event);
  takeEvent(gate.answer, { type: "content_block_stop", index });
}

/** Lets through an output or the input of a call, as the hooks have changed it. */
async function letValueThrough(gate: Gate, index: number, live: LivePart): Promise<void> {
  const { block, invalid } = gate.received.blocks[index] as PartialBlock;
  const kind = partKindOf(gate.answer, live);
  const isWrapped = kind === "output" && gate.answer.output?.wrapped === true;
  const whole =
    live.kind === "text" ? valueOfJson(textSoFar(live)) : invalid === undefined ? block.input : undefined;
  const value = isWrapped ? (Object(whole) as JsonObject).value : whole;
  const call =
    kind === "tool_input" && live.tool ? { tool: live.tool.tool_name, callId: live.tool.call_id } : {};
  const part = {
    kind,
    text: textSoFar(live),
    complete: true,
    ...(value !== undefined && { value }),
    ...call,
  };
  // The API itself has run its own tools.
  const field = live.kind === "text" || isToolUse(block) ? "value" : undefined;
  await gate.started;
  const judged = await gate.judge.part(part, { field, isInput: live.kind === "tool_input" && !isWrapped });
  if (judged.value === value) return passHeld(gate);
  const changed = JSON.stringify(isWrapped ? { value: judged.value } : judged.value);
  const { answer } = gate;
  const [text, delta] =
    live.kind === "text"
      ? [{ text: "" }, { type: "text_delta", text: changed }]
      : [{ input: {} }, { type: "input_json_delta", partial_json: changed }];
  takeEvent(answer, { type: "content_block_start", index, content_block: { ...block, ...text } });
  takeEvent(answer, { type: "content_block_delta", index, delta });
  takeEvent(answer, { type: "content_block_stop", index });
}

/** Lets a block through as it was received. */
function passHeld({ answer, held }: Gate): void {
  for (const event of held) takeEvent(answer, event);
}
