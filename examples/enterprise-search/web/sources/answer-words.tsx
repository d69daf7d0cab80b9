import type { ViewMessage } from "@pawl/core/view";
import { type ReactNode, useMemo } from "react";
import type { MarkdownView } from "../base/seam.ts";
import { CITED, citedIn, withoutPartial } from "../runs/citations.ts";
import { CiteMark } from "./cite-mark.tsx";
import { NumbersContext } from "./numbers.ts";

const CITED_BY = { pattern: CITED, Mark: CiteMark };

interface AnswerWordsProps {
  Markdown: MarkdownView;
  text: string;
  open: boolean;
  message: ViewMessage;
}

/** The agent's text. The ids of documents that it cites are shown as numbered marks. */
export function AnswerWords({ Markdown, text, open, message }: AnswerWordsProps) {
  return (
    <Numbered ids={citedIn(message.text)}>
      <Markdown text={open ? withoutPartial(text) : text} cited={CITED_BY} />
    </Numbered>
  );
}

/** Gives the documents of an answer their numbers. */
export function Numbered({ ids, children }: { ids: readonly string[]; children: ReactNode }) {
  const key = ids.join();
  const numbers = useMemo(() => new Map(ids.map((id, at) => [id, at + 1])), [key]);
  return <NumbersContext value={numbers}>{children}</NumbersContext>;
}
