import { outputIn, type ViewMessage, type ViewPart } from "@pawl/core/view";
import { type FunctionComponent, memo, useContext, useMemo } from "react";
import { type AroundProps, TalkContext, useFace } from "../face/face.ts";
import type { ToolPart } from "../face/tool-part.ts";
import { MessageFiles } from "../files/message-files.tsx";
import { CitedContext, Markdown } from "../markdown/markdown.tsx";
import { ErrorBoundary } from "../shell/error-boundary.tsx";
import { LeftOut, Notice, reasonsFirst } from "./notices.tsx";
import { ArtifactCard, type PartOf, Sources, ToolFile, Used } from "./outcome.tsx";
import { CITATIONS, joinedTexts, SourcesContext, sourcesOf } from "./sources.tsx";
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
      <MessageFiles message={message} />
      {message.text !== "" && <p className="bubble">{message.text}</p>}
    </li>
  );
}

function AgentMessage({ message, live, told }: MessageProps) {
  const { voice, Before, After } = useFace();
  const sources = useMemo(() => sourcesOf(message), [message]);
  const shown = message.parts.filter((part) => !(told && part.type === "notice"));
  const parts = joinedTexts(reasonsFirst(shown), sources);
  if (parts.length === 0) return null;
  const own = (
    <li className="message message-coach" data-testid="message-assistant">
      <span className="unseen">{voice}: </span>
      {Before && <Around of={Before} {...{ message, live }} />}
      {parts.map((part, at) => (
        <ErrorBoundary key={part.key} of={part.type === "tool" && part.phase} instead={<PartNotShown />}>
          <Speaker role={part.role} before={parts[at - 1]?.role} />
          <Part part={part} live={live} isLast={at === parts.length - 1} message={message} />
        </ErrorBoundary>
      ))}
      <Sources message={message} />
      {After && <Around of={After} {...{ message, live }} />}
    </li>
  );
  // An agent that shows something below its answers shows there what they have used.
  return (
    <SourcesContext value={sources}>
      <CitedContext value={sources.length > 0 ? CITATIONS : undefined}>{own}</CitedContext>
      {After === undefined && !live && <Used message={message} />}
    </SourcesContext>
  );
}

/** Names the role, or the other agent, that speaks from here on. */
function Speaker({ role, before }: { role: string | undefined; before: string | undefined }) {
  if (role === undefined || role === before) return null;
  return (
    <p className="speaker" data-testid="speaker">
      {role}
    </p>
  );
}

/** Renders what the agent's face shows around a message. If that throws, the message is shown without it. */
function Around({ of: Own, ...props }: AroundProps & { of: FunctionComponent<AroundProps> }) {
  return (
    <ErrorBoundary of={props.message} instead={null}>
      <Own {...props} />
    </ErrorBoundary>
  );
}

/** Renders what the agent's face shows before the run has written anything. */
export function ComingMessage() {
  const { Before } = useFace();
  if (Before === undefined) return null;
  return (
    <li className="message message-coach" data-testid="message-coming">
      <Around of={Before} message={undefined} live />
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

function Words({ message, ...written }: { text: string; open: boolean; message: ViewMessage }) {
  const { Words: Own } = useFace();
  return Own === undefined ? <Markdown text={written.text} /> : <Own {...written} message={message} />;
}

function Thinking({ text, open }: { text: string; open: boolean }) {
  const { Thinking: Shown = Collapsed } = useFace();
  return <Shown text={text} open={open} />;
}

interface PartProps {
  part: ViewPart;
  live: boolean;
  isLast: boolean;
  message: ViewMessage;
}

function Part({ part, live, isLast, message }: PartProps) {
  switch (part.type) {
    case "text":
      return <Words text={part.text} open={part.open} message={message} />;
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
    case "file":
      return <ToolFile part={part} />;
    case "artifact":
      return <Made part={part} />;
    case "source":
      return null;
    case "notice":
      return <Notice part={part} />;
    case "left_out":
      return <LeftOut by={part.by} />;
  }
}

/** Shows an artifact, unless the agent shows its artifacts in its own way. */
function Made({ part }: { part: PartOf<"artifact"> }) {
  const { ownArtifacts } = useFace();
  return ownArtifacts === true ? null : <ArtifactCard part={part} />;
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
