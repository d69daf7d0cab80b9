import type { Json } from "@pawl/core";
import type { Told } from "../base/blocks.ts";
import { closedSteps } from "../base/call-results.ts";
import { dataFrame, type Encoder, type EncoderContext } from "../base/dialect.ts";
import { type Rest, type Step, type Telling, telling } from "../base/telling.ts";

/**
 * When text is sent to clients that cannot remove text they have shown.
 *
 * - `live`: while it is written. If a model call fails halfway, the stream may end with an error, and the
 *   page must reload the session.
 * - `settled`: once the whole answer is stored.
 */
export type TextMode = "live" | "settled";

/** The check of an option that takes a {@link TextMode}. */
export const TEXT_MODE: { readonly mustBe: string; readonly isPublic: true; is(value: unknown): boolean } = {
  mustBe: '"live" or "settled"',
  is: (value: unknown): boolean => value === "live" || value === "settled",
  isPublic: true,
};

/** The events of a dialect whose events never change or remove earlier ones. */
export interface PlainWords {
  /** The first events of every stream. Default: none. */
  first?: readonly object[];
  /** Returns the events of a step. */
  step(step: Step): readonly object[];
  /**
   * Returns the last events. Without `rest`, the message is complete although the run continues. `word`
   * explains the end of a run that did not fail.
   */
  last(rest: Rest | undefined, word: LastWord | undefined): readonly object[];
  /**
   * Returns the events between two runs of one stream. `word` explains the end of the first run. Default:
   * none.
   */
  between?(word: LastWord): readonly object[];
  /**
   * Returns the last event of a stream that has to end before its run. Without a `code`, text that was sent
   * has become void.
   */
  lost(message: string, code?: string): object;
  /** The kinds of text that are sent. */
  blocks: readonly Told["kind"][];
  text: TextMode;
  /** The frame after the last event. Default: none. */
  sentinel?: string;
}

/** A text that explains to the user why the run ended, from the session's view. */
export interface LastWord {
  text: string;
  /** Whether the stream sent any text before this one. */
  follows: boolean;
  /** Whether text that was sent has become void. The client cannot remove it. */
  corrects: boolean;
}

/** Returns the explanation as a paragraph after any text before it. */
export function paragraphOf({ text, follows }: LastWord): string {
  return follows ? `\n\n${text}` : text;
}

/** Returns the inputs of calls that were made before the stream, keyed by call id. */
export function callsBefore({ before }: EncoderContext): Map<string, Json> {
  const parts = before.messages.flatMap((message) => message.parts);
  return new Map(
    parts.flatMap((part) =>
      part.type === "tool" ? [[part.callId, part.input ?? part.arguments] as const] : [],
    ),
  );
}

const LOST = "The answer was changed while it was being written. Please reload.";

/** Returns an encoder that writes each event as one frame. */
export function plainEncoder(context: EncoderContext, words: PlainWords): Encoder {
  const told = telling(context);
  let hasText = false;
  // Text that was sent is void. If the model writes the answer again, the client has to reload the session.
  // If the run ends, its last message explains why.
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
  /** The events between a run and the next one, for a client that gets the output of both as one. */
  const between = (ended: string): readonly object[] => {
    const text = lost || told.runId === ended ? undefined : noticeIn(told, ended);
    if (text === undefined || !context.again) return [];
    const said = words.between?.({ text, follows: hasText, corrects: false }) ?? [];
    hasText ||= said.length > 0;
    return said;
  };
  const ending = (last: readonly object[]) => [
    ...last.map(dataFrame),
    ...(words.sentinel === undefined ? [] : [words.sentinel]),
  ];
  return {
    begin: () => [...(words.first ?? []), ...closedSteps(context).flatMap(words.step)].map(dataFrame),
    encode: (event) => {
      const { runId } = told;
      const said = told.steps(event).flatMap(wordsOf);
      lost ||= voided && event.type === "llm_request";
      return [...said, ...between(runId)].map(dataFrame);
    },
    end: () => {
      const { rest, over } = told;
      if (rest === undefined && !over && !lost) return [];
      const text = noticeOf(told);
      const word = text === undefined ? undefined : { text, follows: hasText, corrects: voided };
      const isSaid = word !== undefined || hasFailed(rest);
      const last = lost || (voided && !isSaid) ? [words.lost(LOST)] : words.last(rest, word);
      return ending(last);
    },
    refused: ({ code, message }) => ending([words.lost(message, code)]),
    get over() {
      return lost || told.over;
    },
  };
}

function hasFailed(rest: Rest | undefined): boolean {
  return rest?.type === "ended" && rest.event.data.session_status === "error";
}

/** Returns the view's notice for a run that ended and did not fail. */
function noticeOf(told: Telling): string | undefined {
  const { rest } = told;
  if (rest?.type !== "ended" || hasFailed(rest)) return undefined;
  return noticeIn(told, rest.event.data.run_id);
}

/** Returns the view's notice for the end of a run. */
function noticeIn({ view }: Telling, runId: string): string | undefined {
  const key = `end:${runId}`;
  const parts = view.messages.flatMap((message) => message.parts);
  const notice = parts.find((part) => part.type === "notice" && part.key === key);
  return notice?.type === "notice" ? notice.text : undefined;
}
