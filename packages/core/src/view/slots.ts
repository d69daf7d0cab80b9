import type { StoredOf } from "../log/event.ts";
import { partNames, redactedNames } from "./part-list.ts";
import { type ShownMessage, Slot } from "./slot.ts";
import type { ViewMessage, ViewPart } from "./view.ts";

const nothing: ViewMessage = { id: "\0behind", role: "assistant", text: "", parts: [], seq: 0 };

/** The messages of a conversation. Changes, removes and inserts some without visiting the others. */
export class MessageSlots {
  /** Stands behind the run's message, which the reducer may remove and insert again in another place. */
  // Not a constant: pages, which do not use this class, would load it with the constant.
  readonly behind: ShownMessage = { slot: new Slot(nothing), message: nothing, places: undefined };
  /** The messages that were added at the end. Each has those that were inserted before it. */
  readonly #added: Slot[] = [];
  readonly #byId = new Map<string, Slot>();
  /** The queued messages, in the order of the conversation. */
  #queued = new Map<string, Slot>();
  /** The messages by what a redaction names. Most sessions have none, so the first redaction makes it. */
  #byName: Map<string, Set<Slot>> | undefined;

  constructor(messages: readonly ViewMessage[]) {
    for (const message of messages) this.#add(message, undefined);
  }

  withId(id: string): Slot | undefined {
    return this.#byId.get(id);
  }

  /** Returns the queued messages that a request up to this event includes. */
  queuedUpTo(seq: number): Slot[] {
    return [...this.#queued.values()].filter((slot) => slot.seq <= seq);
  }

  /** Returns the first message that was queued after this event, except one. */
  firstQueuedAfter(seq: number, except: Slot | undefined): Slot | undefined {
    for (const slot of this.#queued.values()) if (slot.seq > seq && slot !== except) return slot;
    return undefined;
  }

  /** Returns the messages that a redaction may change. */
  redactedBy({ data }: StoredOf<"redaction">): Slot[] {
    const byName = this.#byName ?? this.#named();
    const names = [nameOfUserMessage(data.seq), ...redactedNames(data)];
    return [...new Set(names.flatMap((name) => [...(byName.get(name) ?? [])]))];
  }

  /** Takes what the reducer has made of the shown messages. */
  take(shown: readonly ShownMessage[], changed: readonly ViewMessage[]): void {
    const left = new Map(shown.map((one) => [one.message.id, one]));
    let inserted: ViewMessage[] = [];
    for (const message of changed) {
      const known = left.get(message.id);
      const isMoved = known === shown[0] && shown[1] === this.behind && !left.has(nothing.id);
      if (known !== undefined && isMoved) this.#change(known, undefined);
      left.delete(message.id);
      if (known === this.behind) continue;
      if (known === undefined || isMoved) {
        inserted.push(message);
        continue;
      }
      for (const one of inserted) this.#add(one, known.slot);
      inserted = [];
      if (message !== known.message) this.#change(known, message);
    }
    for (const one of inserted) this.#add(one, undefined);
    for (const one of left.values()) this.#change(one, undefined);
  }

  all(): ViewMessage[] {
    return inOrder(this.#added).flatMap((slot) => slot.whole() ?? []);
  }

  #add(message: ViewMessage, next: Slot | undefined): void {
    const slot = new Slot(message);
    (next?.before ?? this.#added).push(slot);
    this.#byId.set(message.id, slot);
    if (message.queued) this.#queued.set(message.id, slot);
    this.#name(slot, message, message.parts);
  }

  #change(shown: ShownMessage, message: ViewMessage | undefined): void {
    const { slot, message: before } = shown;
    const news = slot.take(shown, message);
    if (message === undefined) this.#byId.delete(before.id);
    else this.#name(slot, message, news);
    if (!message?.queued) this.#queued.delete(before.id);
    else if (!before.queued) this.#queued = queuedIn(this.#added);
  }

  #named(): Map<string, Set<Slot>> {
    this.#byName = new Map();
    for (const slot of inOrder(this.#added)) {
      const message = slot.whole();
      if (message !== undefined) this.#name(slot, message, message.parts);
    }
    return this.#byName;
  }

  /** Notes what redactions call a message, and some of its parts. */
  #name(slot: Slot, { role, seq }: ViewMessage, parts: readonly ViewPart[]): void {
    if (this.#byName === undefined) return;
    const names = role === "user" ? [nameOfUserMessage(seq)] : parts.flatMap(partNames);
    for (const name of names) {
      const slots = this.#byName.get(name);
      if (slots === undefined) this.#byName.set(name, new Set([slot]));
      else slots.add(slot);
    }
  }
}

function inOrder(slots: readonly Slot[]): Slot[] {
  return slots.flatMap((slot) => (slot.before.length === 0 ? [slot] : [...inOrder(slot.before), slot]));
}

// A message that was queued again has an earlier place than those that were queued before it.
function queuedIn(added: readonly Slot[]): Map<string, Slot> {
  const messages = inOrder(added).flatMap((slot) => (slot.queued ? [[slot.id, slot] as const] : []));
  return new Map(messages);
}

function nameOfUserMessage(seq: number): string {
  return `user ${seq}`;
}
