import { type KeyboardEvent, type RefObject, useEffect } from "react";

interface ComposerProps {
  text: string;
  setText: (text: string) => void;
  working: boolean;
  maxLength: number;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** Where the user writes. It can be written in at any time; it can be sent when the coach has finished. */
export function Composer({ text, setText, working, maxLength, field, onSend, onStop }: ComposerProps) {
  const sendable = text.trim() !== "" && !working;
  const send = (): void => {
    if (sendable) onSend(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of a character; only the next one sends.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  useFocusAtFirst(field);
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="composer-box">
        <textarea
          ref={field}
          rows={1}
          value={text}
          maxLength={maxLength}
          placeholder="Write to Sage"
          aria-label="Your message"
          aria-describedby="composer-help"
          enterKeyHint="send"
          data-testid="composer"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {working ? (
          <button type="button" className="round stop" data-testid="stop" aria-label="Stop" onClick={onStop}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <rect x="7" y="7" width="10" height="10" rx="2" />
            </svg>
          </button>
        ) : (
          <button
            type="submit"
            className="round send"
            data-testid="send"
            aria-label="Send"
            disabled={!sendable}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M12 19V6M6 11.5 12 5.5l6 6" />
            </svg>
          </button>
        )}
      </div>
      <p className="composer-help" id="composer-help">
        <span>Enter sends, Shift + Enter starts a new line.</span>
        <Room left={maxLength - text.length} />
      </p>
    </form>
  );
}

/** How much may still be written, once that matters. */
function Room({ left }: { left: number }) {
  return left > 400 ? null : (
    <span className={left === 0 ? "room room-full" : "room"}>{left} characters left</span>
  );
}

/** On a phone the keyboard would cover half of the page: there the user begins. */
function useFocusAtFirst(field: ComposerProps["field"]): void {
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [field]);
}
