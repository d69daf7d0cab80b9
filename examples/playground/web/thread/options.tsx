import type { Json, Question } from "@pawl/core";
import { useState } from "react";

interface Option {
  id: string;
  label: string;
}

interface OptionsProps {
  question: Question;
  /** Sends an answer; resolves to whether it was accepted. Absent if the question is only shown. */
  answer?: (value: Json) => Promise<boolean>;
}

/** Shows a pending question with a button for each option. The first tap disables all buttons. */
export function Options({ question, answer }: OptionsProps) {
  const [chosen, setChosen] = useState<string>();
  const { text, options } = payloadOf(question.payload);
  const choose = async (id: string): Promise<void> => {
    setChosen(id);
    // After a refusal, the question is open again; the page shows the reason.
    if (!(await answer?.({ option: id }))) setChosen(undefined);
  };
  return (
    <fieldset
      className="options"
      data-testid="options"
      disabled={answer === undefined || chosen !== undefined}
    >
      <legend>{text}</legend>
      <div className="pills">
        {options.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            className={`pill ${chosen === id ? "pill-chosen" : ""}`}
            data-testid="option-pill"
            onClick={() => void choose(id)}
          >
            {label}
          </button>
        ))}
      </div>
      {answer && <p className="options-hint">or answer in your own words below</p>}
    </fieldset>
  );
}

/** Reads the payload of a question. Leaves out invalid parts. */
function payloadOf(payload: Json): { text: string; options: Option[] } {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    return { text: "", options: [] };
  }
  const { question, options } = payload;
  const list = Array.isArray(options) ? options : [];
  return { text: typeof question === "string" ? question : "", options: list.flatMap(optionOf) };
}

function optionOf(value: Json): Option[] {
  if (typeof value === "string") return [{ id: value, label: value }];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const { id, label } = value;
  return typeof id === "string" && typeof label === "string" ? [{ id, label }] : [];
}
