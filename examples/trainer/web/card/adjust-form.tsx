import { type FormEvent, useEffect, useRef } from "react";
import type { Exercise } from "../../src/workout/exercise.ts";
import { listed, plain, sameOf } from "../workout/dose.ts";

/** One number of an exercise that the user can change. */
interface Field {
  /** The field's name in the message to the agent. */
  name: string;
  label: string;
  unit?: string;
  /** One value for all sets, or one per set if they differ. */
  values: readonly number[];
  min: number;
  max: number;
  step: number;
}

interface AdjustFormProps {
  exercise: Exercise;
  busy: boolean;
  onSend: (changes: readonly string[]) => void;
  onCancel: () => void;
}

/** A form for the numbers of an exercise. Sends only what changed. */
export function AdjustForm({ exercise, busy, onSend, onCancel }: AdjustFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const fields = fieldsFor(exercise);
  useEffect(() => form.current?.querySelector("input")?.focus({ preventScroll: true }), []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const written = new FormData(event.currentTarget);
    const changes = fields.flatMap((field) => changeOf(field, String(written.get(field.name) ?? "")));
    if (changes.length > 0) onSend(changes);
    else onCancel();
  };
  return (
    <form ref={form} className="adjust" onSubmit={submit} data-testid="adjust-form">
      {fields.map(({ name, label, unit, values, min, max, step }) => (
        <label key={name}>
          <span>
            {label}
            {unit !== undefined && <small> {unit}</small>}
          </span>
          <input
            name={name}
            type="number"
            inputMode="decimal"
            defaultValue={sameOf(values)}
            placeholder={sameOf(values) === undefined ? listed(values) : ""}
            {...{ min, max, step }}
          />
        </label>
      ))}
      <div className="adjust-actions">
        <button type="submit" className="small-pill small-pill-primary" disabled={busy}>
          Send
        </button>
        <button type="button" className="small-pill" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Describes a change, e.g. `["reps 10"]`. Returns `[]` if the field is empty or unchanged. */
function changeOf({ name, unit, values }: Field, written: string): string[] {
  const value = Number(written);
  if (written === "" || !Number.isFinite(value) || value === sameOf(values)) return [];
  return [`${name} ${plain(value)}${unit === undefined ? "" : ` ${unit}`}`];
}

function fieldsFor(exercise: Exercise): Field[] {
  switch (exercise.exercise_type) {
    case "reps": {
      const { load_unit: unit = "kg", load_each: load = [] } = exercise;
      return [
        sets(exercise.sets),
        { name: "reps", label: "Reps", values: exercise.reps, min: 1, max: 200, step: 1 },
        { name: "load", label: "Load", unit, values: load, min: 0, max: 1000, step: 0.25 },
        rest(exercise.rest_sec),
      ];
    }
    case "hold":
      return [sets(exercise.sets), seconds("hold", "Hold", exercise.hold_sec), rest(exercise.rest_sec)];
    case "duration": {
      const { duration_min: minutes, distance, distance_unit: unit = "km" } = exercise;
      const far = { name: "distance", label: "Distance", unit, min: 0.1, max: 500, step: 0.1 };
      return [
        { name: "duration", label: "Time", unit: "min", values: [minutes], min: 1, max: 600, step: 1 },
        ...(distance === undefined ? [] : [{ ...far, values: [distance] }]),
      ];
    }
    case "intervals":
      return [
        { name: "rounds", label: "Rounds", values: [exercise.rounds], min: 1, max: 50, step: 1 },
        seconds("work", "Work", [exercise.work_sec]),
        rest(exercise.rest_sec),
      ];
  }
}

function sets(value: number): Field {
  return { name: "sets", label: "Sets", values: [value], min: 1, max: 20, step: 1 };
}

function rest(value: number): Field {
  return seconds("rest", "Rest", [value], 0);
}

function seconds(name: string, label: string, values: readonly number[], min = 1): Field {
  return { name, label, unit: "s", values, min, max: 3600, step: 1 };
}
