import type { JsonObject } from "@pawl/core";
import { type Chosen, type Dropped, reasons } from "../log/events.ts";
import type { Loaded } from "../log/read-log.ts";
import type { DataSource } from "../sources/data-source.ts";
import { parsedParams } from "../sources/fetch-sources.ts";
import type { Selection, Wanted } from "./selection.ts";

export interface Choice {
  chosen: Chosen[];
  dropped: Dropped[];
}

/** A wanted source with its range in days. `range` is `undefined` for a source without `days_back`. */
interface Sized extends Chosen {
  range: number | undefined;
}

/**
 * Validates the model's choice. Unknown sources are dropped, and duplicates are merged. A loaded source is
 * fetched again only for a longer range or for fresh data.
 */
export async function choose<Deps>(
  { wanted, malformed }: Selection,
  sources: ReadonlyMap<string, DataSource<Deps>>,
  loaded: readonly Loaded[],
): Promise<Choice> {
  const dropped: Dropped[] = malformed.map((source) => ({ source, why: "malformed" }));
  const merged = new Map<string, Sized>();
  for (const wish of wanted) {
    const source = sources.get(wish.source);
    const drop = (why: Dropped["why"]) => dropped.push({ source: wish.source.slice(0, 100), why });
    if (source === undefined) {
      drop("unknown_source");
      continue;
    }
    const sized = await sizeOf(source, wish, loaded);
    const other = merged.get(wish.source);
    if (sized === undefined) drop("invalid_params");
    else if (other === undefined) merged.set(wish.source, sized);
    else {
      drop("duplicate");
      merged.set(wish.source, wider(other, sized));
    }
  }
  const chosen: Chosen[] = [];
  for (const { range, ...one } of merged.values()) {
    if (one.reason === "refresh_state" || !isThere(one.source, range, loaded)) chosen.push(one);
    else
      dropped.push({
        source: one.source,
        why: one.reason === "expand_range" ? "not_wider" : "already_there",
      });
  }
  return { chosen, dropped };
}

async function sizeOf<Deps>(
  source: DataSource<Deps>,
  { reason, daysBack }: Wanted,
  loaded: readonly Loaded[],
): Promise<Sized | undefined> {
  const bounds = rangeOf(source);
  // Fresh data are fetched for the same range as before.
  const days = daysBack ?? (reason === "refresh_state" ? widest(source.name, loaded) : undefined);
  const params: JsonObject =
    bounds === undefined || days === undefined
      ? {}
      : { days_back: Math.min(Math.max(days, bounds.least), bounds.most) };
  const parsed = await parsedParams(source, params);
  if (!parsed.ok) return undefined;
  return { source: source.name, reason, params, range: bounds && (daysIn(parsed.value) ?? daysIn(params)) };
}

/** Returns the range that a source accepts, in days; `undefined` if its `params` have no `days_back`. */
export function rangeOf({
  paramsSchema,
}: Pick<DataSource<never>, "paramsSchema">):
  | { least: number; most: number; usual: number | undefined }
  | undefined {
  const { days_back: field } = (paramsSchema?.properties ?? {}) as { days_back?: JsonObject };
  if (field === undefined) return undefined;
  const { minimum, maximum, default: usual } = field;
  return {
    least: typeof minimum === "number" ? minimum : 1,
    most: typeof maximum === "number" ? maximum : Number.MAX_SAFE_INTEGER,
    usual: typeof usual === "number" ? usual : undefined,
  };
}

function daysIn(params: unknown): number | undefined {
  const { days_back: days } = (params ?? {}) as { days_back?: unknown };
  return typeof days === "number" ? days : undefined;
}

function widest(source: string, loaded: readonly Loaded[]): number | undefined {
  const days = loaded.flatMap((one) => (one.source === source ? (daysIn(one.params) ?? []) : []));
  return days.length === 0 ? undefined : Math.max(...days);
}

/** Returns whether a source is loaded for at least this range. An unknown range counts as 0 days. */
function isThere(source: string, range: number | undefined, loaded: readonly Loaded[]): boolean {
  return loaded.some((one) => {
    if (one.source !== source) return false;
    return range === undefined || (daysIn(one.params) ?? 0) >= range;
  });
}

/** Merges two requests for one source: the longer range, and the stronger reason. */
function wider(a: Sized, b: Sized): Sized {
  const weight = ({ reason }: Sized) => reasons.indexOf(reason);
  const { reason } = weight(b) > weight(a) ? b : a;
  return { ...((b.range ?? 0) > (a.range ?? 0) ? b : a), reason };
}
