import type { ViewMessage } from "@pawl/core/view";
import type { ComponentType, FunctionComponent, ReactNode } from "react";
import type { AroundProps, FrameProps, MarkdownView, QuestionProps, ToolPartProps } from "../base/seam.ts";
import { type SearchServer, searchServer } from "../base/server.ts";
import { TOOL_NAMES } from "../base/sources.ts";
import { Clarify } from "../clarify/clarify.tsx";
import { AnsweredWithPlan, PlanBefore } from "../details/plan-place.tsx";
import { RunPanel } from "../details/run-panel.tsx";
import { Attached } from "../person/attached.tsx";
import { CallLine } from "../plan/call-line.tsx";
import { spoken } from "../runs/citations.ts";
import { PLANNING } from "../runs/questions.ts";
import { AfterAnswer } from "../sources/after-answer.tsx";
import { AnswerWords } from "../sources/answer-words.tsx";
import { SearchFrame } from "./search-frame.tsx";

/** The search agent's part of the page. */
export interface SearchFace {
  name: string;
  title: string;
  voice: string;
  fetch: typeof fetch;
  notFound: string;
  welcome: { words: string; starters: readonly string[] };
  toolNames: ReadonlyMap<string, string>;
  parts: ReadonlyMap<string, FunctionComponent<ToolPartProps>>;
  questions: ReadonlyMap<string, ComponentType<QuestionProps>>;
  Words: FunctionComponent<{ text: string; open: boolean; message: ViewMessage }>;
  /** The plan, above an answer. */
  Before: FunctionComponent<AroundProps>;
  /** The sources, below an answer. */
  After: FunctionComponent<AroundProps>;
  Frame: FunctionComponent<FrameProps>;
  Attached: ComponentType;
  panel: { label: string; icon: ReactNode; Panel: FunctionComponent };
  wordsIn(message: ViewMessage): string;
}

const GLASS = (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20" />
  </svg>
);

/**
 * Creates the search agent's part of the page.
 *
 * @param server the routes beside the conversation. Default: those below `/api/search`
 */
export function searchFace({
  Markdown,
  server = searchServer("/api/search"),
}: {
  Markdown: MarkdownView;
  server?: SearchServer;
}): SearchFace {
  return {
    name: "search",
    title: "Search",
    voice: "Beacon",
    fetch: server.fetch,
    notFound: "This conversation can't be found. It may belong to another browser or another person.",
    welcome: {
      words:
        "Beacon searches a company's mail, chat, calendar and files. The company is made up: 300 people, 50,000 documents. You search as one of these people, and see only what they may see.",
      starters: [
        "What does Alex say about Q4?",
        "How much is the Q4 revenue forecast?",
        "What do we know about Norvik Marine?",
        "How large is the Q4 bonus pool?",
      ],
    },
    toolNames: TOOL_NAMES,
    parts: new Map<string, FunctionComponent<ToolPartProps>>([
      ...[...TOOL_NAMES.keys()].map((name) => [name, CallLine] as const),
      [PLANNING, AnsweredWithPlan],
    ]),
    questions: new Map([["clarification", Clarify]]),
    Words: ({ text, open, message }) => <AnswerWords {...{ Markdown, text, open, message }} />,
    Before: PlanBefore,
    After: AfterAnswer,
    Frame: (props) => <SearchFrame {...props} server={server} />,
    Attached,
    panel: { label: "Details", icon: GLASS, Panel: RunPanel },
    wordsIn: ({ text }) => spoken(text),
  };
}
