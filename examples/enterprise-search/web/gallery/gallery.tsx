import type { UseAgent } from "@pawl/client/react";
import type { SessionEvent, StoredEvent } from "@pawl/core";
import { newView, reduceView, type ViewMessage, type ViewPart, type ViewState } from "@pawl/core/view";
import { useEffect, useMemo, useRef, useState } from "react";
import type { MarkdownView } from "../base/seam.ts";
import { searchFace, searchServer } from "../index.ts";
import type { Shown } from "./shown.ts";

/** Paragraphs and citations; the page itself renders all of Markdown. */
const Markdown: MarkdownView = ({ text, cited }) => (
  <div className="prose">
    {text.split("\n\n").map((paragraph, at) => (
      <p key={at}>
        {paragraph
          .split(cited?.pattern ?? /$^/)
          .flatMap((words, index) => [
            words,
            cited && [...paragraph.matchAll(cited.pattern)][index] && (
              <cited.Mark key={index} text={[...paragraph.matchAll(cited.pattern)][index]?.[0] ?? ""} />
            ),
          ])}
      </p>
    ))}
  </div>
);

const face = searchFace({ Markdown, server: searchServer("/api") });

/** The search agent's parts without the playground around them. A test serves what they show. */
export function Gallery() {
  const [shown, show] = useState<Shown>();
  useEffect(() => {
    const load = async () => show((await (await fetch("/shown.json")).json()) as Shown);
    const again = () => void load();
    again();
    addEventListener("shown", again);
    return () => removeEventListener("shown", again);
  }, []);
  return shown === undefined ? null : <Talk shown={shown} />;
}

const NO_EVENTS: StoredEvent[] = [];

function viewOf({ events, writing }: Shown): ViewState {
  const view = (events as SessionEvent[]).reduce<ViewState>((so, one) => reduceView(so, one), newView());
  if (writing === "") return view;
  const delta = { attempt: 9_999, index: 0, offset: 0, text: writing };
  return reduceView(view, { type: "text_delta", data: delta } as unknown as SessionEvent);
}

function Talk({ shown }: { shown: Shown }) {
  const view = useMemo(() => viewOf(shown), [shown]);
  const [panelShown, showPanel] = useState(innerWidth > 1_000);
  const field = useRef<HTMLTextAreaElement>(null);
  const [sent, setSent] = useState<string[]>([]);
  const send = useMemo(
    () => async (text: string) => {
      setSent((all) => [...all, text]);
      return true;
    },
    [],
  );
  const page = useMemo(
    () => ({ panelShown, showPanel, focusField: () => field.current?.focus(), startAnew: () => undefined }),
    [panelShown],
  );
  const phase = view.run?.open ? "streaming" : "idle";
  const agent = useMemo(
    () =>
      ({ sessionId: "s1", phase, connection: "open", send, messages: view.messages }) as unknown as UseAgent,
    [send, view, phase],
  );
  const { Frame, Attached, panel } = face;
  const live = view.run?.open === true;
  return (
    <Frame
      agent={agent}
      messages={view.messages}
      events={shown.withheld ? NO_EVENTS : shown.events}
      page={page}
    >
      {(talking) => (
        <div className="gallery">
          <div>
            <ol className="messages">
              {talking.messages.map((message) => (
                <Message key={message.id} message={message} live={live && message === view.messages.at(-1)} />
              ))}
              {live && view.messages.at(-1)?.role === "user" && (
                <li className="message message-coach">
                  <face.Before message={undefined} live />
                </li>
              )}
            </ol>
            {view.pending.map((question) => {
              const Question = face.questions.get(question.kind);
              const answer = async (value: unknown) => send(JSON.stringify(value));
              return Question && <Question key={question.seq} question={question} answer={answer} />;
            })}
            <Attached />
            <Field field={field} onSend={(text) => void talking.send(text)} />
            <output data-testid="sent">{sent.join("\n")}</output>
          </div>
          {panelShown && (
            <aside data-testid="panel">
              <panel.Panel />
            </aside>
          )}
        </div>
      )}
    </Frame>
  );
}

function Field({
  field,
  onSend,
}: {
  field: React.RefObject<HTMLTextAreaElement | null>;
  onSend: (text: string) => void;
}) {
  return (
    <textarea
      ref={field}
      aria-label="Your message"
      data-testid="composer"
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        onSend(event.currentTarget.value);
        event.currentTarget.value = "";
      }}
    />
  );
}

function Message({ message, live }: { message: ViewMessage; live: boolean }) {
  if (message.role === "user") return <li className="message bubble">{message.text}</li>;
  return (
    <li className="message message-coach" data-testid="message">
      <face.Before message={message} live={live} />
      {message.parts.map((part) => (
        <Part key={part.key} part={part} message={message} live={live} />
      ))}
      <face.After message={message} live={live} />
    </li>
  );
}

function Part({ part, message, live }: { part: ViewPart; message: ViewMessage; live: boolean }) {
  if (part.type === "text") return <face.Words text={part.text} open={part.open} message={message} />;
  if (part.type === "notice") return <p className="notice">{part.text}</p>;
  const Call = part.type === "tool" ? face.parts.get(part.toolName) : undefined;
  return Call !== undefined && part.type === "tool" ? <Call part={part} live={live} /> : null;
}
