import type { Exercise, Group } from "../../src/workout/exercise.ts";

/** Describes the work of an exercise, e.g. `4 × 8`, `60 kg`, `90 s rest`. */
export function doseOf(exercise: Exercise): string[] {
  switch (exercise.exercise_type) {
    case "reps": {
      const { sets, reps, load_each: load = [], load_unit: unit = "kg", rest_sec: rest } = exercise;
      const loaded = load.some((each) => each > 0) ? [`${listed(load)} ${unit}`] : [];
      return [`${sets} × ${listed(reps)}`, ...loaded, ...restOf(rest)];
    }
    case "hold":
      return [`${exercise.sets} × ${listed(exercise.hold_sec)} s hold`, ...restOf(exercise.rest_sec)];
    case "duration": {
      const { duration_min: minutes, distance, distance_unit: unit = "km", target_pace: pace } = exercise;
      const far = distance === undefined ? [] : [`${plain(distance)} ${unit}`];
      return [`${plain(minutes)} min`, ...far, ...(pace === undefined ? [] : [pace])];
    }
    case "intervals": {
      const { rounds, work_sec: work, rest_sec: rest } = exercise;
      return [`${rounds} rounds`, `${timeOf(work)} work`, ...restOf(rest)];
    }
  }
}

const GROUPS: ReadonlyMap<string, string> = new Map<Group["type"], string>([
  ["circuit", "Circuit"],
  ["superset", "Superset"],
  ["giant_set", "Giant set"],
  ["warmup", "Warm-up"],
  ["cooldown", "Cool-down"],
  ["sequence", "In sequence"],
]);

/** Describes a group: its title, and its rounds and rest. */
export function groupWords({ type, name, rounds, rest_between_rounds_sec: rest }: Group): {
  title: string;
  dose: string;
} {
  const kind = GROUPS.get(type) ?? type;
  const times = rounds === undefined ? [] : [rounds === 1 ? "1 round" : `${rounds} rounds`];
  const between = rest === undefined || rest === 0 ? [] : [`${timeOf(rest)} rest between rounds`];
  const title = name === undefined || name === kind ? kind : `${kind}: ${name}`;
  return { title, dose: [...times, ...between].join(" · ") };
}

/** Returns how many checkboxes an exercise has. */
export function setsOf(exercise: Exercise): number {
  if (exercise.exercise_type === "duration") return 1;
  return exercise.exercise_type === "intervals" ? exercise.rounds : exercise.sets;
}

/** Describes one set, counted from 0, e.g. `8 reps, 60 kg`. */
export function setWords(exercise: Exercise, at: number): string {
  switch (exercise.exercise_type) {
    case "reps": {
      const load = valueAt(exercise.load_each, at);
      const loaded = load ? `, ${plain(load)} ${exercise.load_unit ?? "kg"}` : "";
      return `${valueAt(exercise.reps, at) ?? ""} reps${loaded}`;
    }
    case "hold":
      return `${valueAt(exercise.hold_sec, at) ?? ""} s`;
    case "duration":
      return `${plain(exercise.duration_min)} min`;
    case "intervals":
      return timeOf(exercise.work_sec);
  }
}

/** Returns the one value of all sets; `undefined` if they differ. */
export function sameOf(values: readonly number[] = []): number | undefined {
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}

/** Formats a number without floating point noise. */
export function plain(value: number): string {
  return String(Number(value.toFixed(2)));
}

export function listed(values: readonly number[]): string {
  const same = sameOf(values);
  return same === undefined ? values.map(plain).join(" / ") : plain(same);
}

function valueAt(values: readonly number[] = [], at: number): number | undefined {
  return values[at] ?? values.at(-1);
}

function restOf(seconds: number): string[] {
  return seconds > 0 ? [`${timeOf(seconds)} rest`] : [];
}

function timeOf(seconds: number): string {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${plain(seconds)} s`;
}
