import { type UseAgent, useAgent } from "@pawl/client/react";
import { useCallback, useEffect, useRef } from "react";
import { hasKeys } from "./composer/focus.ts";
import { Conversation } from "./conversation.tsx";
import { useJson } from "./hooks/use-json.ts";
import { hashOf, useSessionHash } from "./hooks/use-session-hash.ts";
import { useReplay } from "./inspector/use-replay.ts";
import { LogPanel } from "./log/log-panel.tsx";
import { useEventLog, useWholeLog } from "./log/use-event-log.ts";
import { type PastSession, SessionList } from "./sessions/session-list.tsx";
import { Drawer } from "./shell/drawer.tsx";
import { SkipLink } from "./shell/skip-link.tsx";
import { type Info, TopBar } from "./shell/top-bar.tsx";
import { useLayout } from "./shell/use-layout.ts";

const AGENT = "/api/coach";

/** The page: conversations on the left, the open one in the middle, its log on the right. */
export function App() {
  const { agent, log } = useConversation();
  const { data: info } = useJson<Info>("/api/info");
  const { sessionId } = agent;
  const layout = useLayout();
  const { hasSide, isWide } = layout;
  const field = useRef<HTMLTextAreaElement>(null);
  const list = (
    <SessionList
      sessions={usePastSessions(agent)}
      current={sessionId}
      onNew={() => {
        const writesOn = hasKeys();
        layout.showMenu(false);
        location.hash = hashOf(undefined);
        // A menu that closes gives the focus back to its button first.
        if (writesOn) setTimeout(() => field.current?.focus());
      }}
      onPick={() => layout.showMenu(false)}
    />
  );
  const replay = useReplay(log.events, sessionId);
  const panel = (
    <LogPanel
      log={log}
      at={replay.at}
      onClose={() => layout.showLog(false)}
      onGoTo={(seq) => {
        replay.goTo(seq);
        if (!isWide) layout.showLog(false);
      }}
    />
  );
  return (
    <div className={`page ${hasSide ? "page-side" : ""} ${isWide && layout.showsLog ? "page-log" : ""}`}>
      <SkipLink to="talk" />
      {hasSide && <aside className="side">{list}</aside>}
      <main id="talk" tabIndex={-1} aria-label="Conversation with Sage" data-phase={agent.phase}>
        <TopBar
          info={info}
          connection={agent.connection}
          hasSession={sessionId !== undefined && agent.error?.code !== "not_found"}
          logOpen={layout.showsLog}
          onMenu={hasSide ? undefined : () => layout.showMenu(true)}
          onLog={() => layout.showLog(!layout.showsLog)}
        />
        <Conversation
          {...{ agent, field, replay }}
          preparesCall={log.live.tool_input_delta !== undefined}
          {...(info && { maxMessage: info.maxMessage })}
        />
      </main>
      {isWide && layout.showsLog && (
        <aside className="side-log" aria-label="Log">
          {panel}
        </aside>
      )}
      <Drawer side="left" label="Conversations" open={layout.menuOver} onClose={() => layout.showMenu(false)}>
        {list}
      </Drawer>
      <Drawer side="right" label="Log" open={layout.logOver} onClose={() => layout.showLog(false)}>
        {panel}
      </Drawer>
    </div>
  );
}

/** The agent, its address and its log, kept together. */
function useConversation() {
  const { log, store } = useEventLog(AGENT);
  const agent = useAgent({ url: AGENT, onEvent: store.push });
  const { open } = agent;
  const goTo = useCallback(
    (id: string | undefined) => {
      store.clear();
      open(id);
    },
    [store, open],
  );
  useSessionHash(agent.sessionId, goTo);
  useWholeLog(store, agent.sessionId, agent.cursor);
  return { agent, log };
}

/** The user's sessions; read again when one begins and when a run comes to an end. */
function usePastSessions({ sessionId, run }: UseAgent): readonly PastSession[] {
  const { data, reload } = useJson<{ sessions: PastSession[] }>("/api/past-sessions");
  const isRunning = run?.open === true;
  // Both say when to read, not what.
  useEffect(reload, [reload, sessionId, isRunning]);
  return data?.sessions ?? [];
}
