import type { StoredOf } from "../log/event.ts";
import type { ViewPart } from "./view.ts";

/**
 * Which parts of a message an event may change: those with one of these names (see {@link partNames}), those
 * that are still being written, or those from the last tool call on.
 */
export type WantedParts = readonly string[] | "open" | "fromLastCall";

/** Returns the name under which a {@link PartList} finds the parts of a call. */
export function nameOfCall(callId: string | undefined): string {
  return `call ${callId}`;
}

/** The name under which a {@link PartList} finds all parts that tools and hooks have emitted. */
const DATA_PARTS = "data";

/** Returns the key of an emitted part. Parts with the same type and id have the same one. */
export function dataKey({ seq, data: { type, id } }: StoredOf<"data_part">): string {
  // A type has no spaces.
  return `${id === undefined ? seq : `${type} ${id}`}:data`;
}

/** Returns the part for an event of `context.emit()`. */
export function dataPart(event: StoredOf<"data_part">): ViewPart {
  const { type: name, id, data } = event.data;
  return { type: "data", key: dataKey(event), name, data, seq: event.seq, ...(id && { id }) };
}

/** Returns the part for an artifact. */
export function artifactPart({ seq, data: artifact }: StoredOf<"artifact">): ViewPart {
  return { type: "artifact", key: `${seq}:artifact`, artifact };
}

/** Returns the names of a part: its key, the beginning of the key up to the colon, and its call. */
export function partNames(part: ViewPart): string[] {
  const { key } = part;
  const names = [key, key.slice(0, key.indexOf(":") + 1)];
  if (part.type === "tool") names.push(nameOfCall(part.callId));
  if (part.type === "data") names.push(DATA_PARTS);
  return names;
}

/** Returns the names of the parts that a redaction may change. */
export function redactedNames({
  seq,
  of,
  call_id,
  attempt,
  run_id,
}: StoredOf<"redaction">["data"]): string[] {
  const names = [`${seq}:`, `end:${run_id}`, nameOfCall(call_id), DATA_PARTS];
  if (of === "output") names.push(`${attempt}:output`);
  if (of === "assistant_message") names.push(`${attempt}:`);
  return names;
}

/** The parts of a message in order. Finds, changes, removes and adds parts without visiting the others. */
export class PartList {
  /** How many parts the message has. */
  size = 0;
  /** `undefined` in the place of a removed part. */
  readonly #parts: (ViewPart | undefined)[] = [];
  readonly #named = new Map<string, number[]>();
  readonly #open = new Set<number>();

  constructor(parts: readonly ViewPart[]) {
    for (const part of parts) this.add(part);
  }

  add(part: ViewPart): void {
    const place = this.#parts.push(part) - 1;
    this.size += 1;
    for (const name of partNames(part)) {
      const places = this.#named.get(name);
      if (places === undefined) this.#named.set(name, [place]);
      else places.push(place);
    }
    if ("open" in part && part.open) this.#open.add(place);
  }

  /** Replaces a part, or removes it. A new part has the names of the old one. */
  set(place: number, part: ViewPart | undefined): void {
    this.#parts[place] = part;
    if (part === undefined) this.size -= 1;
    if (part !== undefined && "open" in part && part.open) this.#open.add(place);
    else this.#open.delete(place);
  }

  /** Returns the part at a place that {@link find} has returned. */
  at(place: number): ViewPart {
    return this.#parts[place] as ViewPart;
  }

  /** Returns the places of the wanted parts, in order. */
  find(wanted: WantedParts): readonly number[] {
    if (wanted === "open") return [...this.#open].sort(ascending);
    if (wanted === "fromLastCall") return this.#fromLastCall();
    const [name, ...more] = wanted;
    if (name === undefined) return [];
    if (more.length === 0) return this.#placesOf(name);
    return [...new Set(wanted.flatMap((one) => this.#placesOf(one)))].sort(ascending);
  }

  all(): ViewPart[] {
    return this.#parts.filter((part) => part !== undefined);
  }

  #placesOf(name: string): readonly number[] {
    const places = this.#named.get(name) ?? [];
    // Forgets removed parts, so that each of them is visited only once.
    const existing = places.filter((place) => this.#parts[place] !== undefined);
    if (existing.length < places.length) this.#named.set(name, existing);
    return existing;
  }

  #fromLastCall(): readonly number[] {
    const first = this.#parts.findLastIndex((part) => part?.type === "tool");
    const places: number[] = [];
    for (let place = Math.max(first, 0); place < this.#parts.length; place += 1)
      if (this.#parts[place] !== undefined) places.push(place);
    return places;
  }
}

function ascending(one: number, other: number): number {
  return one - other;
}
