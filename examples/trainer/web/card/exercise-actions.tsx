import { useId, useRef, useState } from "react";
import type { Exercise } from "../../src/workout/exercise.ts";
import type { Talk } from "../base/seam.ts";
import { adjustRequest, removeRequest, swapRequest } from "../workout/requests.ts";
import { AdjustForm } from "./adjust-form.tsx";
import { SwapReasons } from "./swap-reasons.tsx";

/** The panel that is open below an exercise. */
type Opened = "swap" | "adjust" | "why";

interface ExerciseActionsProps {
  exercise: Exercise;
  /** The actions in the conversation. Absent if the workout can no longer be changed. */
  talk: Talk | undefined;
}

/**
 * The buttons of an exercise. Each change is a message from the user: the agent makes it, and may comment on
 * it.
 */
export function ExerciseActions({ exercise, talk }: ExerciseActionsProps) {
  const [chosen, open] = useState<Opened>();
  const row = useRef<HTMLDivElement>(null);
  const id = useId();
  const { exercise_name: name, reasoning } = exercise;
  const busy = talk?.busy !== false;
  // Once a workout is logged, it can no longer be changed.
  const opened = talk === undefined && chosen !== "why" ? undefined : chosen;
  const close = (): void => {
    row.current?.querySelector<HTMLElement>("[aria-expanded=true]")?.focus();
    open(undefined);
  };
  const say = (text: string): void => {
    open(undefined);
    talk?.say(text);
  };
  const opener = (what: Opened, words: string, label: string) => (
    <button
      type="button"
      aria-expanded={opened === what}
      aria-controls={opened === what ? id : undefined}
      aria-label={label}
      disabled={what !== "why" && busy}
      data-testid={`exercise-${what}`}
      onClick={() => open(opened === what ? undefined : what)}
    >
      {words}
    </button>
  );
  return (
    <>
      <div className="actions" ref={row}>
        {talk !== undefined && (
          <>
            {opener("swap", "Swap", `Swap ${name}`)}
            {opener("adjust", "Adjust", `Adjust ${name}`)}
            <button
              type="button"
              aria-label={`Remove ${name}`}
              disabled={busy}
              data-testid="exercise-remove"
              onClick={() => say(removeRequest(exercise))}
            >
              Remove
            </button>
          </>
        )}
        {reasoning !== "" && opener("why", "Why?", `Why? ${name}`)}
      </div>
      {opened !== undefined && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the open panel, whichever element in it has the focus
        <div
          id={id}
          onKeyDown={(event) => {
            if (event.key === "Escape") close();
          }}
        >
          {opened === "why" && <p className="why">{reasoning}</p>}
          {opened === "swap" && (
            <SwapReasons {...{ name, busy }} onPick={(reason) => say(swapRequest(exercise, reason))} />
          )}
          {opened === "adjust" && (
            <AdjustForm
              {...{ exercise, busy }}
              onSend={(changes) => say(adjustRequest(exercise, changes))}
              onCancel={close}
            />
          )}
        </div>
      )}
    </>
  );
}
