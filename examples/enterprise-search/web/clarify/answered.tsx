import type { Json } from "@pawl/core";
import { Avatar } from "../base/icons.tsx";
import { fieldsOf, textOf } from "../base/read.ts";
import type { ToolPartProps } from "../base/seam.ts";
import { questionOf } from "./question.ts";

/** A question that is closed, and the user's answer as a message of theirs. */
export function Answered({ part }: ToolPartProps) {
  if (part.phase === "waiting") return null;
  const { text, choices } = questionOf(part.arguments);
  const said = saidIn(part.result, choices);
  return (
    <>
      <p className="question" data-testid="es-asked">
        {text}
      </p>
      {said !== undefined && (
        <div className="choice" data-testid="es-answer">
          <span className="unseen">You answered: </span>
          <p className="bubble es-bubble">
            {said.initials !== undefined && <Avatar initials={said.initials} name={said.text} />}
            {said.text}
          </p>
        </div>
      )}
    </>
  );
}

/** Returns the answer; `undefined` if another message has closed the question. */
function saidIn(
  result: Json | undefined,
  choices: ReturnType<typeof questionOf>["choices"],
): { text: string; initials?: string } | undefined {
  const answer = fieldsOf(result);
  const choice = choices.find(({ id }) => id === answer.get("choice"));
  const words = textOf(answer.get("text"));
  if (choice !== undefined) {
    const text = [choice.label, words].filter((one) => one !== "").join(". ");
    return { text, ...(choice.person && { initials: choice.person.initials }) };
  }
  if (words !== "") return { text: words };
  return answer.get("none") === true ? { text: "None of these" } : undefined;
}
