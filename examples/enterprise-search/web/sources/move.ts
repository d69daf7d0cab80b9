import type { KeyboardEvent } from "react";

const STEPS: ReadonlyMap<string, number> = new Map([
  ["ArrowRight", 1],
  ["ArrowDown", 1],
  ["ArrowLeft", -1],
  ["ArrowUp", -1],
]);

/** All citations and sources of a message, in the order of the page. */
const CITES = "[data-cite]";

/** Moves the focus from a citation to another one of its message, by the arrow keys, Home and End. */
export function moveAmongCites(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const own = event.currentTarget;
  const all = [...(own.closest(".message")?.querySelectorAll<HTMLElement>(CITES) ?? [])];
  const step = STEPS.get(event.key);
  const to =
    event.key === "Home"
      ? all[0]
      : event.key === "End"
        ? all.at(-1)
        : step === undefined
          ? undefined
          : all[all.indexOf(own) + step];
  if (step === undefined && to === undefined) return;
  event.preventDefault();
  to?.focus();
}

/** Finds the first citation of the last answer that has one. */
export function lastCite(): HTMLElement | undefined {
  const all = [...document.querySelectorAll<HTMLElement>(`.message ${CITES}`)];
  const message = all.at(-1)?.closest(".message");
  return all.find((one) => one.closest(".message") === message);
}
