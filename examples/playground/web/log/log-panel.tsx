import { useEffect, useState } from "react";
import { useStickToEnd } from "../hooks/use-stick-to-end.ts";
import { Timeline } from "../inspector/timeline.tsx";
import type { LogState } from "./event-log.ts";
import { LogRow } from "./log-row.tsx";

interface LogPanelProps {
  log: LogState;
  onClose: () => void;
  /** Shows the conversation as it was after an event. */
  onGoTo: (seq: number) => void;
  /** The event up to which the conversation is replayed; `undefined` without a replay. */
  at: number | undefined;
}

/** Shows the session's log as it grows, as a list of events or as a timeline. */
export function LogPanel({ log, onClose, onGoTo, at }: LogPanelProps) {
  const [asTimeline, setAsTimeline] = useState(false);
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
      <div className="log-tools">
        <fieldset className="switch">
          <legend className="unseen">Show the log as</legend>
          <SwitchButton on={!asTimeline} words="Events" onPress={() => setAsTimeline(false)} />
          <SwitchButton on={asTimeline} words="Timeline" onPress={() => setAsTimeline(true)} />
        </fieldset>
        <button
          type="button"
          className="text-button"
          disabled={events.length === 0}
          onClick={() => onGoTo(events.length)}
          data-testid="replay"
        >
          Replay
        </button>
      </div>
      {asTimeline ? (
        <div className="log-scroll">
          <Timeline events={events} onGoTo={onGoTo} />
        </div>
      ) : (
        <EventList events={events} at={at} />
      )}
      <LiveLine live={live} />
    </div>
  );
}

function EventList({ events, at }: { events: LogState["events"]; at: number | undefined }) {
  const { box, content, hold } = useStickToEnd();
  useEffect(() => {
    if (at === undefined) return;
    hold();
    content.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [at, hold, content]);
  return (
    <div className="log-scroll" ref={box}>
      <div ref={content}>
        {events.length === 0 ? (
          <p className="log-empty">
            Nothing yet. Everything that happens in the conversation will appear here.
          </p>
        ) : (
          <ol className="rows" aria-labelledby="log-title">
            {events.map((event) => (
              <LogRow key={event.seq} event={event} onToggle={hold} place={placeOf(event.seq, at)} />
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

function placeOf(seq: number, at: number | undefined): "current" | "later" | undefined {
  if (at === undefined || seq < at) return undefined;
  return seq === at ? "current" : "later";
}

function SwitchButton({ on, words, onPress }: { on: boolean; words: string; onPress: () => void }) {
  return (
    <button type="button" aria-pressed={on} onClick={onPress} data-testid={`log-${words.toLowerCase()}`}>
      {words}
    </button>
  );
}

/** Shows the numbers of live events, which are not stored. */
function LiveLine({ live }: { live: LogState["live"] }) {
  const kinds = Object.entries(live);
  return (
    <p className="log-live" data-testid="log-live">
      <span className="log-live-label">Live, not stored</span>
      <span className="log-live-kinds">
        {kinds.length === 0 ? "none" : kinds.map(([type, n]) => `${type} × ${n}`).join(", ")}
      </span>
    </p>
  );
}
