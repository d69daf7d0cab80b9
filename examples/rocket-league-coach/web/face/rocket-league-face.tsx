import type { ViewMessage } from "@pawl/core/view";
import type { ComponentType, FunctionComponent, ReactNode } from "react";
import type { FrameProps, ToolPartProps } from "../base/seam.ts";
import { BudgetMeter } from "../budget/budget-meter.tsx";
import { budgetFrom, type ReadBudget, useBudget } from "../budget/use-budget.ts";
import { Call, TOOL_NAMES } from "../parts/call.tsx";
import { AttachedReplay, ReplayFrame } from "../parts/replay-frame.tsx";
import { CREDENTIALS, Resumed, Resuming } from "../parts/resumed.tsx";
import { Thinking } from "../parts/thinking.tsx";

interface MessagesProps {
  messages: readonly ViewMessage[];
  /** Whether a run is in progress. */
  working: boolean;
}

interface LabelProps extends MessagesProps {
  /** The type with which the session began. This coach's sessions have none. */
  type: string | undefined;
}

/** The Rocket League coach's part of the page: its texts, the cards of its tools, and the budget. */
export interface RocketLeagueFace {
  name: string;
  title: string;
  voice: string;
  welcome: { words: string; starters: readonly string[] };
  toolNames: ReadonlyMap<string, string>;
  parts: ReadonlyMap<string, FunctionComponent<ToolPartProps>>;
  questions: ReadonlyMap<string, FunctionComponent>;
  /** Shows the model's thinking with its length. */
  Thinking: ComponentType<{ text: string; open: boolean }>;
  Label: FunctionComponent<LabelProps>;
  /** Lets the user open a match, and sends its id with each message. */
  Frame: FunctionComponent<FrameProps>;
  /** The open match. */
  Attached: ComponentType;
  panel: { label: string; icon: ReactNode; Panel: FunctionComponent<MessagesProps> };
}

const GAUGE = (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M4 18a9 9 0 1 1 16 0M12 14l4-5" />
  </svg>
);

/**
 * Creates the coach's part of the page.
 *
 * @param readBudget reads the user's budget. Default: from `/api/rocket-league/budget`
 */
export function rocketLeagueFace({
  readBudget = budgetFrom("/api/rocket-league/budget"),
}: {
  readBudget?: ReadBudget;
} = {}): RocketLeagueFace {
  return {
    name: "rocket-league",
    title: "Rocket League",
    voice: "Nitro",
    welcome: {
      words:
        "Nitro reads your replays and compares them with players of your rank. Ask what to work on, how you are getting on, or what happened in a match.",
      starters: [
        "What should I work on to rank up?",
        "How is my boost?",
        "Am I rotating well?",
        "How did my last session go?",
      ],
    },
    toolNames: TOOL_NAMES,
    parts: new Map<string, FunctionComponent<ToolPartProps>>([
      ...[...TOOL_NAMES.keys()].map((name) => [name, Call] as const),
      [CREDENTIALS, Resumed],
    ]),
    questions: new Map([[CREDENTIALS, Resuming]]),
    Thinking,
    Label: ({ messages, working }) => <Meter {...{ readBudget, messages, working }} compact />,
    Frame: ReplayFrame,
    Attached: AttachedReplay,
    panel: {
      label: "Budget",
      icon: GAUGE,
      Panel: ({ messages, working }) => <Meter {...{ readBudget, messages, working }} />,
    },
  };
}

interface MeterProps extends MessagesProps {
  readBudget: ReadBudget;
  compact?: boolean;
}

function Meter({ readBudget, messages, working, compact = false }: MeterProps) {
  const { budget, written } = useBudget(readBudget, messages, working);
  if (budget === undefined) return compact ? null : <p className="rl-empty">Your budget is not known yet.</p>;
  return <BudgetMeter {...{ ...budget, written, compact }} writing={working} />;
}
