import type { Task } from "./plan.ts";

/** Returns the ids of tasks that depend on each other, e.g. `["a", "b", "a"]`, or `undefined`. */
export function cycleIn(tasks: readonly Pick<Task, "id" | "depends_on">[]): string[] | undefined {
  const needs = new Map(tasks.map(({ id, depends_on }) => [id, depends_on]));
  const checked = new Set<string>();
  for (const { id } of tasks) {
    const circle = circleFrom(id, needs, checked, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function circleFrom(
  id: string,
  needs: ReadonlyMap<string, readonly string[]>,
  checked: Set<string>,
  path: readonly string[],
): string[] | undefined {
  const start = path.indexOf(id);
  if (start >= 0) return [...path.slice(start), id];
  if (checked.has(id)) return undefined;
  for (const next of needs.get(id) ?? []) {
    const circle = circleFrom(next, needs, checked, [...path, id]);
    if (circle !== undefined) return circle;
  }
  checked.add(id);
  return undefined;
}
