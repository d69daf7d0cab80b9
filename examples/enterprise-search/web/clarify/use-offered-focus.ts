import { type RefObject, useEffect } from "react";

/**
 * Moves the focus to the first choice of a question that appears, if that takes it from nobody: from the
 * page itself, or from an empty text field. Touch screens keep theirs.
 */
export function useOfferedFocus(box: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen || !matchMedia("(pointer: fine)").matches) return;
    // After the text field has taken the focus of a page that was just opened.
    const timer = setTimeout(() => {
      const active = document.activeElement;
      const isFree =
        active === null ||
        active === document.body ||
        (active instanceof HTMLTextAreaElement && active.value === "");
      if (isFree) box.current?.querySelector<HTMLElement>("button, input")?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, [box, isOpen]);
}
