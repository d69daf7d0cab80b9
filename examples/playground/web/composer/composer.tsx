import { type KeyboardEvent, useEffect } from "react";
import { useFace } from "../face/face.ts";
import { SendButton, StopButton } from "./buttons.tsx";
import { type Field, goToField } from "./focus.ts";

interface ComposerProps {
  text: string;
  setText: (text: string) => void;
  working: boolean;
  maxLength: number;
  field: Field;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** Where the user writes. It can be written in at any time; it can be sent when the agent has finished. */
export function Composer({ text, setText, working, maxLength, field, onSend, onStop }: ComposerProps) {
  const { voice } = useFace();
  const sendable = text.trim() !== "" && !working;
  const send = (): void => {
    if (!sendable) return;
    field.current?.focus({ preventScroll: true });
    onSend(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of a character, and Escape gives it up; only the next one is for us.
    if (event.nativeEvent.isComposing) return;
    const sends = event.key === "Enter" && !event.shiftKey;
    const stops = event.key === "Escape" && working;
    if (!sends && !stops) return;
    event.preventDefault();
    if (sends) send();
    else onStop();
  };
  useEffect(() => goToField(field), [field]);
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
          placeholder={`Write to ${voice}`}
          aria-label="Your message"
          aria-describedby="composer-help"
          enterKeyHint="send"
          data-testid="composer"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {working ? <StopButton {...{ field, onStop }} /> : <SendButton disabled={!sendable} />}
      </div>
      <p className="composer-help" id="composer-help">
        <span>Enter sends, Shift + Enter starts a new line, Esc stops {voice}.</span>
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
