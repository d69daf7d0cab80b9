import type { ViewMessage, ViewPart } from "@pawl/core";
import { memo } from "react";
import { Choice, OPTIONS_TOOL } from "./choice.tsx";
import { Markdown } from "./markdown.tsx";
import { Thinking } from "./thinking.tsx";
import { ToolChip } from "./tool-chip.tsx";

interface MessageProps {
  message: ViewMessage;
  /** Its run is open. */
  live: boolean;
  /** Why its run stopped is told elsewhere. */
  told: boolean;
}

/** One message. Messages that did not change are the same objects, so that a token renders the last one only. */
export const Message = memo(function Message({ message, live, told }: MessageProps) {
  return message.role === "user" ? (
    <UserMessage message={message} />
  ) : (
    <CoachMessage {...{ message, live, told }} />
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

function CoachMessage({ message, live, told }: MessageProps) {
  const parts = message.parts.filter((part) => !(told && part.type === "notice"));
  return parts.length === 0 ? null : (
    <li className="message message-coach" data-testid="message-assistant">
      <span className="unseen">Sage: </span>
      {parts.map((part) => (
        <Part key={part.key} part={part} live={live} />
      ))}
    </li>
  );
}

function Part({ part, live }: { part: ViewPart; live: boolean }) {
  switch (part.type) {
    case "text":
      return <Markdown text={part.text} />;
    case "thinking":
      return <Thinking text={part.text} open={part.open} />;
    case "tool":
      return part.toolName === OPTIONS_TOOL ? <Choice part={part} /> : <ToolChip part={part} live={live} />;
    case "notice":
      return (
        <p className={`notice notice-${part.stop}`} data-testid="notice">
          {part.text}
        </p>
      );
  }
}
