import { type KeyboardEvent, useEffect, useState } from "react";
import { useFace } from "../face/face.ts";
import { AttachButton } from "../files/attach.tsx";
import { TrayView } from "../files/tray-view.tsx";
import type { Tray } from "../files/use-tray.ts";
import { SendButton, StopButton } from "./buttons.tsx";
import { type Field, goToField } from "./focus.ts";
import { useAfterChecks } from "./use-after-checks.ts";

interface ComposerProps {
  text: string;
  setText: (text: string) => void;
  working: boolean;
  maxLength: number;
  field: Field;
  /** The files of the message. Absent if the agent accepts none. */
  tray: Tray | undefined;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** The message box. The user can type at any time, and can send when no run is in progress. */
export function Composer(props: ComposerProps) {
  const { text, setText, working, maxLength, field, tray, onSend, onStop } = props;
  const { voice } = useFace();
  const hasContent = text.trim() !== "" || (tray?.files.length ?? 0) > 0;
  const sendable = hasContent && tray?.checking !== true && !working;
  // Enter was pressed during a run, so the hint says why nothing was sent.
  const [isEarly, setIsEarly] = useState(false);
  useEffect(() => {
    if (!working) setIsEarly(false);
  }, [working]);
  const send = useAfterChecks(tray, () => {
    setIsEarly(working);
    if (!sendable) return;
    field.current?.focus({ preventScroll: true });
    onSend(text.trim());
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    // With an input method, Enter can confirm a composition and Escape can cancel it. Such key presses are
    // ignored.
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
        {tray !== undefined && <TrayView tray={tray} onEmpty={() => field.current?.focus()} />}
        {tray !== undefined && <AttachButton onAdd={tray.add} />}
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
        <span className={isEarly ? "composer-early" : undefined} role="status">
          {working
            ? `${voice} is working. You can send once it is done; Esc stops it.`
            : `Enter sends, Shift + Enter starts a new line.${tray === undefined ? "" : " You can paste or drop files."}`}
        </span>
        <Room left={maxLength - text.length} />
      </p>
    </form>
  );
}

/** Shows the number of characters left, once there are few. */
function Room({ left }: { left: number }) {
  return left > 400 ? null : (
    <span className={left === 0 ? "room room-full" : "room"}>{left} characters left</span>
  );
}
