import type { ViewMessage } from "@pawl/core/view";
import type { FunctionComponent, ReactNode } from "react";
import type { FrameProps, MarkdownView, ToolPart, ToolPartProps } from "../base/seam.ts";
import { Ask, questionIn } from "../parts/ask.tsx";
import { Change } from "../parts/change.tsx";
import { Notify, wordsIn } from "../parts/notify.tsx";
import { ProgressPanel } from "../progress/progress-panel.tsx";
import { TrainingFrame } from "../workout/training.tsx";

/** The trainer's part of the page: its texts, components and panel. */
export interface TrainerFace {
  name: string;
  title: string;
  voice: string;
  files: boolean;
  welcome: { words: string; starters: readonly string[] };
  toolNames: ReadonlyMap<string, string>;
  parts: ReadonlyMap<string, FunctionComponent<ToolPartProps>>;
  ownArtifacts: boolean;
  Frame: FunctionComponent<FrameProps>;
  panel: { label: string; icon: ReactNode; Panel: FunctionComponent<{ messages: readonly ViewMessage[] }> };
  wordsIn(message: ViewMessage): string;
  doing(work: { messages: readonly ViewMessage[]; writes: string | undefined }): string;
}

const BARS = (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M5 20v-6M12 20V5M19 20v-9" />
  </svg>
);

/**
 * Creates the trainer's part of the page.
 *
 * @param Markdown the page's component for Markdown
 */
export function trainerFace({ Markdown }: { Markdown: MarkdownView }): TrainerFace {
  return {
    name: "trainer",
    title: "Trainer",
    voice: "Rowan",
    files: true,
    welcome: {
      words:
        "Rowan is a personal trainer who knows your goals, your gym and what you did last week. Ask for a workout, change it while you train, and log it when you are done.",
      starters: [
        "What should I train today?",
        "A quick full-body workout, 30 minutes",
        "How was my last week?",
      ],
    },
    toolNames: new Map([
      ["generate_workout", "Create a workout"],
      ["swap_exercise", "Swap an exercise"],
      ["adjust_exercise", "Adjust an exercise"],
      ["remove_exercise", "Remove an exercise"],
      ["log_workout", "Log the workout"],
      ["fetch_data", "Look something up"],
      ["set_current_location", "Switch location"],
      ["message_notify_user", "Say something"],
      ["message_ask_user", "Ask"],
    ]),
    parts: new Map<string, FunctionComponent<ToolPartProps>>([
      ["message_notify_user", (props) => <Notify {...props} Markdown={Markdown} />],
      ["message_ask_user", Ask],
      ["swap_exercise", Change],
      ["adjust_exercise", Change],
      ["remove_exercise", Change],
      ["idle", () => null],
    ]),
    // A workout is shown once a message hands it over.
    ownArtifacts: true,
    Frame: TrainingFrame,
    panel: { label: "Progress", icon: BARS, Panel: ProgressPanel },
    wordsIn: spoken,
    doing,
  };
}

/** Returns a message's words for screen readers: the trainer says everything through calls. */
function spoken({ parts, text }: ViewMessage): string {
  const said = parts.flatMap((part) => (part.type === "tool" ? (saidIn(part) ?? []) : []));
  return [...(text === "" ? [] : [text]), ...said].join("\n\n");
}

function saidIn(part: ToolPart): string | undefined {
  if (part.toolName === "message_notify_user") return wordsIn(part);
  return part.toolName === "message_ask_user" ? questionIn(part).question : undefined;
}

/** Status lines while the model writes a tool's input, by tool. */
const WRITING: ReadonlyMap<string, string> = new Map([
  ["generate_workout", "Putting your workout together…"],
  ["swap_exercise", "Looking for another exercise…"],
  ["adjust_exercise", "Changing the exercise…"],
  ["remove_exercise", "Removing the exercise…"],
  ["log_workout", "Saving your workout…"],
  ["fetch_data", "Looking something up…"],
  ["set_current_location", "Switching location…"],
  ["message_notify_user", "Writing to you…"],
  ["message_ask_user", "Thinking of a question…"],
]);

function doing({ messages, writes }: Parameters<TrainerFace["doing"]>[0]): string {
  const parts = messages.at(-1)?.parts ?? [];
  const running = parts.findLast((part) => part.type === "tool" && part.phase === "running");
  if (running?.type === "tool" && running.status !== undefined) return running.status;
  return (writes === undefined ? undefined : WRITING.get(writes)) ?? "Thinking…";
}
