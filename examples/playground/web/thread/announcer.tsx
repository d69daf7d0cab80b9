import type { ViewMessage } from "@pawl/core";
import { useEffect, useRef, useState } from "react";
import { PlainText } from "./markdown.tsx";

interface AnnouncerProps {
  messages: readonly ViewMessage[];
  working: boolean;
  question: string | undefined;
}

/** What is to be heard. */
interface Heard {
  /** The coach's words, in Markdown. */
  said?: string;
  /** As it is. */
  plain?: string | undefined;
}

/** Tells a screen reader what the coach said: once, when it is all there, and not piece by piece. */
export function Announcer({ messages, working, question }: AnnouncerProps) {
  const last = messages.at(-1);
  const [heard, setHeard] = useState<Heard>({});
  const told = useRef({ id: "", length: 0 });
  useEffect(() => {
    if (working) return setHeard({ plain: "Sage is answering." });
    if (last?.role !== "assistant") return setHeard({});
    // A message that went on after a question is not read out from its beginning again.
    const from = told.current.id === last.id ? told.current.length : 0;
    told.current = { id: last.id, length: last.text.length };
    setHeard({ said: last.text.slice(from).trim(), plain: question });
  }, [working, last, question]);
  return (
    <div className="unseen" role="status" aria-live="polite" data-testid="announcer">
      {heard.said !== undefined && <PlainText markdown={heard.said} />} {heard.plain}
    </div>
  );
}
