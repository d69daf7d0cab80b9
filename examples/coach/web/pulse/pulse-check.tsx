import type { Json } from "@pawl/core";
import { type FormEvent, useId, useState } from "react";
import type { QuestionProps } from "../base/seam.ts";
import { useCoaching } from "../sessions/coach-frame.tsx";
import { keepDraft, useDraft } from "./draft.ts";
import { type Pulse, pulseOf, ratingsIn } from "./pulse.ts";

/**
 * Shows a pending pulse check: radio buttons for each area, and a button to skip it. Ratings survive a
 * reload.
 */
export function PulseCheck({ question, answer }: QuestionProps) {
  const pulse = pulseOf(question.payload);
  const draft = `${useCoaching().sessionId}/${question.callId}`;
  const ratings = ratingsIn(useDraft(draft), pulse);
  const [isSent, setSent] = useState(false);
  const [isEmpty, setEmpty] = useState(false);
  const id = useId();
  const isRated = ratings.size > 0;
  const give = async (value: Json): Promise<void> => {
    setSent(true);
    // After a refusal, the question is open again; the page shows the reason.
    if (!(await answer?.(value))) setSent(false);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (isSent || answer === undefined) return;
    if (isRated) void give({ ratings: Object.fromEntries(ratings) });
    else setEmpty(true);
  };
  return (
    <form className="pulse" data-testid="pulse-check" aria-labelledby={id} onSubmit={onSubmit}>
      <p className="question" id={id}>
        {pulse.context}
      </p>
      <ScaleWords pulse={pulse} />
      <fieldset className="pulse-all" disabled={isSent || answer === undefined}>
        <legend className="unseen">Pulse check</legend>
        {pulse.domains.map((domain) => (
          <Scale
            key={domain.id}
            {...{ domain, pulse }}
            name={`${id}-${domain.id}`}
            value={ratings.get(domain.id)}
            onRate={(value) => {
              setEmpty(false);
              keepDraft(draft, { ...Object.fromEntries(ratings), [domain.id]: value });
            }}
          />
        ))}
        <div className="pulse-ends">
          <button type="submit" className="pulse-submit" data-testid="pulse-submit">
            {isSent ? "Sending…" : "Done"}
          </button>
          {pulse.skippable && (
            <button
              type="button"
              className="pulse-other"
              data-testid="pulse-skip"
              onClick={() => void give({ skipped: true })}
            >
              Skip for now
            </button>
          )}
          {isRated && (
            <button type="button" className="pulse-other" onClick={() => keepDraft(draft, {})}>
              Clear
            </button>
          )}
        </div>
      </fieldset>
      <p className="pulse-problem" role="alert">
        {isEmpty && `Rate at least one area${pulse.skippable ? ", or skip this for now" : ""}.`}
      </p>
    </form>
  );
}

function ScaleWords({ pulse: { steps } }: { pulse: Pulse }) {
  const [first, last] = [steps[0], steps.at(-1)];
  const named = first?.label !== "" && last?.label !== "";
  return (
    <p className="options-hint">
      {named && `From ${first?.value} (${first?.label}) to ${last?.value} (${last?.label}). `}
      As few or as many as you like.
    </p>
  );
}

interface ScaleProps {
  domain: Pulse["domains"][number];
  pulse: Pulse;
  /** The name of the radio group, unique on the page. */
  name: string;
  value: number | undefined;
  onRate: (value: number) => void;
}

function Scale({ domain, pulse: { steps }, name, value, onRate }: ScaleProps) {
  const word = steps.find((step) => step.value === value)?.label;
  return (
    <fieldset className="pulse-row" data-testid="pulse-domain">
      <legend>{domain.label}</legend>
      <div className="pulse-scale">
        {steps.map((step) => (
          <label key={step.value} className="pulse-step">
            <input
              type="radio"
              name={name}
              value={step.value}
              checked={step.value === value}
              aria-label={step.label === "" ? String(step.value) : `${step.value}, ${step.label}`}
              onChange={() => onRate(step.value)}
            />
            <span aria-hidden="true">{step.value}</span>
          </label>
        ))}
      </div>
      <span className="pulse-word" aria-hidden="true">
        {word}
      </span>
    </fieldset>
  );
}
