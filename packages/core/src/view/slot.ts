import { LATE_TEXT } from "./change.ts";
import { PartList, type WantedParts } from "./part-list.ts";
import type { ViewMessage, ViewPart } from "./view.ts";

/** A message with at most this many parts is always shown to the reducer as a whole. */
const FEW_PARTS = 16;

/** Stands for all parts of a message that an event does not change. No event changes or removes it. */
const OTHERS = { type: "artifact", key: "" } as ViewPart;

/** A message as it is shown to the reducer: with all of its parts, or with those that an event may change. */
export interface ShownMessage {
  slot: Slot;
  message: ViewMessage;
  /** The places of the shown parts. `undefined` if all are shown. */
  places: readonly number[] | undefined;
}

/** The place of a message in a conversation. */
export class Slot {
  /** Messages that were inserted before this one. */
  readonly before: Slot[] = [];
  /** `undefined` once the message was removed. If there is a list, its parts and its text are stale. */
  #message: ViewMessage | undefined;
  /** The parts of a message with many. */
  #list: PartList | undefined;

  constructor(message: ViewMessage) {
    this.#message = message;
  }

  get id(): string {
    return this.#message?.id ?? "";
  }

  get seq(): number {
    return this.#message?.seq ?? 0;
  }

  get queued(): boolean {
    return this.#message?.queued === true;
  }

  /** Returns the message with the parts that an event may change; `undefined` if it was removed. */
  show(wanted: WantedParts): ShownMessage | undefined {
    const message = this.#message;
    if (message === undefined) return undefined;
    if (this.#list === undefined) {
      const isSmall = message.role === "user" || message.parts.length <= FEW_PARTS;
      if (isSmall) return { slot: this, message, places: undefined };
      this.#list = new PartList(message.parts);
    }
    const list = this.#list;
    const places = list.find(wanted);
    const isWhole = places.length === list.size;
    const parts = places.map((place) => list.at(place));
    if (!isWhole) parts.push(OTHERS);
    return {
      slot: this,
      message: { ...headOf(message), text: "", parts },
      places: isWhole ? undefined : places,
    };
  }

  /**
   * Takes what the reducer has made of the shown message; `undefined` removes it. Returns the parts that may
   * be new.
   */
  take({ places }: Pick<ShownMessage, "places">, changed: ViewMessage | undefined): readonly ViewPart[] {
    this.#message = changed;
    const parts = changed?.parts ?? [];
    const end = parts.indexOf(OTHERS);
    if (this.#list === undefined || places === undefined || end === -1) {
      this.#list = undefined;
      return parts;
    }
    let next = 0;
    for (const place of places) {
      const part = next < end ? parts[next] : undefined;
      const isKept = end === places.length || isSamePart(this.#list.at(place), part);
      this.#list.set(place, isKept ? part : undefined);
      if (isKept) next += 1;
    }
    const added = parts.slice(end + 1);
    for (const part of added) this.#list.add(part);
    return added;
  }

  /** Returns the message with all of its parts; `undefined` if it was removed. */
  whole(): ViewMessage | undefined {
    if (this.#message === undefined || this.#list === undefined) return this.#message;
    const own = { ...headOf(this.#message), parts: this.#list.all() };
    return Object.defineProperty(own, "text", LATE_TEXT) as ViewMessage;
  }
}

/** Returns a message without its text, which is joined when it is read, and without its parts. */
function headOf({ id, role, seq, usage }: ViewMessage): Omit<ViewMessage, "text" | "parts"> {
  return { id, role, seq, ...(usage && { usage }) };
}

function isSamePart(before: ViewPart, part: ViewPart | undefined): boolean {
  return part?.key === before.key && part.type === before.type;
}
