import type { Exercise } from "../../src/workout/exercise.ts";
import { setsOf, setWords } from "../workout/dose.ts";
import { useTraining } from "../workout/training.tsx";

/** A checkbox for each set of an exercise. */
export function SetTicks({ exercise, disabled }: { exercise: Exercise; disabled: boolean }) {
  const { ticks } = useTraining();
  const done = ticks.doneOf(exercise);
  const sets = setsOf(exercise);
  if (disabled && done.length === 0) return null;
  return (
    <fieldset className="ticks" disabled={disabled}>
      <legend className="unseen">Sets of {exercise.exercise_name}</legend>
      {Array.from({ length: sets }, (_, set) => (
        <label key={set} className="tick" data-testid="tick">
          <input
            type="checkbox"
            checked={done.includes(set)}
            aria-label={`Set ${set + 1} of ${sets}: ${setWords(exercise, set)}`}
            onChange={() => ticks.toggle(exercise, set)}
          />
          <span aria-hidden="true">{sets === 1 ? "Done" : set + 1}</span>
        </label>
      ))}
    </fieldset>
  );
}
