import type { ToolPartProps } from "../base/seam.ts";
import { type TrainerPart, trainerPart } from "../base/trainer-part.ts";
import { useTraining } from "../workout/training.tsx";

/**
 * A change of the workout in one line, with a link to the changed exercise in the card, which may be far
 * above.
 */
export function Change({ part, live }: ToolPartProps) {
  const { current } = useTraining().story;
  if (part.phase === "running" && live) return null;
  const isDone = part.phase === "done";
  const { words, id } = changeIn(trainerPart(part));
  const isShown = isDone && current?.workout.exercises.some((exercise) => exercise.id === id) === true;
  return (
    <p className={`chip ${isDone ? "chip-done" : "chip-error"}`} data-testid="change">
      <span className="chip-mark" aria-hidden="true" />
      <span className="chip-words">{isDone ? (part.status ?? "Changed") : FAILED.get(part.toolName)}</span>
      {isDone && words !== undefined && <span className="change-words">{words}</span>}
      {isShown && (
        <button type="button" className="text-button change-show" onClick={() => showExercise(id)}>
          Show
        </button>
      )}
    </p>
  );
}

const FAILED: ReadonlyMap<string, string> = new Map([
  ["swap_exercise", "The swap did not work"],
  ["adjust_exercise", "The change did not work"],
  ["remove_exercise", "The exercise could not be removed"],
]);

/** Returns the description of a change, and the id of the exercise that it changed or added. */
function changeIn(part: TrainerPart): { words?: string; id?: string } {
  // A result that was redacted is a text.
  if (part.phase !== "done" || typeof part.result === "string") return {};
  switch (part.toolName) {
    case "swap_exercise": {
      const { old_exercise: old, new_exercise: made, new_id: id } = part.result;
      return { words: `${old.exercise_name} → ${made.exercise_name}`, id };
    }
    case "adjust_exercise":
      return { words: part.result.exercise_name, id: part.result.exercise_id };
    case "remove_exercise":
      return { words: part.result.removed_exercise.exercise_name };
    default:
      return {};
  }
}

/** Scrolls to the exercise in the open workout card. */
function showExercise(id: string | undefined): void {
  const all = document.querySelectorAll<HTMLElement>("section.workout [data-exercise]");
  const found = [...all].find(({ dataset }) => dataset.exercise === id);
  found?.scrollIntoView({ block: "center" });
  found?.focus({ preventScroll: true });
}
