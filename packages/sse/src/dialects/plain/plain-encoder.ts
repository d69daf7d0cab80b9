import type { Json } from "@pawl/core";
import type { Told } from "../base/blocks.ts";
import { dataFrame, type Encoder, type EncoderContext } from "../base/dialect.ts";
import { type Rest, type Step, type Telling, telling } from "../base/telling.ts";

/**
 * When text is sent to clients that cannot remove text they have shown. `live`: as it is written. If a model
 * call fails halfway, the stream ends with an error, and the page must reload the session. `settled`: once
 * the whole answer is stored.
 */
export type TextMode = "live" | "settled";

/** A dialect whose events do not refer to earlier ones. */
export interface PlainWords {
  first?: readonly object[];
  /** The events of a step, in the run's order. */
  step(step: Step): readonly object[];
  /**
   * The last events. Without `rest`, the message is over although the run continues. `word` explains the end
   * of a run that did not fail.
   */
  last(rest: Rest | undefined, word: LastWord | undefined): readonly object[];
  /** Returns the last event of a stream that sent text which is void. */
  lost(message: string): object;
  /** The kinds of blocks that are sent. */
  blocks: readonly Told["kind"][];
  text: TextMode;
  /** A frame after the last event. Default: none. */
  sentinel?: string;
}

/** The explanation of a run's end for the user, from the session's view. */
export interface LastWord {
  text: string;
  /** Text was sent before it. */
  follows: boolean;
  /** The text before it is void, but the client cannot remove it. */
  corrects: boolean;
}

/** The explanation as text, after any text before it. */
export function paragraphOf({ text, follows }: LastWord): string {
  return follows ? `\n\n${text}` : text;
}

/** Returns the inputs of the calls before the stream, by call id. */
export function callsBefore({ before }: EncoderContext): Map<string, Json> {
  const parts = before.messages.flatMap((message) => message.parts);
  return new Map(
    parts.flatMap((part) => (part.type === "tool" ? [[part.callId, part.arguments] as const] : [])),
  );
}

const LOST = "The answer was changed while it was being written. Please reload.";

/** Encodes one stream as plain events, one frame each. */
export function plainEncoder(context: EncoderContext, words: PlainWords): Encoder {
  const told = telling(context);
  let hasText = false;
  // Text was sent that no longer counts. If the answer is written again, the client has to reload; if the run
  // ends, its last message says why.
  let voided = false;
  let lost = false;
  const piece = (step: Step & { type: "piece" }): readonly object[] => {
    if (!words.blocks.includes(step.kind)) return [];
    hasText ||= step.kind === "text";
    return words.step(step);
  };
  const wordsOf = (step: Step): readonly object[] => {
    lost ||= voided && step.type === "piece";
    if (lost) return [];
    switch (step.type) {
      case "piece":
        return words.text === "live" ? piece(step) : [];
      case "settled": {
        if (words.text === "live") return [];
        const { attempt, blocks } = step;
        return blocks.flatMap(({ key, kind, text }) => piece({ type: "piece", kind, key, attempt, text }));
      }
      case "void": {
        voided ||= words.text === "live" && step.blocks.some(({ kind }) => words.blocks.includes(kind));
        return [];
      }
      default:
        return words.step(step);
    }
  };
  return {
    begin: () => (words.first ?? []).map(dataFrame),
    encode: (event) => {
      const frames = told.steps(event).flatMap(wordsOf).map(dataFrame);
      lost ||= voided && event.type === "llm_request";
      return frames;
    },
    end: () => {
      const { rest, over } = told;
      if (rest === undefined && !over && !lost) return [];
      const text = noticeOf(told);
      const word = text === undefined ? undefined : { text, follows: hasText, corrects: voided };
      const isSaid = word !== undefined || hasFailed(rest);
      const last = lost || (voided && !isSaid) ? [words.lost(LOST)] : words.last(rest, word);
      return [...last.map(dataFrame), ...(words.sentinel === undefined ? [] : [words.sentinel])];
    },
    get over() {
      return lost || told.over;
    },
  };
}

function hasFailed(rest: Rest | undefined): boolean {
  return rest?.type === "ended" && rest.event.data.session_status === "error";
}

/** The view's explanation for a run that ended and did not fail. */
function noticeOf({ rest, view }: Telling): string | undefined {
  if (rest?.type !== "ended" || hasFailed(rest)) return undefined;
  const key = `end:${rest.event.data.run_id}`;
  const parts = view.messages.flatMap((message) => message.parts);
  const notice = parts.find((part) => part.type === "notice" && part.key === key);
  return notice?.type === "notice" ? notice.text : undefined;
}
