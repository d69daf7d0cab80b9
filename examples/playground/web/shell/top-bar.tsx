import type { Connection } from "@pawl/client";
import { Wheel } from "./wheel.tsx";

/** What the server says about the model. */
export interface Info {
  model: string;
  simulated: boolean;
  maxMessage: number;
}

interface TopBarProps {
  info: Info | undefined;
  connection: Connection;
  hasSession: boolean;
  logOpen: boolean;
  onMenu: (() => void) | undefined;
  onLog: () => void;
}

/** Name, model, connection, and the way to what is beside the conversation. */
export function TopBar({ info, connection, hasSession, logOpen, onMenu, onLog }: TopBarProps) {
  return (
    <header className="top">
      {onMenu !== undefined && (
        <button
          type="button"
          className="icon-button"
          aria-label="Conversations"
          data-testid="menu"
          onClick={onMenu}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M4 7h16M4 12h16M4 17h10" />
          </svg>
        </button>
      )}
      <p className="brand">
        <Wheel />
        Sage
      </p>
      <p className={`banner ${info?.simulated ? "banner-simulated" : ""}`} data-testid="banner">
        {info === undefined ? "" : info.simulated ? "Simulated coach: no key set" : info.model}
      </p>
      <ConnectionState state={hasSession ? connection : "open"} />
      <button
        type="button"
        className="log-toggle"
        aria-expanded={logOpen}
        data-testid="log-toggle"
        onClick={onLog}
      >
        Log
      </button>
    </header>
  );
}

const WORDS: Readonly<Record<Connection, string>> = {
  open: "Connected",
  connecting: "Connecting…",
  reconnecting: "Reconnecting…",
  offline: "Offline",
};

/** A dot where all is well, words where it is not. */
function ConnectionState({ state }: { state: Connection }) {
  return (
    <p className={`connection connection-${state}`} data-testid="connection" data-state={state}>
      <span className="connection-dot" aria-hidden="true" />
      <span className={state === "open" ? "unseen" : ""}>{WORDS[state]}</span>
    </p>
  );
}
