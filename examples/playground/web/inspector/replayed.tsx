import type { ViewState } from "@pawl/core/view";
import { useLayoutEffect, useRef } from "react";
import { Asked } from "../thread/asked.tsx";
import { Message } from "../thread/message.tsx";

/** Shows an earlier state of the conversation, read-only. */
export function Replayed({ view }: { view: ViewState }) {
  const box = useRef<HTMLDivElement>(null);
  // Scrolls to the end, where the last event's change is.
  useLayoutEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [view]);
  return (
    <div className="thread" ref={box} data-testid="replayed">
      <div className="thread-content">
        <ol className="messages">
          {view.messages.map((message) => (
            <Message key={message.id} message={message} live={false} told={false} />
          ))}
        </ol>
        {view.pending.map((question) => (
          <Asked key={question.seq} question={question} />
        ))}
        {view.messages.length === 0 && <p className="log-empty">No messages yet.</p>}
      </div>
    </div>
  );
}
