import { useEffect } from "react";
import { lastCite } from "../sources/move.ts";

/** Whether keys are typed into an element. */
function takesText(element: Element | null): boolean {
  return (
    element instanceof HTMLElement &&
    (element.isContentEditable || element.matches("input, textarea, select, [role=textbox]"))
  );
}

/**
 * The keys of the page: `/` goes to the text field, and the up arrow in the empty text field goes to the open
 * question, or to the sources of the last answer.
 */
export function useKeys(focusField: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.isComposing)
        return;
      const active = document.activeElement;
      if (event.key === "/" && !takesText(active) && document.querySelector("dialog:modal") === null) {
        event.preventDefault();
        focusField();
      }
      if (event.key !== "ArrowUp" || !(active instanceof HTMLTextAreaElement) || active.value !== "") return;
      const target = document.querySelector<HTMLElement>(".es-choice:enabled") ?? lastCite();
      if (target === undefined) return;
      event.preventDefault();
      target.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [focusField]);
}
