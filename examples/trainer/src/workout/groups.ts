import type { Exercise, ExerciseInput, Group } from "./exercise.ts";

/** How many exercises a group of each type has. Default: one or more. */
const SIZES: { readonly [type in Group["type"]]?: { min: number; max?: number; text: string } } = {
  superset: { min: 2, max: 2, text: "exactly 2 exercises" },
  giant_set: { min: 3, text: "3 exercises or more" },
  circuit: { min: 2, text: "2 exercises or more" },
};

const OF_THE_FIRST = ["name", "rounds", "rest_between_rounds_sec"] as const;

/** Returns the problems of the exercises' groups, one line each. The exercises must be sorted by `order`. */
export function groupProblems(exercises: readonly Pick<ExerciseInput, "group">[]): string[] {
  const ids = new Set(exercises.flatMap(({ group }) => (group === undefined ? [] : [group.id])));
  return [...ids].flatMap((id) => {
    const places = exercises.flatMap(({ group }, at) => (group?.id === id ? [{ group, at }] : []));
    return problemsOf(id, places);
  });
}

function problemsOf(id: string, places: readonly { group: Group; at: number }[]): string[] {
  const problems: string[] = [];
  const [first] = places;
  if (first === undefined) return problems;
  const { type } = first.group;
  if (places.some(({ group }) => group.type !== type)) problems.push("its exercises name different types");
  const positions = places.map(({ group }) => group.position);
  if (positions.some((position, index) => position !== index + 1))
    problems.push(
      `its positions are ${positions.join(", ")} and have to be 1 to ${positions.length} in the order of the exercises`,
    );
  if (places.some(({ at }, index) => at !== first.at + index))
    problems.push("its exercises do not follow one another");
  const size = SIZES[type];
  if (
    size !== undefined &&
    (places.length < size.min || places.length > (size.max ?? Number.POSITIVE_INFINITY))
  )
    problems.push(`a ${type} has ${size.text}, and this one ${places.length}`);
  for (const { group } of places.slice(1)) {
    const named = OF_THE_FIRST.filter((field) => group[field] !== undefined);
    if (named.length > 0) problems.push(`${named.join(", ")} may stand at its first exercise only`);
  }
  return [...new Set(problems)].map((problem) => `Group "${id}": ${problem}.`);
}

/**
 * Repairs the groups after an exercise was removed. Positions have no gaps, the new first exercise gets the
 * group's name, rounds and rest, and the type fits the size. A single exercise left of a superset or a
 * circuit has no group any more.
 */
export function regrouped(exercises: readonly Exercise[], gone: Exercise): Exercise[] {
  const { group } = gone;
  if (group === undefined) return [...exercises];
  const left = exercises.filter((exercise) => exercise.group?.id === group.id);
  const type = typeFor(group.type, left.length);
  const words = group.position === 1 ? group : left[0]?.group;
  return exercises.map((exercise) => {
    if (exercise.group?.id !== group.id) return exercise;
    const { group: _, ...alone } = exercise;
    if (type === undefined) return alone as Exercise;
    const position = left.indexOf(exercise) + 1;
    const first = position === 1 ? pick(words) : {};
    return { ...exercise, group: { id: group.id, type, position, ...first } };
  });
}

function typeFor(type: Group["type"], count: number): Group["type"] | undefined {
  if (type === "giant_set" && count === 2) return "superset";
  return count >= (SIZES[type]?.min ?? 1) ? type : undefined;
}

function pick(group: Group | undefined): Partial<Group> {
  return Object.fromEntries(
    OF_THE_FIRST.flatMap((field) => (group?.[field] === undefined ? [] : [[field, group[field]]])),
  );
}
