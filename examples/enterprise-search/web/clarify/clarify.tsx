import type { Json } from "@pawl/core";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import type { QuestionProps } from "../base/seam.ts";
import { ChoiceWords } from "./choice-words.tsx";
import { questionOf } from "./question.ts";
import { useOfferedFocus } from "./use-offered-focus.ts";

/** The id of the answer that no choice is right. */
const NONE = "";

/** The most characters of an answer in the user's own words. */
const MOST_TEXT = 2_000;

/**
 * Asks what the user means. The arrow keys and the numbers move between the choices, Enter takes one. The
 * user may also say it in their own words.
 */
export function Clarify({ question, answer }: QuestionProps) {
  const { text, choices, attempt, attempts } = questionOf(question.payload);
  const [sent, setSent] = useState<string>();
  const box = useRef<HTMLFieldSetElement>(null);
  const id = useId();
  const isOpen = answer !== undefined && sent === undefined;
  useOfferedFocus(box, isOpen);
  const send = async (value: Json, what: string): Promise<void> => {
    setSent(what);
    // After a refusal the question is open again; the page shows the reason.
    if (!(await answer?.(value))) setSent(undefined);
  };
  return (
    <fieldset
      className="es-clarify"
      ref={box}
      disabled={!isOpen}
      data-testid="es-clarify"
      data-from-top
      onKeyDown={(event) => moveByKey(event, box.current)}
    >
      <legend>
        {text}
        {attempt > 1 && <span className="es-try"> {lastTry(attempt, attempts)}</span>}
      </legend>
      <ol className="es-choices">
        {choices.map((choice, at) => (
          <li key={choice.id}>
            <button
              type="button"
              className={`es-choice ${sent === choice.id ? "es-choice-taken" : ""}`}
              data-testid="es-choice"
              aria-keyshortcuts={at < 9 ? String(at + 1) : undefined}
              onClick={() => void send({ choice: choice.id }, choice.id)}
            >
              <ChoiceWords choice={choice} />
              {at < 9 && (
                <span className="es-key" aria-hidden="true">
                  {at + 1}
                </span>
              )}
            </button>
          </li>
        ))}
        {choices.length > 0 && (
          <li>
            <button
              type="button"
              className={`es-choice es-choice-none ${sent === NONE ? "es-choice-taken" : ""}`}
              data-testid="es-none"
              aria-keyshortcuts="0"
              onClick={() => void send({ none: true }, NONE)}
            >
              <span className="es-choice-words">None of these</span>
              <span className="es-key" aria-hidden="true">
                0
              </span>
            </button>
          </li>
        )}
      </ol>
      {answer && (
        <OwnWords id={id} hasChoices={choices.length > 0} onSend={(own) => void send({ text: own }, own)} />
      )}
    </fieldset>
  );
}

function lastTry(attempt: number, attempts: number): string {
  return attempt === attempts ? "(last try)" : `(try ${attempt} of ${attempts})`;
}

interface OwnWordsProps {
  id: string;
  hasChoices: boolean;
  onSend: (text: string) => void;
}

function OwnWords({ id, hasChoices, onSend }: OwnWordsProps) {
  const [own, setOwn] = useState("");
  return (
    <form
      className="es-own"
      onSubmit={(event) => {
        event.preventDefault();
        if (own.trim() !== "") onSend(own.trim());
      }}
    >
      <label htmlFor={id} className="unseen">
        {hasChoices ? "Or answer in your own words" : "Your answer"}
      </label>
      <input
        id={id}
        value={own}
        maxLength={MOST_TEXT}
        placeholder={hasChoices ? "Or in your own words" : "Your answer"}
        autoComplete="off"
        enterKeyHint="send"
        data-testid="es-own"
        onChange={(event) => setOwn(event.target.value)}
      />
      <button type="submit" className="es-button" disabled={own.trim() === ""}>
        Answer
      </button>
    </form>
  );
}

/** Moves the focus by the arrow keys, Home, End and the numbers. Numbers are typed in the text field. */
function moveByKey(event: KeyboardEvent, box: HTMLElement | null): void {
  if (box === null || event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
  const buttons = [...box.querySelectorAll<HTMLElement>(".es-choice")];
  const field = box.querySelector<HTMLElement>("input");
  const stops = field === null ? buttons : [...buttons, field];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const inField = document.activeElement === field;
  const to = targetOf(event.key, { at, inField, stops, buttons });
  if (to === undefined) return;
  event.preventDefault();
  to.focus();
}

interface Place {
  at: number;
  inField: boolean;
  stops: readonly HTMLElement[];
  buttons: readonly HTMLElement[];
}

function targetOf(key: string, { at, inField, stops, buttons }: Place): HTMLElement | undefined {
  if (key === "ArrowDown" || (key === "ArrowRight" && !inField))
    return stops[Math.min(stops.length - 1, at + 1)];
  if (key === "ArrowUp" || (key === "ArrowLeft" && !inField)) return stops[Math.max(0, at - 1)];
  if (inField) return undefined;
  if (key === "Home") return stops[0];
  if (key === "End") return buttons.at(-1);
  if (key === "0") return buttons.at(-1);
  return /^[1-9]$/.test(key) && Number(key) < buttons.length ? buttons[Number(key) - 1] : undefined;
}
