import type { JsonObject } from "@pawl/core";
import { fieldsOf, type ToolPartProps, textIn } from "../base/seam.ts";
import { useTraining } from "../workout/training.tsx";

/**
 * A change of the workout in one line, with a link to the changed exercise in the card, which may be far
 * above.
 */
export function Change({ part, live }: ToolPartProps) {
  const { current } = useTraining().story;
  if (part.phase === "running" && live) return null;
  const isDone = part.phase === "done";
  const { words, id } = changeIn(part.toolName, fieldsOf(part.result));
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
function changeIn(
  toolName: string,
  result: JsonObject,
): { words?: string | undefined; id?: string | undefined } {
  const nameOf = (exercise: JsonObject): string | undefined => textIn(exercise.exercise_name);
  switch (toolName) {
    case "swap_exercise": {
      const [old, made] = [nameOf(fieldsOf(result.old_exercise)), nameOf(fieldsOf(result.new_exercise))];
      return { words: `${old} → ${made}`, id: textIn(result.new_id) };
    }
    case "adjust_exercise":
      return { words: textIn(result.exercise_name), id: textIn(result.exercise_id) };
    default:
      return { words: nameOf(fieldsOf(result.removed_exercise)) };
  }
}

/** Scrolls to the exercise in the open workout card. */
function showExercise(id: string | undefined): void {
  const all = document.querySelectorAll<HTMLElement>("section.workout [data-exercise]");
  const found = [...all].find(({ dataset }) => dataset.exercise === id);
  found?.scrollIntoView({ block: "center" });
  found?.focus({ preventScroll: true });
}
