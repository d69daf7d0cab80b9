import { outputIn, type ViewMessage, type ViewPart } from "@pawl/core/view";
import { memo, useContext } from "react";
import { TalkContext, useFace } from "../face/face.ts";
import type { ToolPart } from "../face/tool-part.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { ErrorBoundary } from "../shell/error-boundary.tsx";
import { Thinking as Collapsed } from "./thinking.tsx";
import { ToolChip } from "./tool-chip.tsx";

interface MessageProps {
  message: ViewMessage;
  /** Whether the run of this message is open. */
  live: boolean;
  /** Whether the page shows elsewhere why the run stopped. */
  told: boolean;
}

/**
 * Shows one message. Unchanged messages are the same objects, so a new token renders only the last message.
 */
export const Message = memo(function Message({ message, live, told }: MessageProps) {
  return message.role === "user" ? (
    <UserMessage message={message} />
  ) : (
    <AgentMessage {...{ message, live, told }} />
  );
});

function UserMessage({ message }: { message: ViewMessage }) {
  return (
    <li className="message message-user" data-testid="message-user" data-sent={message.seq > 0}>
      <span className="unseen">You: </span>
      <p className="bubble">{message.text}</p>
    </li>
  );
}

function AgentMessage({ message, live, told }: MessageProps) {
  const { voice } = useFace();
  const parts = message.parts.filter((part) => !(told && part.type === "notice"));
  return parts.length === 0 ? null : (
    <li className="message message-coach" data-testid="message-assistant">
      <span className="unseen">{voice}: </span>
      {parts.map((part, at) => (
        <ErrorBoundary key={part.key} of={part.type === "tool" && part.phase} instead={<PartNotShown />}>
          <Part part={part} live={live} isLast={at === parts.length - 1} />
        </ErrorBoundary>
      ))}
    </li>
  );
}

function PartNotShown() {
  return (
    <p className="notice" data-testid="part-not-shown">
      This part of the message can't be shown.
    </p>
  );
}

function Words({ text, open }: { text: string; open: boolean }) {
  const { Words: Own } = useFace();
  return Own === undefined ? <Markdown text={text} /> : <Own text={text} open={open} />;
}

function Thinking({ text, open }: { text: string; open: boolean }) {
  const { Thinking: Shown = Collapsed } = useFace();
  return <Shown text={text} open={open} />;
}

function Part({ part, live, isLast }: { part: ViewPart; live: boolean; isLast: boolean }) {
  switch (part.type) {
    case "text":
      return <Words text={part.text} open={part.open} />;
    case "thinking":
      // What the model writes after its thinking may be stored together with it, and later.
      return <Thinking text={part.text} open={part.open && isLast} />;
    case "tool":
      return <Call part={part} live={live} />;
    case "output":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        <pre className="json" data-testid="output" tabIndex={0}>
          {JSON.stringify(outputIn(part) ?? null, null, 2)}
        </pre>
      );
    case "notice":
      return (
        <p className={`notice notice-${part.stop}`} data-testid="notice">
          {part.text}
        </p>
      );
  }
}

/** Shows a call: in its agent's component, or as one line. */
function Call({ part, live }: { part: ToolPart; live: boolean }) {
  const { parts, doing } = useFace();
  const talk = useContext(TalkContext);
  const Own = parts.get(part.toolName);
  if (Own !== undefined) return <Own {...{ part, live, talk }} />;
  // If the status line describes a running call, the call gets its own line when it has ended.
  const isTold = doing !== undefined && live;
  if (isTold && part.phase === "running") return null;
  return <ToolChip part={part} live={live && !isTold} />;
}
