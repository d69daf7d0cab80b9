import { useEffect } from "react";
import { lastCite } from "../sources/move.ts";
import type { SourceState } from "../state/searching.ts";

/** Whether keys are typed into an element. */
function takesText(element: Element | null): boolean {
  return (
    element instanceof HTMLElement &&
    (element.isContentEditable || element.matches("input, textarea, select, [role=textbox]"))
  );
}

/**
 * The keys of the page: `/` goes to the text field, Escape closes the open source, and the up arrow in the
 * empty text field goes to the open question, or to the sources of the last answer.
 */
export function useKeys(focusField: () => void, { current, close }: SourceState): void {
  const isOpen = current !== undefined;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.isComposing)
        return;
      const run = actionOf(event.key, { isOpen, focusField, close });
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [focusField, isOpen, close]);
}

interface Actions {
  isOpen: boolean;
  focusField(): void;
  close(): void;
}

function actionOf(key: string, { isOpen, focusField, close }: Actions): (() => void) | undefined {
  const active = document.activeElement;
  if (active instanceof HTMLTextAreaElement && key === "ArrowUp" && active.value === "") {
    const target = document.querySelector<HTMLElement>(".es-choice:enabled") ?? lastCite();
    return target && (() => target.focus());
  }
  // A dialog over the page has keys of its own.
  if (takesText(active) || document.querySelector("dialog:modal") !== null) return undefined;
  if (key === "/") return focusField;
  return key === "Escape" && isOpen ? close : undefined;
}
