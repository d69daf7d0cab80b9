import { type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import type { MatchLine } from "../../src/base/shapes.ts";
import { nameOf, OpenReplayContext, useOpenReplay } from "../base/open-replay.ts";
import type { FrameProps } from "../base/seam.ts";

/** Wraps the conversation. Sends the id of the match that the user has opened with each message. */
export function ReplayFrame({ agent, children }: FrameProps) {
  const { sessionId } = agent;
  const [match, open] = useState<MatchLine>();
  const latest = useRef(match);
  latest.current = match;
  const before = useRef(sessionId);
  useEffect(() => {
    // A first message gives its conversation an id, and changes nothing else.
    if (before.current !== undefined && before.current !== sessionId) open(undefined);
    before.current = sessionId;
  }, [sessionId]);
  const replay = useMemo(() => ({ match, open }), [match]);
  const talking = useMemo(
    () => ({
      ...agent,
      send: ((text, options) =>
        agent.send(text, { ...options, extra: extraOf(latest.current) })) satisfies typeof agent.send,
    }),
    [agent],
  );
  return <OpenReplayContext value={replay}>{children(talking)}</OpenReplayContext>;
}

function extraOf(match: MatchLine | undefined): { replay_id?: string } {
  return match === undefined ? {} : { replay_id: match.replay_id };
}

/** The open match, above the text field. */
export function AttachedReplay() {
  const { match, open } = useOpenReplay() ?? {};
  if (match === undefined) return null;
  const close = ({ currentTarget, detail }: MouseEvent<HTMLButtonElement>) => {
    // The button disappears. If the keyboard pressed it, the text field gets the focus.
    if (detail === 0) currentTarget.closest("div")?.querySelector("textarea")?.focus();
    open?.(undefined);
  };
  return (
    <p className="rl-attached" data-testid="rl-attached">
      <span>
        <span className="rl-attached-words">Looking at: </span>
        {nameOf(match)}
      </span>
      <button type="button" onClick={close} aria-label="Close this match">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M7 7l10 10M17 7L7 17" />
        </svg>
      </button>
    </p>
  );
}
