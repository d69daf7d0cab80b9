import { type UseAgent, useAgent, useSessions } from "@pawl/client/react";
import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { AgentSwitch } from "../agents/agent-switch.tsx";
import { FleetLink } from "../agents/fleet-link.tsx";
import { type Field, hasKeys } from "../composer/focus.ts";
import { type Face, type FrameProps, type PageControls, useFace } from "../face/face.ts";
import { hashOf, useSessionAddress } from "../hooks/use-address.ts";
import { type Replay, useReplay } from "../inspector/use-replay.ts";
import { LogPanel } from "../log/log-panel.tsx";
import { useEventLog, useWholeLog } from "../log/use-event-log.ts";
import { useWholeMessages } from "../log/use-whole-messages.ts";
import { type PastSession, SessionList } from "../sessions/session-list.tsx";
import { Boundary } from "../shell/boundary.tsx";
import { Drawer } from "../shell/drawer.tsx";
import { SkipLink } from "../shell/skip-link.tsx";
import { type Info, TopBar } from "../shell/top-bar.tsx";
import { type Layout, useLayout } from "../shell/use-layout.ts";
import { isWorking } from "../thread/thread.tsx";
import { Conversation } from "./conversation.tsx";

/**
 * One agent's page: its conversations on the left, the open one in the middle, and its log or panel on the
 * right.
 */
export function AgentPage({ info }: { info: Info | undefined }) {
  const face = useFace();
  const { agent, log } = useConversation(face);
  const { sessionId } = agent;
  const layout = useLayout(face.panel === undefined ? "log" : "panel");
  const { hasSide, isWide, beside } = layout;
  const field = useRef<HTMLTextAreaElement>(null);
  const close = () => layout.showMenu(false);
  const { sessions, startOver } = usePastSessions(agent);
  const list = (
    <>
      <AgentSwitch served={info?.agents} onPick={close} />
      <SessionList
        sessions={sessions}
        current={sessionId}
        onNew={() => {
          const writesOn = hasKeys();
          close();
          location.hash = hashOf({ agent: face.name });
          // Focuses after a closing menu has returned the focus to its button.
          if (writesOn) setTimeout(() => field.current?.focus());
        }}
        onPick={close}
      />
      {info?.fleet && <FleetLink onPick={close} />}
    </>
  );
  const replay = useReplay(log.events, sessionId);
  const whole = useWholeMessages(agent, log.events);
  const panel = <Beside {...{ layout, agent, whole, log, replay }} />;
  const label = beside === "panel" ? (face.panel?.label ?? "") : "Log";
  const { Frame = NoFrame, Label } = face;
  const messages = replay.view?.messages ?? whole;
  const working = replay.view === undefined && isWorking(agent.phase);
  const session = sessions.find(({ id }) => id === sessionId);
  const type = session && (session.type ?? "");
  const page = usePageControls({ layout, field, startOver });
  return (
    <Frame {...{ agent, messages, page }} events={replay.events} isPast={replay.view !== undefined}>
      {(talking) => (
        <div className={`page ${hasSide ? "page-side" : ""} ${isWide && beside ? "page-log" : ""}`}>
          <SkipLink to="talk" />
          {hasSide && <aside className="side">{list}</aside>}
          <main
            id="talk"
            tabIndex={-1}
            aria-label={`Conversation with ${face.voice}`}
            data-phase={agent.phase}
          >
            <TopBar
              info={info}
              connection={agent.connection}
              hasSession={sessionId !== undefined && agent.error?.code !== "not_found"}
              beside={beside}
              label={Label !== undefined && <Label {...{ messages, type, working }} />}
              onMenu={hasSide ? undefined : () => layout.showMenu(true)}
              onToggle={layout.toggle}
            />
            <Conversation
              agent={talking}
              {...{ field, replay }}
              writes={log.writes}
              {...(info && { maxMessage: info.maxMessage })}
            />
          </main>
          {isWide && beside && (
            <aside className="side-log" aria-label={label}>
              {panel}
            </aside>
          )}
          <Drawer side="left" label="Conversations" open={layout.menuOver} onClose={close}>
            {list}
          </Drawer>
          <Drawer side="right" label={label} open={layout.besideOver} onClose={() => layout.show(undefined)}>
            {panel}
          </Drawer>
        </div>
      )}
    </Frame>
  );
}

interface Controlled {
  layout: Layout;
  field: Field;
  /** Loads the list of conversations of another user. */
  startOver: () => void;
}

/** The actions of an agent's frame on the page. */
function usePageControls({ layout: { beside, show }, field, startOver }: Controlled): PageControls {
  const { name } = useFace();
  const panelShown = beside === "panel";
  const latest = useRef(beside);
  latest.current = beside;
  const instead = useRef<typeof beside>(undefined);
  return useMemo(
    () => ({
      panelShown,
      showPanel: (shown) => {
        // A log that the panel has replaced comes back.
        if (shown && latest.current !== "panel") instead.current = latest.current;
        show(shown ? "panel" : instead.current);
        if (!shown) instead.current = undefined;
      },
      focusField: () => field.current?.focus(),
      startAnew: () => {
        location.hash = hashOf({ agent: name });
        startOver();
      },
    }),
    [panelShown, show, field, name, startOver],
  );
}

function NoFrame({ agent, children }: FrameProps): ReactNode {
  return children(agent);
}

interface BesideProps {
  layout: Layout;
  agent: UseAgent;
  /** The messages of the whole conversation. */
  whole: FrameProps["messages"];
  log: ReturnType<typeof useEventLog>["log"];
  replay: Replay;
}

/** Shows the log or the agent's own panel beside the conversation. */
function Beside({ layout, agent, whole, log, replay }: BesideProps) {
  const { panel }: Face = useFace();
  const close = () => layout.show(undefined);
  if (layout.beside === "panel" && panel !== undefined) {
    return (
      <div className="log log-plain" data-testid="panel">
        <header className="log-head">
          <h2>{panel.label}</h2>
          <span className="log-count" />
          <button
            type="button"
            className="icon-button"
            onClick={close}
            aria-label={`Close ${panel.label.toLowerCase()}`}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M6 6l12 12M18 6L6 18" />
            </svg>
          </button>
        </header>
        <div className="log-scroll">
          <Boundary of={panel.label}>
            <panel.Panel messages={whole} working={isWorking(agent.phase)} />
          </Boundary>
        </div>
      </div>
    );
  }
  return (
    <LogPanel
      log={log}
      at={replay.at}
      onClose={close}
      onGoTo={(seq) => {
        replay.goTo(seq);
        if (!layout.isWide) close();
      }}
    />
  );
}

/** Connects the agent's conversation with the page's address and the log. */
function useConversation({ name, fetch }: Face) {
  const url = `/api/${name}`;
  const { log, store } = useEventLog(url);
  const agent = useAgent({ url, onEvent: store.push, ...(fetch && { fetch }) });
  const { open } = agent;
  const goTo = useCallback(
    (id: string | undefined) => {
      store.clear();
      open(id);
    },
    [store, open],
  );
  useSessionAddress(name, agent.sessionId, goTo);
  useWholeLog(store, agent.sessionId, agent.cursor);
  return { agent, log };
}

/** The number of past sessions that the page lists. */
const LISTED = 20;

/**
 * Returns the user's latest sessions with an agent. Leaves out sessions without a message. `startOver` is for
 * another user: nobody sees the list of the user before while the new one is loaded.
 */
function usePastSessions(agent: UseAgent): { sessions: readonly PastSession[]; startOver: () => void } {
  const { sessions, reload } = useSessions(agent);
  const latest = useRef(sessions);
  latest.current = sessions;
  const [former, setFormer] = useState<typeof sessions>();
  const startOver = useCallback(() => {
    setFormer(latest.current);
    reload();
  }, [reload]);
  const listed = sessions === undefined || sessions === former ? [] : sessions.slice(0, LISTED);
  const shown = listed.flatMap(({ id, title, status, updatedAt, metadata: { type } }) => {
    const past = { id, status, updatedAt, ...(typeof type === "string" && { type }) };
    return title === undefined ? [] : [{ ...past, title }];
  });
  return { sessions: shown, startOver };
}
