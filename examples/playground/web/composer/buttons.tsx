import { useLayoutEffect, useRef } from "react";
import { type Field, goToField } from "./focus.ts";

/** A button that stops the run. If it disappears while it has the focus, the text field gets the focus. */
export function StopButton({ field, onStop }: { field: Field; onStop: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const own = button.current;
    return () => {
      if (own !== null && own === document.activeElement) goToField(field);
    };
  }, [field]);
  return (
    <button
      ref={button}
      type="button"
      className="round stop"
      data-testid="stop"
      aria-label="Stop"
      onClick={() => {
        goToField(field);
        onStop();
      }}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <rect x="7" y="7" width="10" height="10" rx="2" />
      </svg>
    </button>
  );
}

/** A button that sends the message. */
export function SendButton({ disabled }: { disabled: boolean }) {
  return (
    <button type="submit" className="round send" data-testid="send" aria-label="Send" disabled={disabled}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 19V6M6 11.5 12 5.5l6 6" />
      </svg>
    </button>
  );
}
