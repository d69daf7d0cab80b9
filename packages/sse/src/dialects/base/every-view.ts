import { reduceView, type ViewFold, type ViewState } from "@pawl/core/view";

/** What a stream needs of a fold. */
export type StepFold = Pick<ViewFold, "run" | "pending" | "add" | "view">;

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
    add: (event) => {
      view = reduceView(view, event);
    },
    view: () => view,
  };
}
