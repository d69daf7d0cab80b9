import type { RefObject } from "react";

/** The text field of the composer. */
export type Field = RefObject<HTMLTextAreaElement | null>;

/**
 * Guesses whether the user has a keyboard. On a touch screen, a focused field would open a keyboard over half
 * of the page.
 */
export function hasKeys(): boolean {
  const byKey = document.activeElement?.matches(":is(a, button):focus-visible") === true;
  return byKey || matchMedia("(pointer: fine)").matches;
}

/** Moves the focus to the text field, for keyboard users. */
export function goToField({ current }: Field): void {
  if (hasKeys()) current?.focus({ preventScroll: true });
}
