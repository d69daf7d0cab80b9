import type { ViewMessage } from "@pawl/core/view";
import type { ComponentType, FunctionComponent, ReactNode } from "react";
import { withoutBlocks } from "../../src/legacy/blocks.ts";
import type { FrameProps, PageParts, QuestionProps, ToolPartProps } from "../base/seam.ts";
import { filesPanel } from "../files/files-panel.tsx";
import { Completed, EnteredArc } from "../parts/arc.tsx";
import { replacePlan } from "../parts/replace-plan.tsx";
import { Saved } from "../parts/saved.tsx";
import { words } from "../parts/words.tsx";
import { PulseCheck } from "../pulse/pulse-check.tsx";
import { PulseResult } from "../pulse/pulse-result.tsx";
import { Begin } from "../sessions/begin.tsx";
import { CoachFrame } from "../sessions/coach-frame.tsx";
import { Label, type LabelProps } from "../sessions/label.tsx";

/** The coach's part of the page: its texts, components and panel. */
export interface CoachFace {
  name: string;
  title: string;
  voice: string;
  files: boolean;
  welcome: {
    words: string;
    starters: readonly string[];
    Begin: ComponentType<{ onStart: (text: string) => void }>;
  };
  toolNames: ReadonlyMap<string, string>;
  parts: ReadonlyMap<string, FunctionComponent<ToolPartProps>>;
  questions: ReadonlyMap<string, ComponentType<QuestionProps>>;
  Words: FunctionComponent<{ text: string; open: boolean }>;
  Frame: FunctionComponent<FrameProps>;
  Label: FunctionComponent<LabelProps>;
  panel: { label: string; icon: ReactNode; Panel: FunctionComponent<{ messages: readonly ViewMessage[] }> };
  wordsIn(message: ViewMessage): string;
  atWork(tools: readonly string[]): string | undefined;
}

const PAGES = (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M6 4h8l4 4v12H6zM9 12h6M9 16h6" />
  </svg>
);

/** Creates the coach's part of the page from the page's own components. */
export function coachFace({ Markdown, ErrorBoundary }: PageParts): CoachFace {
  return {
    name: "coach",
    title: "Coach",
    voice: "Sage",
    files: true,
    welcome: {
      words:
        "Sage is a coach for the day ahead and the life around it. Whatever is worth keeping goes into your notes, where you can read it. The Log button shows what happens underneath: every message, call and result.",
      starters: [],
      Begin,
    },
    toolNames: new Map([
      ["save_file", "Save a file"],
      ["show_options", "Ask"],
      ["show_pulse_check", "Pulse check"],
      ["enter_structured_arc", "Change over"],
      ["complete_session", "Complete the session"],
    ]),
    parts: new Map<string, FunctionComponent<ToolPartProps>>([
      ["save_file", Saved],
      ["show_pulse_check", PulseResult],
      ["enter_structured_arc", EnteredArc],
      ["complete_session", Completed],
    ]),
    questions: new Map<string, ComponentType<QuestionProps>>([
      ["pulse_check", PulseCheck],
      ["approval", replacePlan(Markdown)],
    ]),
    Words: words(Markdown),
    Frame: CoachFrame,
    Label,
    panel: { label: "Notes", icon: PAGES, Panel: filesPanel({ Markdown, ErrorBoundary }) },
    wordsIn: ({ text }) => withoutBlocks(text),
    atWork: (tools) => (tools.includes("save_file") ? "Saving…" : undefined),
  };
}
