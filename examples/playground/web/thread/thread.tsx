import type { AgentFailure, AgentState } from "@pawl/client";
import type { UseAgent } from "@pawl/client/react";
import { useHeld } from "../hooks/use-held.ts";
import type { StickToEnd } from "../hooks/use-stick-to-end.ts";
import { Wheel } from "../shell/wheel.tsx";
import { Failure } from "./failure.tsx";
import { Message } from "./message.tsx";
import { Options } from "./options.tsx";
import { Welcome } from "./welcome.tsx";

interface ThreadProps {
  agent: UseAgent;
  scroll: StickToEnd;
  loading: boolean;
  failure: AgentFailure | undefined;
  onSend: (text: string) => void;
  onRetry: (() => void) | undefined;
  onDismiss: (() => void) | undefined;
}

/** The conversation, from the first word to what is going on right now. */
export function Thread({ agent, scroll, loading, failure, onSend, onRetry, onDismiss }: ThreadProps) {
  const { messages, pending, run, answer } = agent;
  const last = messages.at(-1);
  const isNew = messages.length === 0 && !loading && failure?.code !== "not_found";
  return (
    <div className="thread" ref={scroll.box} data-testid="thread">
      <div className="thread-content" ref={scroll.content}>
        {isNew && <Welcome onStart={onSend} />}
        <ol className="messages">
          {messages.map((message) => (
            <Message key={message.id} message={message} live={message === last && run?.open === true} />
          ))}
        </ol>
        {pending.map((question) => (
          <Options key={question.callId} question={question} answer={answer} />
        ))}
        <Working state={agent} />
        {failure !== undefined && <Failure {...{ failure, onRetry, onDismiss }} />}
      </div>
    </div>
  );
}

/** The wheel turns while something is under way that cannot be seen yet: text grows, and tools have marks of their own. */
function Working({ state }: { state: AgentState }) {
  const part = state.messages.at(-1)?.parts.at(-1);
  const isWriting = part?.type === "text" && part.open;
  const { phase } = state;
  const working = (phase === "submitting" || phase === "streaming") && !isWriting;
  if (!useHeld(working, 200)) return null;
  return (
    <p className="working" data-testid="working">
      <Wheel turning />
      <span className="unseen">Sage is working.</span>
    </p>
  );
}

/** Whether a run is under way, or about to be. */
export function isWorking(phase: AgentState["phase"]): boolean {
  return (
    phase === "submitting" || phase === "streaming" || phase === "toolExecuting" || phase === "completing"
  );
}
