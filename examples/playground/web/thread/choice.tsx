import type { ToolPart } from "./tool-chip.tsx";

/** The kinds of questions that this page shows itself. */
export const OPTIONS_TOOL = "show_options";

/** An answered question, as the user's turn in the conversation. */
export function Choice({ part }: { part: ToolPart }) {
  const said = chosenIn(part.result);
  if (said === undefined) return null;
  return (
    <div className="choice" data-testid="choice">
      <span className="unseen">You chose: </span>
      <p className="bubble">{said}</p>
    </div>
  );
}

/** `undefined` for a question that is open or was passed over. */
function chosenIn(result: ToolPart["result"]): string | undefined {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return undefined;
  const said = result.chosen ?? result.own_words ?? result.option;
  return typeof said === "string" ? said : undefined;
}
