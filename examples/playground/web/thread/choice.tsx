import type { Json } from "@pawl/core";
import type { ToolPart } from "../face/tool-part.ts";

/** The tool whose questions the page itself shows. */
export const OPTIONS_TOOL = "show_options";

/** Shows a closed question, and the user's choice as a message of theirs. */
export function Choice({ part }: { part: ToolPart }) {
  if (part.phase === "waiting") return null;
  const { question, options } = fieldsOf(part.arguments);
  const said = chosenIn(part.result);
  const isClosed = fieldsOf(part.result).answered === false;
  if (said === undefined && part.phase !== "done" && !isClosed) return null;
  return (
    <>
      {typeof question === "string" && (
        <p className="question" data-testid="question">
          {question}
        </p>
      )}
      {said !== undefined && (
        <div className="choice" data-testid="choice">
          <span className="unseen">You chose: </span>
          <p className="bubble">{labelIn(options, said)}</p>
        </div>
      )}
    </>
  );
}

/** Returns the user's choice; `undefined` if the question is open or was skipped. */
function chosenIn(result: Json | undefined): string | undefined {
  const { chosen, own_words, option } = fieldsOf(result);
  const said = chosen ?? own_words ?? option;
  return typeof said === "string" ? said : undefined;
}

/** Returns the label of an answer. An answer that is not yet processed may be the id of an option. */
function labelIn(options: Json | undefined, said: string): string {
  const known = Array.isArray(options) ? options.find((option) => fieldsOf(option).id === said) : undefined;
  const { label } = fieldsOf(known);
  return typeof label === "string" ? label : said;
}

function fieldsOf(value: Json | undefined): { readonly [key: string]: Json | undefined } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
