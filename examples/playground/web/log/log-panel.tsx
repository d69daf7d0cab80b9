import { useStickToEnd } from "../hooks/use-stick-to-end.ts";
import type { LogState } from "./event-log.ts";
import { LogRow } from "./log-row.tsx";

/** The session's log, growing event by event. */
export function LogPanel({ log, onClose }: { log: LogState; onClose: () => void }) {
  const { box, content, hold } = useStickToEnd();
  const { events, live } = log;
  return (
    <div className="log" data-testid="log">
      <header className="log-head">
        <h2 id="log-title">Log</h2>
        <span className="log-count">
          {events.length === 1 ? "1 event" : `${events.length} events`}, append-only
        </span>
        <button type="button" className="icon-button" onClick={onClose} aria-label="Close the log">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M6 6l12 12M18 6L6 18" />
          </svg>
        </button>
      </header>
      <div className="log-scroll" ref={box}>
        <div ref={content}>
          {events.length === 0 ? (
            <p className="log-empty">
              Nothing yet. Everything that happens in a conversation is written down here before it counts.
            </p>
          ) : (
            <ol className="rows" aria-labelledby="log-title">
              {events.map((event) => (
                <LogRow key={event.seq} event={event} onToggle={hold} />
              ))}
            </ol>
          )}
        </div>
      </div>
      <LiveLine live={live} />
    </div>
  );
}

/** What passes by without being stored. */
function LiveLine({ live }: { live: LogState["live"] }) {
  const kinds = Object.entries(live);
  return (
    <p className="log-live" data-testid="log-live">
      <span className="log-live-label">Live, not stored</span>
      <span className="log-live-kinds">
        {kinds.length === 0 ? "quiet" : kinds.map(([type, n]) => `${type} × ${n}`).join(", ")}
      </span>
    </p>
  );
}
