import type { Json, JsonObject } from "@pawl/core";
import { lifeDomains } from "../../src/pulse/domains.ts";
import { fieldIn, fieldsOf, textIn } from "../base/seam.ts";

/** A pulse check as the tool's question describes it. */
export interface Pulse {
  context: string;
  domains: readonly { id: string; label: string }[];
  /** The possible ratings, lowest first, with their labels if they have any. */
  steps: readonly { value: number; label: string }[];
  skippable: boolean;
}

/** The longest scale that the page shows. */
const MOST_STEPS = 10;

/** Reads the payload of a pulse check. Leaves out invalid parts. */
export function pulseOf(payload: Json): Pulse {
  const { context, domains, scale, skippable } = fieldsOf(payload);
  const { min, max, labels } = fieldsOf(scale);
  const from = whole(min, 1);
  const until = Math.min(Math.max(whole(max, 5), from), from + MOST_STEPS - 1);
  const names = Array.isArray(labels) ? labels : [];
  return {
    context: textIn(context) ?? "",
    domains: (Array.isArray(domains) ? domains : []).flatMap((domain) => {
      const { id, label } = fieldsOf(domain);
      const name = textIn(id);
      return name === undefined ? [] : [{ id: name, label: textIn(label) ?? name }];
    }),
    steps: Array.from({ length: until - from + 1 }, (_, at) => ({
      value: from + at,
      label: textIn(names[at]) ?? "",
    })),
    skippable: skippable !== false,
  };
}

/** Reads the ratings of a draft. Leaves out those that do not fit this pulse check. */
export function ratingsIn(kept: JsonObject, { domains, steps }: Pulse): ReadonlyMap<string, number> {
  return new Map(
    domains.flatMap(({ id }) => {
      const step = steps.find(({ value }) => value === fieldIn(kept, id));
      return step === undefined ? [] : [[id, step.value] as const];
    }),
  );
}

function whole(value: Json | undefined, otherwise: number): number {
  return Number.isInteger(value) ? Number(value) : otherwise;
}

/** The rating of one area, before and now. */
export interface Rated {
  id: string;
  label: string;
  before?: number;
  after: number;
}

/**
 * Reads the ratings of a result, each with the earlier one if there is one. `undefined` if the check was
 * skipped.
 */
export function ratedIn(result: Json | undefined): Rated[] | undefined {
  const { ratings, baseline, changes } = fieldsOf(result);
  if (ratings === undefined) return undefined;
  const known = fieldsOf(baseline);
  const changed = fieldsOf(changes);
  return Object.entries(fieldsOf(ratings)).flatMap(([id, after]): Rated[] => {
    if (typeof after !== "number") return [];
    const before = fieldsOf(fieldIn(changed, id)).before ?? fieldIn(known, id);
    const label = lifeDomains.find((domain) => domain.id === id)?.label ?? id;
    return [{ id, label, after, ...(typeof before === "number" && { before }) }];
  });
}
