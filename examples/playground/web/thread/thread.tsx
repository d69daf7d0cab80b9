import type { AgentFailure, AgentState } from "@pawl/client";
import type { UseAgent } from "@pawl/client/react";
import { useHeld } from "@pawl/client/react";
import { runMessageId } from "@pawl/core/view";
import { useCallback, useRef } from "react";
import { useFace } from "../face/face.ts";
import { useOlder } from "../hooks/use-older.ts";
import { useQuiet } from "../hooks/use-quiet.ts";
import type { StickToEnd } from "../hooks/use-stick-to-end.ts";
import { Boundary } from "../shell/boundary.tsx";
import { Wheel } from "../shell/wheel.tsx";
import { Asked } from "./asked.tsx";
import { Failure } from "./failure.tsx";
import { ComingMessage, Message } from "./message.tsx";
import { OlderRow } from "./older-row.tsx";
import { useAtWork } from "./use-at-work.ts";
import { BROKE_OFF } from "./use-failure.ts";
import { Welcome } from "./welcome.tsx";

/** The time without new text after which the wheel appears, in milliseconds. */
const PAUSE_MS = 600;

interface ThreadProps {
  agent: UseAgent;
  /** The name of the tool whose input the model is writing. */
  writes: string | undefined;
  scroll: StickToEnd;
  loading: boolean;
  failure: AgentFailure | undefined;
  onSend: (text: string) => void;
  /** Runs the last message again, after its run was stopped. */
  onAgain: () => void;
  onRetry: (() => void) | undefined;
  onDismiss: (() => void) | undefined;
}

/** Shows the conversation: its messages, open questions, the status line and the last failure. */
export function Thread(props: ThreadProps) {
  const { agent, writes, scroll, loading, failure, onSend, onAgain, onRetry, onDismiss } = props;
  const { messages, pending, run } = agent;
  const list = useRef<HTMLOListElement>(null);
  const older = useOlder(agent, scroll.box, list);
  const focusFirst = useCallback(() => focusLater(() => list.current?.firstElementChild), []);
  const last = messages.at(-1);
  const isNew = messages.length === 0 && !loading && failure?.code !== "not_found";
  return (
    <div className="thread" ref={scroll.box} data-testid="thread">
      <div className="thread-content" ref={scroll.content}>
        {isNew && <Welcome onStart={onSend} />}
        {agent.hasOlder && <OlderRow older={older} loading={agent.loadingOlder} onFocusLost={focusFirst} />}
        <Boundary of={agent.sessionId}>
          <ol className="messages" ref={list}>
            {messages.map((message) => (
              <Message
                key={message.id}
                message={message}
                live={message === last && run?.open === true}
                told={message === last && failure?.code === BROKE_OFF}
              />
            ))}
            {run?.open === true && last?.role === "user" && <ComingMessage key={runMessageId(run)} />}
          </ol>
        </Boundary>
        {pending.map((question) => (
          <Asked key={question.seq} question={question} answer={question.answer} />
        ))}
        <Working state={agent} writes={writes} />
        {failure === undefined && wasStopped(agent) && (
          <button type="button" className="text-button again" onClick={onAgain} data-testid="again">
            Try again
          </button>
        )}
        {failure !== undefined && <Failure {...{ failure, onRetry, onDismiss }} />}
      </div>
    </div>
  );
}

/** Moves the focus to an element that cannot get it by itself, once what had it is gone. */
function focusLater(find: () => Element | null | undefined): void {
  queueMicrotask(() => {
    const element = find();
    if (!(element instanceof HTMLElement)) return;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  });
}

interface WorkingProps {
  state: Pick<AgentState, "messages" | "phase" | "runningTools" | "run">;
  writes: string | undefined;
}

/**
 * Turns the wheel while the agent works without visible progress. Growing text is visible progress. Running
 * tools are too, unless the agent has a status line.
 */
function Working({ state, writes }: WorkingProps) {
  const { voice, doing } = useFace();
  const { messages, phase } = state;
  const tools = useAtWork(state);
  const last = messages.at(-1);
  const part = last?.role === "assistant" ? last.parts.at(-1) : undefined;
  const text = part?.type === "text" ? part.text : undefined;
  const isPausing = useQuiet(text, PAUSE_MS);
  // While the model writes a tool's input after a text, that text still counts as open.
  const isUnseen = text === undefined || isPausing || writes !== undefined;
  const working = isWorking(phase) && (phase !== "toolExecuting" || doing !== undefined) && isUnseen;
  const isShown = useHeld(working, 200);
  if (tools !== undefined) {
    return (
      <p className="working" data-testid="at-work">
        <span className="at-work">{tools}</span>
      </p>
    );
  }
  const until = waitsUntil(state);
  if (until !== undefined) {
    return (
      <p className="working" data-testid="waits">
        <Wheel turning />
        <span className="doing">
          The model is busy. {voice} asks again at {until.toLocaleTimeString([], { timeStyle: "short" })}.
        </span>
      </p>
    );
  }
  if (!isShown) return null;
  return (
    <p className="working" data-testid="working">
      <Wheel turning />
      {doing === undefined ? (
        <span className="unseen">{voice} is working.</span>
      ) : (
        <span className="doing">{doing({ messages, writes })}</span>
      )}
    </p>
  );
}

/** Returns until when the run waits before its model is asked again; `undefined` if it does not wait. */
export function waitsUntil({ run }: Pick<AgentState, "run">, now = Date.now()): Date | undefined {
  const until = new Date(run?.retryAt ?? 0);
  return run?.open === true && until.getTime() > now ? until : undefined;
}

/** Returns whether the user has stopped the last answer, so that they may want another one. */
function wasStopped({ run, phase, pending }: UseAgent): boolean {
  return run?.open === false && run.stop?.type === "aborted" && !isWorking(phase) && pending.length === 0;
}

/** Returns whether a run is in progress or about to begin. */
export function isWorking(phase: AgentState["phase"]): boolean {
  return (
    phase === "submitting" || phase === "streaming" || phase === "toolExecuting" || phase === "completing"
  );
}
