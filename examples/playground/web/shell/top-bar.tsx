import type { Connection } from "@pawl/client";
import type { ReactNode } from "react";
import { useFace } from "../face/face.ts";
import type { BesideIt } from "./use-layout.ts";
import { Wheel } from "./wheel.tsx";

/** The facts about the server's model and agents. */
export interface Info {
  model: string;
  simulated: boolean;
  maxMessage: number;
  /** Whether the server has a fleet. */
  fleet?: boolean;
  agents?: readonly { name: string; title: string }[];
}

interface TopBarProps {
  info: Info | undefined;
  connection: Connection;
  hasSession: boolean;
  beside: BesideIt | undefined;
  /** The label of the conversation. */
  label: ReactNode;
  onMenu: (() => void) | undefined;
  onToggle: (what: BesideIt) => void;
}

/** Shows the name, the model, the connection, and buttons for the panels. */
export function TopBar({ info, connection, hasSession, beside, label, onMenu, onToggle }: TopBarProps) {
  const { title, voice, panel } = useFace();
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
        {voice}
      </p>
      {label}
      <p className={`banner ${info?.simulated ? "banner-simulated" : ""}`} data-testid="banner">
        {info?.simulated === false && info.model}
        {info?.simulated && (
          <>
            Simulated<span className="banner-more"> {title.toLowerCase()}: no key set</span>
          </>
        )}
      </p>
      <ConnectionState state={hasSession ? connection : "open"} />
      {panel !== undefined && (
        <button
          type="button"
          className="log-toggle panel-toggle"
          aria-expanded={beside === "panel"}
          aria-label={panel.label}
          data-testid="panel-toggle"
          onClick={() => onToggle("panel")}
        >
          {panel.icon}
          <span>{panel.label}</span>
        </button>
      )}
      <button
        type="button"
        className="log-toggle"
        aria-expanded={beside === "log"}
        data-testid="log-toggle"
        onClick={() => onToggle("log")}
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

/** Shows a dot while connected, and a word otherwise. */
function ConnectionState({ state }: { state: Connection }) {
  return (
    <p className={`connection connection-${state}`} data-testid="connection" data-state={state}>
      <span className="connection-dot" aria-hidden="true" />
      <span className={state === "open" ? "unseen" : ""}>{WORDS[state]}</span>
    </p>
  );
}
