import type { Conversation } from "../state/conversation.ts";
import { eitherSignal } from "../wire/either-signal.ts";

/** How long a page is hidden before it closes the stream of an idle conversation, in milliseconds. */
const HIDDEN_MS = 5_000;

/**
 * How many tabs of an origin keep the stream of an idle conversation open. Over HTTP/1.1 a browser has six
 * connections to a server, and pages need some to load and to send.
 */
const PLACES = 4;

/** How often a tab without a place looks for events, and for how long, in milliseconds. */
const LOOK_EVERY_MS = 10_000;
const LOOK_MS = 1_000;

/** Objects that exist only in browsers. */
const page = globalThis as {
  document?: EventTarget & { visibilityState?: string };
  navigator?: { locks?: Locks };
};

/** The part of the Web Locks API that is used here. */
interface Locks {
  request(
    name: string,
    options: { ifAvailable: true },
    then: (lock: unknown) => Promise<void>,
  ): Promise<void>;
}

/**
 * Waits until the conversation may have a stream, and returns a signal that aborts once it must close it: of
 * a page that is hidden, or has no place among the tabs of its browser, while nothing is in progress. Then
 * call this again. Never rejects. Without a page, the signal never aborts.
 */
export async function streamPlace(talk: Conversation, signal: AbortSignal): Promise<AbortSignal> {
  const { document } = page;
  const control = new AbortController();
  if (document === undefined) return control.signal;
  const isHidden = () => document.visibilityState === "hidden";
  while (isHidden() && isIdle(talk) && !signal.aborted) await happens(signal, document, "visibilitychange");
  const over = eitherSignal(signal, control.signal);
  const hasPlace = !isIdle(talk) || (await place(over));
  if (!hasPlace) await happens(signal, document, "visibilitychange", LOOK_EVERY_MS);
  const closeIf = (isWanted: () => boolean, ms: number) => {
    const timer = setTimeout(() => {
      if (isWanted() && isIdle(talk)) control.abort();
      // A run is in progress. It is looked at again, because it may end without another event here.
      else if (isWanted()) closeIf(isWanted, ms);
    }, ms);
    over.addEventListener("abort", () => clearTimeout(timer), { once: true });
  };
  const onChange = () => {
    if (isHidden()) closeIf(isHidden, HIDDEN_MS);
  };
  if (over.aborted) return control.signal;
  document.addEventListener("visibilitychange", onChange);
  over.addEventListener("abort", () => document.removeEventListener("visibilitychange", onChange));
  onChange();
  if (!hasPlace) closeIf(() => true, LOOK_MS);
  return control.signal;
}

function isIdle({ facts: { view } }: Conversation): boolean {
  return view.run?.open !== true;
}

/** Resolves to whether there was a free place. It is kept until the signal aborts. */
async function place(until: AbortSignal): Promise<boolean> {
  // Pages over plain HTTP have no locks, and then only what is hidden gives way.
  const { locks } = page.navigator ?? {};
  if (locks === undefined) return true;
  for (let number = 0; number < PLACES; number += 1) {
    const isFree = await new Promise<boolean>((resolve) => {
      const held = locks.request(`pawl:stream:${number}`, { ifAvailable: true }, async (lock) => {
        resolve(lock !== null);
        if (lock !== null && !until.aborted) await happens(until, until, "abort");
      });
      // A document that is not active any more has no locks.
      Promise.resolve(held).catch(() => resolve(true));
    });
    if (isFree) return true;
  }
  return false;
}

/** Waits for an event, for at most `ms` milliseconds, or until the signal aborts. */
async function happens(signal: AbortSignal, target: EventTarget, type: string, ms?: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      target.removeEventListener(type, done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(done, ms);
    target.addEventListener(type, done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
