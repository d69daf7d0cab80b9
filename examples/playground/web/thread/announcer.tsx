import type { ViewMessage } from "@pawl/core/view";
import { useEffect, useRef, useState } from "react";
import { useFace } from "../face/face.ts";
import { PlainText } from "../markdown/markdown.tsx";

interface AnnouncerProps {
  messages: readonly ViewMessage[];
  working: boolean;
  question: string | undefined;
  /** Whether the last run has failed: the page then announces why as an alert. */
  failed: boolean;
}

/** The texts that a screen reader announces. */
interface Heard {
  /** The agent's text, as Markdown. */
  said?: string;
  /** Another text, without Markdown. */
  plain?: string | undefined;
}

/** Announces the agent's answer to screen readers, once, when it is complete. */
export function Announcer({ messages, working, question, failed }: AnnouncerProps) {
  const { voice, wordsIn = textOf } = useFace();
  const last = messages.at(-1);
  const [heard, setHeard] = useState<Heard>({});
  const told = useRef({ id: "", length: 0 });
  useEffect(() => {
    if (working) return setHeard({ plain: `${voice} is answering.` });
    if (last?.role !== "assistant") return setHeard({});
    // After a question, only the part of the message that follows it is announced.
    const words = wordsIn(last);
    const from = told.current.id === last.id ? told.current.length : 0;
    told.current = { id: last.id, length: words.length };
    setHeard({ said: words.slice(from).trim(), plain: question ?? (failed ? undefined : noticeIn(last)) });
  }, [working, last, question, failed, voice, wordsIn]);
  return (
    <div className="unseen" role="status" aria-live="polite" data-testid="announcer">
      {heard.said !== undefined && <PlainText markdown={heard.said} />} {heard.plain}
    </div>
  );
}

/** Returns why the run stopped, e.g. the words of a guardrail. */
function noticeIn({ parts }: ViewMessage): string | undefined {
  const last = parts.findLast((part) => part.type === "notice");
  return last?.text;
}

function textOf({ text }: ViewMessage): string {
  return text;
}
