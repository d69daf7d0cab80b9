import type { SessionEvent, StoredEvent, StoredOf } from "@pawl/core";
import type { Citation } from "@pawl/core/view";
import { partsOfEvent } from "./outcomes.ts";

type Kind = "text" | "thinking";

/** A step in sending the model's text. `key` identifies a block and is never reused. */
export type BlockStep =
  /** The next piece of a block's text. The first piece begins the block. */
  | { type: "piece"; kind: Kind; key: string; attempt: number; text: string }
  /** The answer is stored, and all text of these blocks has been sent. */
  | { type: "settled"; attempt: number; blocks: readonly Told[] }
  /** The text of these blocks is void: the attempt was lost, or the stored answer differs. */
  | { type: "void"; attempt: number; blocks: readonly Told[] };

/** A block, with the text that was sent so far. Once it is settled, also with its citations. */
export interface Told {
  key: string;
  kind: Kind;
  text: string;
  citations?: readonly Citation[];
}

/** Converts the events of answers to steps. If two events contain the same text, it is sent once. */
export function blocks(): {
  stored(event: StoredEvent): BlockStep[];
  live(event: SessionEvent): BlockStep[];
} {
  let attempt = 0;
  const told = new Map<string, Told>();

  const piece = (kind: Kind, key: string, text: string): BlockStep[] => {
    if (text === "") return [];
    const block = told.get(key);
    if (block === undefined) told.set(key, { key, kind, text });
    else block.text += text;
    return [{ type: "piece", kind, key, attempt, text }];
  };
  const close = (type: "settled" | "void"): BlockStep[] => {
    const all = [...told.values()];
    told.clear();
    return all.length === 0 ? [] : [{ type, attempt, blocks: all }];
  };
  const settle = (event: StoredOf<"assistant_message">): BlockStep[] => {
    const whole = wholeBlocks(event);
    // The sent blocks must be the answer's first blocks in their order. Only the last of them may be
    // incomplete.
    const isNext = ({ key, text }: Told, place: number) => {
      const block = whole[place];
      if (block?.key !== key) return false;
      return place === told.size - 1 ? block.text.startsWith(text) : block.text === text;
    };
    const counts = event.data.attempt === attempt && [...told.values()].every(isNext);
    const steps = counts ? [] : close("void");
    attempt = event.data.attempt;
    // The valid text is sent under a new key: the voided blocks have used the other one.
    const mark = steps.length === 0 ? "" : "'";
    for (const { key, kind, text, citations } of whole) {
      const name = `${key}${mark}`;
      steps.push(...piece(kind, name, text.slice(told.get(name)?.text.length ?? 0)));
      const block = told.get(name);
      if (block !== undefined && citations !== undefined) block.citations = citations;
    }
    return [...steps, ...close("settled")];
  };
  return {
    stored(event) {
      switch (event.type) {
        case "llm_request": {
          const steps = close("void");
          attempt = event.seq;
          return steps;
        }
        case "assistant_message":
          return settle(event);
        case "run_recovered":
        case "run_suspended":
        case "run_ended":
          return close("void");
        default:
          return [];
      }
    },
    live(event) {
      if (event.type !== "text_delta" && event.type !== "thinking_delta") return [];
      const { index, offset, text, attempt: of } = event.data;
      if (of !== attempt) return [];
      const key = `${of}:${index}`;
      const had = told.get(key)?.text.length ?? 0;
      if (offset > had) return [];
      return piece(event.type === "text_delta" ? "text" : "thinking", key, text.slice(had - offset));
    },
  };
}

/**
 * Returns the blocks of a stored answer as people see them. An answer that was cut off has only the part that
 * is kept.
 */
function wholeBlocks(event: StoredEvent): Told[] {
  return partsOfEvent(event).flatMap((part): Told[] => {
    if ((part.type !== "text" && part.type !== "thinking") || part.text === "") return [];
    const { key, type: kind, text } = part;
    return [{ key, kind, text, ...("citations" in part && { citations: part.citations }) }];
  });
}
