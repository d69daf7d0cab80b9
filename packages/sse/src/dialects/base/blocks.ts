import type { SessionEvent, StoredEvent, StoredOf } from "@pawl/core";
import { newView, reduceView } from "@pawl/core/view";

type Kind = "text" | "thinking";

/** What is told of the model's words. `key` names a block, and is never used again. */
export type BlockStep =
  /** A piece that follows what was told of this block; the first one begins it. */
  | { type: "piece"; kind: Kind; key: string; attempt: number; text: string }
  /** The answer is on record, and what was told of these blocks is all of it. */
  | { type: "settled"; attempt: number; blocks: readonly Told[] }
  /** What was told of these blocks does not count: the attempt was lost, or its answer came out otherwise. */
  | { type: "void"; attempt: number; blocks: readonly Told[] };

/** A block and what has been told of it. */
export interface Told {
  key: string;
  kind: Kind;
  text: string;
}

/** Follows the blocks of the answer that is being written. Pieces that overlap are told once. */
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
    // Told so far are its first blocks, whole and in their order, and the last of them as far as it goes.
    const isNext = ({ key, text }: Told, place: number) => {
      const block = whole[place];
      if (block?.key !== key) return false;
      return place === told.size - 1 ? block.text.startsWith(text) : block.text === text;
    };
    const counts = event.data.attempt === attempt && [...told.values()].every(isNext);
    const steps = counts ? [] : close("void");
    attempt = event.data.attempt;
    // What counts after all is told under a name of its own: the other one has been used.
    const mark = steps.length === 0 ? "" : "'";
    for (const { key, kind, text } of whole) {
      const name = `${key}${mark}`;
      steps.push(...piece(kind, name, text.slice(told.get(name)?.text.length ?? 0)));
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

/** The words of a stored answer as people see them: of one that was cut off, what is kept. */
function wholeBlocks(event: StoredEvent): Told[] {
  const run = { id: "", seq: 0, open: true };
  const [message] = reduceView({ ...newView(), run }, event).messages;
  return (message?.parts ?? []).flatMap((part): Told[] =>
    (part.type === "text" || part.type === "thinking") && part.text !== ""
      ? [{ key: part.key, kind: part.type, text: part.text }]
      : [],
  );
}
