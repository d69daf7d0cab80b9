import type { StoredEvent } from "@pawl/core";
import { summaryOf } from "@pawl/core/inspect";
import { memo, useEffect, useRef, useState } from "react";
import { familyOf } from "./family.ts";
import { JsonView } from "./json-view.tsx";

/** One event of the log. Its JSON is rendered only when it is opened. */
export const LogRow = memo(function LogRow({
  event,
  onToggle,
  place,
}: {
  event: StoredEvent;
  onToggle: () => void;
  /** The event's position relative to the last replayed event. */
  place: "current" | "later" | undefined;
}) {
  const [open, setOpen] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  // Scrolls the JSON of an event at the lower edge into view when it is opened.
  useEffect(() => {
    if (open) row.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const { sessionId: _, ...shown } = event;
  return (
    <li
      ref={row}
      className={`row row-${familyOf(event)} ${place === undefined ? "" : `row-${place}`}`}
      aria-current={place === "current" || undefined}
      data-testid="log-event"
      data-type={event.type}
    >
      <details
        onToggle={(toggle) => {
          onToggle();
          setOpen(toggle.currentTarget.open);
        }}
      >
        <summary>
          <span className="row-seq">{event.seq}</span>
          <span className="row-tooth" aria-hidden="true" />
          <span className="row-words">
            <span className="row-type">{event.type}</span>
            <span className="row-summary">{summaryOf(event)}</span>
          </span>
        </summary>
        {open && <JsonView value={shown} />}
      </details>
    </li>
  );
});
