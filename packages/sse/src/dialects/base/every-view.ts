import { reduceView, runMessageId, type ToolPart, type ViewFold, type ViewState } from "@pawl/core/view";

/** What a stream needs of a fold. */
export type StepFold = Pick<ViewFold, "run" | "pending" | "call" | "add" | "view">;

/** Folds events so that the view after each event costs nothing to read, for dialects that read every one. */
export function everyView(before: ViewState): StepFold {
  let view = before;
  return {
    get run() {
      return view.run;
    },
    get pending() {
      return view.pending;
    },
    call: (callId) => {
      const message = view.messages.findLast(({ id }) => id === runMessageId(view.run));
      return message?.parts.findLast(
        (part): part is ToolPart => part.type === "tool" && part.callId === callId,
      );
    },
    add: (event) => {
      view = reduceView(view, event);
    },
    view: () => view,
  };
}
