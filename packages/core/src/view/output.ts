import type { StoredOf } from "../log/event.ts";
import type { EventOf } from "../log/store/live-event.ts";
import { changeRunMessage, withNews } from "./change.ts";
import { passReader } from "./output-readers.ts";
import { runMessageId } from "./run-message.ts";
import type { ViewPart, ViewState } from "./view.ts";

/** A part that shows the output of a run. */
export type OutputPart = Extract<ViewPart, { type: "output" }>;

/**
 * Returns the output of the run in progress, or else of the last run; `undefined` if it has none.
 *
 * @example
 * ```ts
 * import { newView, outputPartOf } from "@pawl/core/view";
 *
 * console.log(outputPartOf(newView())); // undefined
 * ```
 */
export function outputPartOf({ messages, run }: Pick<ViewState, "messages" | "run">): OutputPart | undefined {
  const id = runMessageId(run);
  const parts = messages.findLast((message) => message.id === id)?.parts ?? [];
  return parts.findLast((part) => part.type === "output");
}

/** Appends the new text of an output in progress. */
export function outputDelta(view: ViewState, { data }: EventOf<"output_delta">): ViewState {
  const key = keyOf(data);
  return changeRunMessage(view, (parts) => {
    const existing = parts.find((part) => part.key === key);
    const isOpen = existing?.type === "output" && existing.open;
    // The output is complete, so a late delta must not change it.
    if (existing !== undefined && !isOpen) return parts;
    const before = isOpen ? existing.json : "";
    const json = withNews(before, data);
    if (json === undefined) return parts;
    const part: OutputPart = {
      type: "output",
      key,
      open: true,
      json,
      ...(data.wrapped && { wrapped: data.wrapped }),
    };
    passReader(existing ?? part, part, data.text.slice(before.length - data.offset));
    if (existing === undefined) return [...parts, part];
    return parts.map((other) => (other === existing ? part : other));
  });
}

/** Shows the output of a complete answer. */
export function storedOutput(view: ViewState, { data }: StoredOf<"output">): ViewState {
  const { value } = data;
  if (value === undefined) return view;
  const key = keyOf(data);
  const part: OutputPart = { type: "output", key, open: false, value };
  return changeRunMessage(view, (parts) => [...parts.filter((other) => other.key !== key), part]);
}

function keyOf({ attempt }: { attempt: number }): string {
  return `${attempt}:output`;
}
