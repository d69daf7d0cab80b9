import { type ReactNode, useId } from "react";
import type { Group } from "../../src/workout/exercise.ts";
import { groupWords } from "../workout/dose.ts";

/** A frame around exercises that belong together. */
export function ExerciseGroup({ group, children }: { group: Group; children: ReactNode }) {
  const id = useId();
  const { title, dose } = groupWords(group);
  return (
    <li className={`group group-${group.type}`} data-testid="exercise-group">
      <p className="group-head" id={id}>
        <strong>{title}</strong>
        {dose !== "" && <span>{dose}</span>}
      </p>
      <ol className="exercises" aria-labelledby={id}>
        {children}
      </ol>
    </li>
  );
}
