import { useFace } from "../face/face.ts";
import { hashOf } from "../hooks/use-address.ts";

/** A session of the list. */
export interface PastSession {
  id: string;
  title: string;
  status: string;
  /** ISO 8601, UTC. */
  updatedAt: string;
  /** The type that the session began with, if any. */
  type?: string;
}

interface SessionListProps {
  sessions: readonly PastSession[];
  current: string | undefined;
  onNew: () => void;
  onPick: () => void;
}

/** Lists past conversations as links, so that they can be opened in a new tab. */
export function SessionList({ sessions, current, onNew, onPick }: SessionListProps) {
  const { name: agent } = useFace();
  return (
    <nav className="sessions" aria-label="Conversations">
      <button type="button" className="new" data-testid="new-conversation" onClick={onNew}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M12 5v14M5 12h14" />
        </svg>
        New conversation
      </button>
      {sessions.length > 0 && <h2>Conversations</h2>}
      <ul>
        {sessions.map(({ id, title, status, updatedAt }) => (
          <li key={id}>
            <a
              href={hashOf({ agent, sessionId: id })}
              aria-current={id === current ? "page" : undefined}
              data-testid="past-session"
              onClick={onPick}
            >
              <span className="session-title">{title === "" ? "A message with files" : title}</span>
              <span className="session-when">
                {whenOf(updatedAt)}
                {WORDS.has(status) && ` · ${WORDS.get(status)}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["suspended", "waiting for you"],
  ["completed", "complete"],
  ["error", "interrupted"],
]);

function whenOf(iso: string): string {
  const date = new Date(iso);
  const today = new Date().toDateString() === date.toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short" });
}
