import { fieldsOf, type ToolPartProps, textIn } from "../base/seam.ts";
import { useTraining } from "../workout/training.tsx";

/**
 * A question with its options. A tap sends the option as the user's message. An answered question shows the
 * answer.
 */
export function Ask({ part, talk }: ToolPartProps) {
  const { answers } = useTraining().story;
  if (part.phase === "error" || part.phase === "skipped") return null;
  const { question, options } = questionIn(part);
  const answer = answers.get(part.callId);
  const isOpen = part.phase === "done" && answer === undefined;
  const isOption = answer !== undefined && options.includes(answer);
  return (
    <fieldset
      className="options"
      data-testid="trainer-question"
      data-open={isOpen}
      disabled={!isOpen || talk.busy}
    >
      <legend>{question}</legend>
      {options.length > 0 && (
        <div className="pills">
          {options.map((option) => (
            <button
              key={option}
              type="button"
              className={`pill ${option === answer ? "pill-chosen" : ""}`}
              aria-pressed={answer === undefined ? undefined : option === answer}
              data-testid="trainer-option"
              onClick={() => talk.say(option)}
            >
              {option}
            </button>
          ))}
        </div>
      )}
      {answer !== undefined && !isOption && <p className="options-hint">You answered: {answer}</p>}
      {isOpen && options.length > 0 && <p className="options-hint">or answer in your own words below</p>}
    </fieldset>
  );
}

/** Reads a question from its call; duplicate options are dropped. */
export function questionIn({ arguments: asked, result }: ToolPartProps["part"]): {
  question: string;
  options: string[];
} {
  const fields = { ...fieldsOf(asked), ...fieldsOf(result) };
  const options = Array.isArray(fields.options)
    ? fields.options.flatMap((option) => textIn(option) ?? [])
    : [];
  return { question: textIn(fields.question) ?? "", options: [...new Set(options)] };
}
