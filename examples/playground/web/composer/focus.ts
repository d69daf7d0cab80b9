import type { RefObject } from "react";

/** The text field of the composer. */
export type Field = RefObject<HTMLTextAreaElement | null>;

/** Whether somebody works here with keys. On glass, a keyboard would come up and cover half of the page. */
export function hasKeys(): boolean {
  const byKey = document.activeElement?.matches(":is(a, button):focus-visible") === true;
  return byKey || matchMedia("(pointer: fine)").matches;
}

/** Moves the focus to where one goes on, for those who work with keys. */
export function goToField({ current }: Field): void {
  if (hasKeys()) current?.focus({ preventScroll: true });
}
