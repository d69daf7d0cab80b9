import type { Json, SessionEvent } from "@pawl/core";
import type { Told } from "./blocks.ts";
import { dataFrame, type Encoder, type EncoderContext } from "./dialect.ts";
import { type Rest, type Step, telling } from "./telling.ts";

/**
 * When text is told, where clients cannot take any back. `live`: as it is written; if its attempt fails, the stream ends with an error,
 * and the session's next reader sees what counts. `settled`: once the answer is on record.
 */
export type TextMode = "live" | "settled";

/** A dialect of events that stand for themselves. */
export interface PlainWords {
  first?: readonly object[];
  /** The events of a step, in the run's order. */
  step(step: Step): readonly object[];
  /** The last events. `undefined`: the message is over, although the run goes on. */
  last(rest: Rest | undefined): readonly object[];
  /** The last event where text was told that does not count. */
  lost(message: string): object;
  /** The kinds of blocks that are told. */
  blocks: readonly Told["kind"][];
  text: TextMode;
  /** Behind the last event. */
  sentinel?: string;
}

/** What the calls were made with that a stream goes on with. */
export function callsBefore({ before }: EncoderContext): Map<string, Json> {
  const parts = before.messages.flatMap((message) => message.parts);
  return new Map(
    parts.flatMap((part) => (part.type === "tool" ? [[part.callId, part.arguments] as const] : [])),
  );
}

const LOST = "The answer broke off and is being written anew. Please reload.";

/** Tells one stream in plain events, one frame each. */
export function plainEncoder(context: EncoderContext, words: PlainWords): Encoder {
  const told = telling(context);
  let lost = false;
  const wordsOf = (step: Step, event: SessionEvent): readonly object[] => {
    if (lost) return [];
    switch (step.type) {
      case "piece":
        return words.text === "live" && words.blocks.includes(step.kind) ? words.step(step) : [];
      case "settled": {
        if (words.text === "live") return [];
        const { attempt, blocks } = step;
        const whole = blocks.filter(({ kind }) => words.blocks.includes(kind));
        return whole.flatMap(({ key, kind, text }) =>
          words.step({ type: "piece", kind, key, attempt, text }),
        );
      }
      case "void": {
        // An end says itself how it came about.
        const counts = words.text === "live" && event.type !== "run_ended";
        lost = counts && step.blocks.some(({ kind }) => words.blocks.includes(kind));
        return [];
      }
      default:
        return words.step(step);
    }
  };
  return {
    begin: () => (words.first ?? []).map(dataFrame),
    encode: (event) =>
      told
        .steps(event)
        .flatMap((step) => wordsOf(step, event))
        .map(dataFrame),
    end: () => {
      if (told.rest === undefined && !told.over && !lost) return [];
      const last = lost ? [words.lost(LOST)] : words.last(told.rest);
      return [...last.map(dataFrame), ...(words.sentinel === undefined ? [] : [words.sentinel])];
    },
    get over() {
      return lost || told.over;
    },
  };
}
