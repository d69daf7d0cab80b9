import { decisionFaults } from "./decide/decision-faults.ts";
import type { Fault } from "./fault.ts";
import { moreFaults } from "./more-faults.ts";

const agUi = (file: string) => `sse/src/dialects/ag-ui/ag-ui-${file}.ts`;
const aiSdk = (file: string) => `sse/src/dialects/ai-sdk/ai-sdk-${file}.ts`;
const base = (file: string) => `sse/src/dialects/base/${file}.ts`;

/** Faults of the dialects, each of which random sessions have to find. The first ones were once real. */
export const faults: readonly Fault[] = [
  {
    name: "an answer that comes too late begins the stopped run anew",
    kind: "AI SDK 7",
    edits: [
      [aiSdk("request"), '  if (said.some((answer) => known(answer) === "late")) throw tooLate();\n', ""],
      [aiSdk("request"), '    if (run.stop?.type === "aborted" && said.length > 0) throw tooLate();\n', ""],
    ],
  },
  {
    name: "a snapshot has calls whose arguments are sent after it",
    kind: "AG-UI 1.0",
    edits: [
      [
        agUi("snapshot"),
        "return CALL.includes(type) && calls.has(toolCallId) ? [] : [dataFrame(event)];",
        "return [dataFrame(event)];",
      ],
      [agUi("encoder"), '["assistant_message", "tool_answered"]', '["tool_answered"]'],
    ],
  },
  {
    name: "a page cannot cancel questions that were closed before",
    kind: "AG-UI 0.0.59",
    edits: [
      [agUi("resume"), "if (isCancelled) return dropped(", "if (isCancelled && known > 0) return dropped("],
    ],
  },
  {
    name: "a later answer of an approved call counts as the approval",
    kind: "AI SDK 6",
    edits: [
      [
        aiSdk("tool-part"),
        "return questions.findLast(isApproval);",
        "return questions.some(isApproval) ? questions.at(-1) : undefined;",
      ],
    ],
  },
  {
    name: "activities jump to the top when a page connects again",
    kind: "AG-UI 1.0",
    edits: [
      [
        agUi("snapshot"),
        "return [snapshot(before, lacks), whole];",
        "return [snapshot(before), ...(lacks.length > 9 ? [] : [whole])];",
      ],
    ],
  },
  {
    name: "the answer to a call's first question answers its second one",
    kind: "AI SDK 6",
    edits: [
      [
        aiSdk("answers"),
        "return Number.isSafeInteger(question) ? { question } : {};",
        "return question === 0 ? { question } : {};",
      ],
    ],
  },
  {
    name: "a call that a message has closed gets no result",
    kind: "AG-UI 1.0",
    edits: [[agUi("encoder"), "...closedSteps(context).flatMap(callEvents).map(dataFrame),", ""]],
  },
  {
    name: "an answer counts as the call's result",
    kind: "AG-UI 0.0.59",
    edits: [
      [
        base("answers"),
        "return isQuestionPart(part) || questions.at(-1)?.resultSeq !== resultSeq;",
        "return isQuestionPart(part) || resultSeq !== questions.length - 9;",
      ],
    ],
  },
  {
    name: "an approved call that has not run has the approval as its output",
    kind: "AI SDK 7",
    edits: [
      [
        aiSdk("tool-part"),
        "last !== undefined && isApproval(last) && !hasResult(part)",
        "last !== undefined && isApproval(last) && !hasResult(part) && input === last",
      ],
    ],
  },
  {
    name: "messages stay queued when the run that answers them has begun",
    kind: "AI SDK 7",
    edits: [["core/src/view/reduce.ts", "retry_of ? 0 : seq", "retry_of ? seq : 0"]],
  },
  {
    name: "a retry leaves the earlier parts of its message out",
    kind: "AI SDK 7",
    edits: [
      ["sse/src/dialects/ai-sdk/ai-sdk.ts", "if (!options.continues) kept", "if (options.continues) kept"],
    ],
  },
  {
    name: "a reloaded page has results in the order of the calls",
    kind: "AG-UI 1.0",
    edits: [
      [
        agUi("messages"),
        "calls.toSorted((one, other) => (one.resultSeq ?? 0) - (other.resultSeq ?? 0))",
        "calls",
      ],
    ],
  },
  {
    name: "an answer to an earlier question is taken for the open one",
    kind: "AI SDK 7",
    edits: [
      [
        base("answers"),
        "(answer.question ?? question.seq) !== question.seq",
        "(answer.question ?? 0) === -1",
      ],
    ],
  },
  ...moreFaults,
  ...decisionFaults,
];
